import type { ThreadView } from '../../shared/contract.ts';
import type { Message, Step, ToolCall, Turn } from '../../shared/model.ts';

/** A place where the cursor can be. */
export interface Stop {
  stop: number;
  /** Index in `view.messages` of the message it stands after; -1 for stop 0. */
  row: number;
  /** How many rows lie before it where it is drawn: records that only follow the last message belong to it. */
  boundary: number;
  /** May the conversation stand here? Stop 0 is left to the plan, which says why not. */
  can: boolean;
  /** A step that changed files ends here. */
  changed: boolean;
  /** A user's message begins right after it. */
  beforePrompt: boolean;
  /** What lies after it and is not hidden for good: messages, distinct changed files, side effects. */
  messagesAfter: number;
  filesAfter: number;
  effectsAfter: number;
}

/** Look-ups over one view of a thread, made once for it, so that moving the cursor costs the same in any thread. */
export interface ThreadIndex {
  /** Ascending, stop 0 first. */
  stops: readonly Stop[];
  rowOf: ReadonlyMap<string, number>;
  turns: ReadonlyMap<number, Turn>;
  steps: ReadonlyMap<string, Step>;
  stepsOfTurn: ReadonlyMap<number, readonly Step[]>;
  /** Steps by the message that made their calls (its stop). */
  stepsAt: ReadonlyMap<number, readonly Step[]>;
  calls: ReadonlyMap<string, { call: ToolCall; message: Message }>;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** The paths a step changed, as far as they are known. */
export function pathsOfStep(step: Step): readonly string[] {
  return step.files?.map((file) => file.path) ?? step.listed ?? [];
}

function stopsOf(view: ThreadView, stepsAt: ReadonlyMap<number, readonly Step[]>): Stop[] {
  const stops: Stop[] = [
    { stop: 0, row: -1, boundary: 0, can: true, changed: false, beforePrompt: true, messagesAfter: 0, filesAfter: 0, effectsAfter: 0 },
  ];
  view.messages.forEach((message, row) => {
    if (message.stop === null) return;
    const can = message.canStand === true;
    const changed = (stepsAt.get(message.stop) ?? []).some((step) => pathsOfStep(step).length > 0);
    stops.push({
      stop: message.stop,
      row,
      boundary: row + 1,
      can,
      changed,
      beforePrompt: false,
      messagesAfter: 0,
      filesAfter: 0,
      effectsAfter: 0,
    });
  });
  stops.sort((a, b) => a.stop - b.stop);
  const end = stops.at(-1);
  const rest = end === undefined ? [] : view.messages.slice(end.boundary);
  if (end !== undefined && rest.every((message) => message.stop === null && message.hidden === null)) end.boundary = view.messages.length;
  const paths = new Set<string>();
  let messages = 0;
  let effects = 0;
  for (let at = stops.length - 1; at >= 0; at--) {
    const stop = stops[at];
    if (stop === undefined) continue;
    stop.messagesAfter = messages;
    stop.filesAfter = paths.size;
    stop.effectsAfter = effects;
    const next = stops[at + 1];
    stop.beforePrompt = next !== undefined && view.messages[next.row]?.role === 'user';
    if (stop.row >= 0) messages += 1;
    for (const step of stepsAt.get(stop.stop) ?? []) {
      for (const path of pathsOfStep(step)) paths.add(path);
      effects += step.sideEffects;
    }
  }
  return stops;
}

/** The index of a view; of nothing, an index with stop 0 only. */
export function indexThread(view: ThreadView | null): ThreadIndex {
  const rowOf = new Map<string, number>();
  const turns = new Map<number, Turn>();
  const steps = new Map<string, Step>();
  const stepsOfTurn = new Map<number, Step[]>();
  const stepsAt = new Map<number, Step[]>();
  const calls = new Map<string, { call: ToolCall; message: Message }>();
  if (view === null) return { stops: [], rowOf, turns, steps, stepsOfTurn, stepsAt, calls };
  view.messages.forEach((message, row) => {
    rowOf.set(message.id, row);
    for (const call of message.tools) calls.set(call.id, { call, message });
  });
  for (const turn of view.turns) turns.set(turn.index, turn);
  for (const step of view.steps) {
    steps.set(step.id, step);
    if (step.turn !== null) push(stepsOfTurn, step.turn, step);
    if (step.stop !== null) push(stepsAt, step.stop, step);
  }
  return { stops: stopsOf(view, stepsAt), rowOf, turns, steps, stepsOfTurn, stepsAt, calls };
}
