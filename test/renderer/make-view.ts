import type { ThreadView } from '../../shared/contract.ts';
import type { FileChange, Message, Step, ThreadHead, ToolCall, Turn } from '../../shared/model.ts';

/** One message, in the few words a test needs. */
export interface Say {
  role: Message['role'];
  text: string;
  tools?: readonly Partial<ToolCall>[];
  files?: readonly (Partial<FileChange> & { path: string })[];
  hidden?: NonNullable<Message['hidden']>['reason'];
  divider?: Message['divider'];
  canStand?: Message['canStand'];
  thinking?: boolean;
}

export const headOf = (over: Partial<ThreadHead> = {}): ThreadHead => ({
  id: 'tanstack:t1',
  source: 'tanstack',
  title: 'Fix the login form',
  root: '/home/ann/shop',
  log: '/home/ann/.harness/sessions/t1.jsonl',
  threadId: 't1',
  parent: null,
  updatedAt: 1_790_000_000_000,
  size: 104_000,
  ...over,
});

const callOf = (id: string, over: Partial<ToolCall>): ToolCall => ({
  id,
  name: 'edit_file',
  summary: 'src/login.ts',
  status: 'done',
  sideEffect: null,
  wrote: [],
  durationMs: 120,
  outputBytes: 40,
  child: null,
  ...over,
});

const hex = (value: number): string => value.toString(16).padStart(40, '0');

/** A whole view out of what was said: turns begin at prompts, a message with files makes a step, stops count what can be stood at. */
export function makeView(says: readonly Say[], over: Partial<ThreadView> = {}): ThreadView {
  const messages: Message[] = [];
  const turns: Turn[] = [];
  const steps: Step[] = [];
  let stop = 0;
  says.forEach((say, at) => {
    const id = `m${at + 1}`;
    const gone = say.hidden !== undefined && say.hidden !== 'reverted';
    if (!gone) stop += 1;
    const time = 1_790_000_000_000 + at * 60_000;
    if (say.role === 'user') {
      turns.push({
        index: turns.length + 1,
        id: `turn${turns.length + 1}`,
        prompt: say.text.slice(0, 240),
        startedAt: time,
        status: 'completed',
        steps: [],
        firstStop: gone ? null : stop - 1,
        lastStop: gone ? null : stop,
        hidden: say.hidden === undefined ? null : { reason: say.hidden },
      });
    }
    const turn = turns.at(-1);
    if (turn !== undefined && !gone) turn.lastStop = stop;
    const tools = (say.tools ?? (say.files === undefined ? [] : [{}])).map((tool, order) => callOf(`${id}c${order + 1}`, tool));
    const step = say.files === undefined && say.tools === undefined ? null : `s${steps.length + 1}`;
    if (step !== null) {
      turn?.steps.push(step);
      const files = (say.files ?? []).map((file): FileChange => ({ change: 'modified', added: 4, removed: 1, binary: false, ...file }));
      steps.push({
        id: step,
        index: steps.length + 1,
        turn: turn?.index ?? null,
        stop: gone ? null : stop,
        from: hex(steps.length),
        to: hex(steps.length + 1),
        toolCallIds: tools.map((tool) => tool.id),
        tools: tools.map((tool) => tool.name),
        listed: files.map((file) => file.path),
        files,
        captured: true,
        at: time,
        durationMs: 2400,
        sideEffects: tools.filter((tool) => tool.sideEffect !== null).length,
        hidden: say.hidden === undefined ? null : { reason: say.hidden },
      });
    }
    messages.push({
      stop: gone ? null : stop,
      id,
      role: say.role,
      turn: turn?.index ?? null,
      step,
      at: time,
      excerpt: say.text.slice(0, 240),
      bytes: new TextEncoder().encode(say.text).length,
      images: 0,
      thinking: say.thinking ?? false,
      tools,
      hidden: say.hidden === undefined ? null : { reason: say.hidden },
      divider: say.divider ?? null,
      canStand: say.canStand ?? true,
    });
  });
  return {
    head: headOf(),
    status: 'idle',
    standing: null,
    turns,
    steps,
    messages,
    gaps: [],
    bad: [],
    notices: [],
    keeps: 'log',
    can: { revert: true, unrevert: { code: 'NO_STANDING_REVERT', message: 'No revert stands.' }, undo: true, redo: true, patch: true },
    ...over,
  };
}
