import { type Reason, reason } from '../../../shared/errors.ts';
import type { Gap, Message, Step, Thread, ThreadHead, ThreadStatus, ToolCall, Turn } from '../../../shared/model.ts';
import type { ClaudeLog } from './claude-log.ts';
import { type MessageRow, messageRows, type Rows } from './message-rows.ts';
import type { recordedTrees } from './recorded-trees.ts';
import type { StepTrees } from './step-trees.ts';

const EXCERPT = 240;

/** What the fold needs besides the log. */
export interface FoldInput {
  log: ClaudeLog;
  head: ThreadHead;
  status: ThreadStatus;
  trees: ReadonlyMap<string, StepTrees>;
  /** What the agent's hooks recorded of whole workspaces. */
  recordings: ReturnType<typeof recordedTrees>;
  /** Sub-agents whose logs are there. */
  agents: ReadonlySet<string>;
}

export interface ClaudeFold {
  thread: Thread;
  rows: Map<string, MessageRow>;
  results: Rows['results'];
}

/** A message and the row that it was made of. */
interface Made {
  row: MessageRow;
  message: Message;
}

/** The thread that a log of Claude Code makes (formats/opencode-and-claude-code.md Part 2 and 3). Pure. */
export function foldClaude(input: FoldInput): ClaudeFold {
  const { rows, results, interrupted } = messageRows(input.log);
  const { recordings } = input;
  const turnIndex = new Map(rows.filter((row) => row.role === 'user').map((row, at) => [row.id, at + 1]));
  let stop = 0;
  let prompt: string | null = null;
  const made = rows.map((row): Made => {
    if (!row.dropped) stop += 1;
    if (row.role === 'user') prompt = row.id;
    // The tool's own words after a compaction hang on a record far above; they are in no turn.
    const of = row.prompt === prompt || row.role === 'assistant' ? row.prompt : null;
    const turn = of === null ? null : (turnIndex.get(of) ?? null);
    return { row, message: messageOf(row, { stop: row.dropped ? null : stop, turn }, input, results) };
  });
  const messages = made.map(({ message }) => message);
  const steps = stepsOf(made, input);
  const turns = turnsOf(made, interrupted, input.status);
  return {
    thread: {
      head: input.head,
      status: input.status,
      standing: null,
      turns,
      steps,
      messages,
      gaps: gapsOf(steps, new Set(recordings.steps.keys())),
      bad: input.log.bad,
      notices: noticesOf(input, messages),
      keeps: 'overlay',
    },
    rows: new Map(rows.map((row) => [row.id, row])),
    results,
  };
}

function messageOf(
  row: MessageRow,
  { stop, turn }: { stop: number | null; turn: number | null },
  input: FoldInput,
  results: Rows['results'],
): Message {
  const calls = row.entries.flatMap((entry) => entry.calls.map((call) => ({ call, at: entry.tree.at })));
  return {
    stop,
    id: row.id,
    role: row.role,
    turn,
    step: row.role === 'assistant' ? row.id : null,
    at: row.entries[0]?.tree.at ?? null,
    excerpt: row.entries
      .flatMap(({ excerpt }) => (excerpt === '' ? [] : [excerpt]))
      .join('\n')
      .slice(0, EXCERPT),
    bytes: row.entries.reduce((sum, entry) => sum + entry.bytes, 0),
    images: row.entries.reduce((sum, entry) => sum + entry.images, 0),
    thinking: row.entries.some((entry) => entry.thinking),
    tools: calls.map(({ call, at }): ToolCall => {
      const result = results.get(call.id)?.facts;
      const child = result?.agent?.id ?? null;
      return {
        ...call,
        // A file tool that failed wrote nothing.
        wrote: result?.failed && call.wrote !== null ? [] : call.wrote,
        status: result ? (result.failed ? 'failed' : 'done') : input.status === 'idle' ? 'lost' : 'running',
        durationMs: result?.at != null && at !== null ? Math.max(0, result.at - at) : null,
        outputBytes: result?.bytes ?? null,
        child: child !== null && input.agents.has(child) ? child : null,
      };
    }),
    hidden: row.dropped ? { reason: 'dropped' } : null,
    divider: row.divider ? 'compaction' : null,
    canStand: stop === null ? reason('STOP_DROPPED') : true,
  };
}

