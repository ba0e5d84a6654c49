import { type Reason, reason } from '../../../shared/errors.ts';
import type { Gap, HiddenReason, Message, Standing, Step, Thread, ThreadHead, ThreadStatus, ToolCall } from '../../../shared/model.ts';
import { isWithin } from '../recorded-path.ts';
import { mayHaveWritten, toolCall } from './calls.ts';
import { foldTurns } from './fold-turns.ts';
import { messageTexts } from './message-texts.ts';
import type { TextFacts } from './part-facts.ts';
import { type RevertMarker, revertMarker } from './revert-marker.ts';
import type { MessageRow, SessionData } from './rows.ts';
import { type StepTrees, stepTrees } from './step-trees.ts';

/** The folder that the trees of a session cover: what its answers say, else what the session's own row says. */
export function rootOf(data: SessionData): string | null {
  const said = data.session.git ? data.messages.findLast((message) => message.root !== null && message.root !== '/')?.root : null;
  return said ?? data.session.worktree;
}

/** One message on its way into the model. */
interface Placed {
  row: MessageRow;
  stop: number | null;
  hidden: { reason: HiddenReason } | null;
  turn: number | null;
  calls: ToolCall[];
  texts: TextFacts;
}

/** The thread that a session's rows make (formats/opencode Part 1 and 3). Pure; `status` is what the store says about now. */
export function foldSession(data: SessionData, head: ThreadHead, status: ThreadStatus): Thread {
  const marker = revertMarker(data.session.revert);
  const placed = place(data, marker);
  const turns = foldTurns(
    placed.map(({ row, stop, hidden, texts }) => ({ row, stop, hidden, prompt: texts.excerpt })),
    status,
  );
  const root = rootOf(data);
  const last = placed.findLast(({ hidden }) => hidden === null)?.row.id;
  const ids = new Set<string>();
  for (const [at, message] of placed.entries()) {
    const { row } = message;
    message.turn = turns.turnOf[at] ?? null;
    const live = status !== 'idle' && row.id === last;
    const place = {
      root: row.root === '/' ? root : (row.root ?? root),
      cwd: row.cwd ?? data.session.directory,
      live,
      children: data.children,
    };
    for (const [nth, part] of row.parts.entries()) {
      if (part.kind === 'tool') message.calls.push(toolCall(uniqueId(part.call.callId, `${row.id}#${nth}`, ids), part.call, place));
    }
  }
  const { steps, gaps, cutOff } = foldSteps(placed, status);
  return {
    head: { ...head, root: head.root ?? root },
    status,
    standing: standingOf(placed, marker),
    turns: turns.turns,
    steps,
    messages: placed.map(messageOf),
    gaps,
    bad: data.bad,
    notices: noticesOf(data, steps, root, marker, cutOff),
    keeps: 'overlay',
  };
}

function place(data: SessionData, marker: RevertMarker | null): Placed[] {
  const boundary = marker === null ? -1 : data.messages.findIndex((message) => message.id === marker.messageId && message.gone === null);
  let stop = 0;
  return data.messages.map((row, at) => {
    const dropped = row.gone !== null;
    if (!dropped) stop += 1;
    const reverted = boundary >= 0 && at >= boundary;
    const why: HiddenReason | null = dropped ? 'dropped' : reverted ? 'reverted' : null;
    return {
      row,
      stop: dropped ? null : stop,
      hidden: why && { reason: why },
      turn: null,
      calls: [],
      texts: messageTexts(row, data.session.byRun),
    };
  });
}

/** Some providers number the calls of each answer from 0, so a call's own id is not always one. */
function uniqueId(callId: string, other: string, taken: Set<string>): string {
  const id = callId !== '' && !taken.has(callId) ? callId : callId === '' ? other : `${callId}@${other}`;
  taken.add(id);
  return id;
}

function messageOf({ row, stop, hidden, turn, calls, texts }: Placed): Message {
  return {
    stop,
    id: row.id,
    role: row.role,
    turn,
    step: row.role === 'assistant' ? row.id : null,
    at: row.at,
    excerpt: texts.excerpt,
    bytes: texts.bytes,
    images: row.parts.filter((part) => part.kind === 'image').length,
    thinking: row.parts.some((part) => part.kind === 'reasoning'),
    tools: [...calls],
    hidden,
    divider: row.parts.some((part) => part.kind === 'compaction') ? 'compaction' : null,
    canStand: stop === null ? reason('STOP_DROPPED') : true,
  };
}

function foldSteps(placed: readonly Placed[], status: ThreadStatus): { steps: Step[]; gaps: Gap[]; cutOff: number[] } {
  const owners = placed.filter(({ row }) => row.role === 'assistant');
  const records = owners.map(({ row, turn }) => {
    const ended = row.parts.some((part) => part.kind === 'finish');
    return {
      turn: turn === null ? row.id : String(turn),
      start: row.parts.find((part) => part.kind === 'start')?.tree ?? null,
      end: row.parts.findLast((part) => part.kind === 'finish')?.tree ?? null,
      ended,
      mayWrite: row.parts.some((part) => part.kind === 'tool' && mayHaveWritten(part.call, ended)),
      born: row.born,
      gone: row.gone,
    };
  });
  const trees = stepTrees(records);
  const anyTree = records.some(({ start, end }) => start !== null || end !== null);
  const gaps: Gap[] = [];
  const steps = owners.map((owner, at): Step => {
    const tree: StepTrees = trees[at] ?? { from: null, to: null, borrowed: false, gap: null };
    const record = records[at];
    const { row } = owner;
    if (tree.gap && tree.from !== null) {
      gaps.push({ afterStep: owners[tree.gap.after]?.row.id ?? null, beforeStep: row.id, from: tree.gap.from, to: tree.from });
    }
    const unknown = (tree.from === null || tree.to === null) && (record?.mayWrite ?? false);
    const running = at === owners.length - 1 && status !== 'idle';
    return {
      id: row.id,
      index: at + 1,
      turn: owner.turn,
      stop: owner.stop,
      from: tree.from,
      to: tree.to,
      toolCallIds: owner.calls.map((call) => call.id),
      tools: owner.calls.map((call) => call.name),
      listed: null,
      files: null,
      captured: unknown ? whyUnknown(anyTree, record?.ended ?? false, running) : null,
      at: row.at,
      durationMs: row.at === null || row.completedAt === null ? null : Math.max(0, row.completedAt - row.at),
      sideEffects: owner.calls.filter((call) => call.sideEffect !== null).length,
      hidden: owner.hidden,
    };
  });
  const cutOff = owners.flatMap(({ turn }, at) => (trees[at]?.borrowed && turn !== null ? [turn] : []));
  return { steps, gaps, cutOff };
}

function whyUnknown(anyTree: boolean, ended: boolean, running: boolean): Reason {
  if (!anyTree) return reason('NO_SNAPSHOTS');
  if (ended) return reason('TREE_EMPTY');
  return running ? reason('LOG_RUNNING', { what: 'this step' }) : reason('STEP_CUT_OFF');
}

function standingOf(placed: readonly Placed[], marker: RevertMarker | null): Standing | null {
  const hidden = placed.filter((message) => message.hidden?.reason === 'reverted');
  if (marker === null || hidden.length === 0) return null;
  const kept = placed.findLast((message) => message.hidden === null);
  return { messageId: kept?.row.id ?? '', stop: kept?.stop ?? 0, hidden: hidden.length, files: marker.files, now: marker.now };
}

function noticesOf(
  data: SessionData,
  steps: readonly Step[],
  root: string | null,
  marker: RevertMarker | null,
  cutOff: readonly number[],
): Reason[] {
  const notices: Reason[] = [];
  const { git, directory } = data.session;
  const none = steps.every((step) => step.from === null && step.to === null);
  if (steps.length > 0 && none) notices.push(reason('NO_SNAPSHOTS'));
  else if (git && root !== null && directory !== null && directory !== root && isWithin(root, directory)) {
    notices.push(reason('SUBFOLDER_SNAPSHOTS', { folder: directory }));
  }
  if (cutOff.length > 0) notices.push(reason('STEPS_END_LATER', { turns: [...new Set(cutOff)].join(', ') }));
  if (marker?.part) notices.push(reason('REVERT_INSIDE_TURN'));
  return notices;
}