function stepsOf(made: readonly Made[], { trees, recordings }: FoldInput): Step[] {
  const owners = made.filter(({ message }) => message.role === 'assistant');
  return owners.map(({ message, row }, at): Step => {
    const told = trees.get(message.id);
    const recorded = recordings.steps.get(message.id);
    const failed = recordings.failed.get(message.id) ?? null;
    const last = row.entries.at(-1)?.tree.at ?? null;
    return {
      id: message.id,
      index: at + 1,
      turn: message.turn,
      stop: message.stop,
      from: recorded?.from ?? told?.from ?? null,
      to: recorded?.to ?? told?.to ?? null,
      toolCallIds: message.tools.map((call) => call.id),
      tools: message.tools.map((call) => call.name),
      // What a shell command changed is told by the trees alone.
      listed: recorded && !recorded.reporting ? null : [...(told?.listed ?? [])],
      files: null,
      captured: recorded ? null : (failed ?? unknownIn(told)),
      at: message.at,
      durationMs: message.at === null || last === null ? null : Math.max(0, last - message.at),
      sideEffects: message.tools.filter((call) => call.sideEffect !== null).length,
      hidden: message.hidden,
    };
  });
}

/** Why a step's files cannot be told from the log; null when they can. */
function unknownIn(told: StepTrees | undefined): Reason | null {
  if (!told || told.unknown.length === 0) return null;
  return reason('CONTENT_UNKNOWN', { files: told.unknown.slice(0, 3).join(', ') });
}

function turnsOf(made: readonly Made[], interrupted: ReadonlySet<string>, status: ThreadStatus): Turn[] {
  // Each prompt begins a turn, in the order of the log; a record may hang on one that comes later.
  const turns = made.filter(({ message }) => message.role === 'user').map((prompt) => ({ prompt, own: [] as Made[] }));
  for (const one of made) if (one.message.turn !== null) turns[one.message.turn - 1]?.own.push(one);
  const last = made.findLast(({ message }) => message.stop !== null)?.message.turn;
  return turns.map(({ prompt, own }, at): Turn => {
    const index = at + 1;
    const stops = own.flatMap(({ message }) => message.stop ?? []);
    const answers = own.filter(({ message }) => message.role === 'assistant');
    const running = index === last && status !== 'idle' && status !== 'unknown';
    return {
      index,
      id: prompt.row.id,
      prompt: prompt.message.excerpt,
      startedAt: prompt.message.at,
      status: running ? 'running' : interrupted.has(prompt.row.id) ? 'aborted' : endOf(answers.at(-1)?.row),
      steps: answers.map(({ row }) => row.id),
      firstStop: stops.length === 0 ? null : Math.min(...stops) - 1,
      lastStop: stops.length === 0 ? null : Math.max(...stops),
      hidden: own.every(({ message }) => message.hidden !== null) ? prompt.message.hidden : null,
    };
  });
}

/** How a turn ended, by the last record of its last answer; each record of an answer carries the same reason. */
function endOf(answer: MessageRow | undefined): Turn['status'] {
  const stopped = answer?.entries.at(-1)?.tree.stopReason ?? null;
  return stopped === 'tool_use' ? 'interrupted' : stopped === null ? 'unknown' : 'completed';
}

/** A tree that was recorded holds the whole workspace, one from the log only what tools touched: the two cannot be compared. */
function gapsOf(steps: readonly Step[], recorded: ReadonlySet<string>): Gap[] {
  return steps.flatMap((step, at) => {
    const before = steps[at - 1];
    if (!before || before.to === null || step.from === null || before.to === step.from) return [];
    if (recorded.has(before.id) !== recorded.has(step.id)) return [];
    return [{ afterStep: before.id, beforeStep: step.id, from: before.to, to: step.from }];
  });
}

function noticesOf({ log, head, recordings }: FoldInput, messages: readonly Message[]): Thread['notices'] {
  const notices: Thread['notices'] = [];
  if (log.torn > 0) notices.push(reason('LOG_TORN', { bytes: log.torn }));
  const ran = messages.filter((message) => message.tools.some((call) => call.wrote === null && call.status !== 'lost'));
  const shell = ran.some((message) => !recordings.steps.has(message.id));
  if (shell) notices.push(reason('FILE_TOOLS_ONLY', { path: head.root ?? '' }));
  return notices;
}
