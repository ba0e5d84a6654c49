import { CHAT_OPERATIONS } from '../../shared/undo-point.ts';
import { ThreadFold } from './fold.ts';
import type { LogRecord } from './records.ts';

/** A revert sees at least this many steps (seed: "A revert uses the last 500 steps of the thread. The log snapshot keeps them"). */
export const KEPT_STEPS = 500;

/** Records of a settled turn that no fold needs: the live feed, token counts, and results that the transcript repeats. */
const FEED = new Set(['harness.event', 'harness.usage', 'harness.tool.started', 'harness.tool.result']);

/** What we can move without changing what a reader folds. */
const KNOWN =
  /^(?:harness\.(?:event|transcript|input(?:\.\w+)?|tool\.(?:started|result)|usage|revert)|tanstack\/snapshots:step|turnback\/.+)$/;

/**
 * The records of an idle log without its older history, for `keepLogRecords: 'since-snapshot'`: a reader folds the same messages, the same
 * standing revert, the same undo point and at least the last 500 steps from them. No record of a new kind that readers must know: what
 * lies before the first kept turn becomes one `harness.transcript` from nothing, and the feed of settled turns goes. A `turnback/cut`
 * record after the first says how many records went in all. Null when nothing may or need be cut.
 */
export function cutRecords(threadId: string, all: readonly LogRecord[], at: number): LogRecord[] | null {
  const own = all.every(({ type, thread }) => KNOWN.test(type) && (thread === undefined || thread === threadId));
  const whole = new ThreadFold(threadId);
  for (const record of all) whole.add(record);
  if (!own || whole.openTurns().length > 0) return null;
  const from = firstKept(threadId, all);
  const before = new ThreadFold(threadId);
  for (const record of all.slice(0, from)) before.add(record);
  const workspace = all.find(({ type }) => type === 'turnback/workspace' || type === 'turnback/workspace-elsewhere');
  // A prompt may have been sent before the first kept turn began and have run after it.
  const waiting = all
    .slice(0, from)
    .filter((record) => record.type === 'harness.input' && before.inputs.get(String(record['inputId']))?.status === 'pending');
  const kept = all.slice(from).filter((record) => !FEED.has(record.type) && record !== workspace && record.type !== 'turnback/cut');
  const head = before.messages.length === 0 ? [] : [{ type: 'harness.transcript', keep: 0, add: before.messages }];
  const earlier = all.findLast(({ type }) => type === 'turnback/cut')?.['dropped'];
  const rest = [...(workspace ? [workspace] : []), ...head, ...waiting, ...kept];
  const dropped = all.filter(({ type }) => type !== 'turnback/cut').length - rest.length;
  if (dropped <= 0) return null;
  const cut = { type: 'turnback/cut', dropped: dropped + (typeof earlier === 'number' ? earlier : 0), at };
  return [...rest.slice(0, workspace ? 1 : 0), cut, ...rest.slice(workspace ? 1 : 0)];
}

/** Where the newest turn begins that has {@link KEPT_STEPS} steps in it and after it; 0 when the log has fewer. */
function firstKept(threadId: string, all: readonly LogRecord[]): number {
  const chat = new Set<unknown>();
  for (const record of all) {
    const op = (record['input'] as { op?: unknown } | undefined)?.op;
    if (record.type === 'harness.input' && CHAT_OPERATIONS.includes(String(op))) chat.add(record['inputId']);
  }
  let steps = 0;
  for (let index = all.length - 1; index >= 0; index--) {
    const record = all[index];
    if (record?.type === 'tanstack/snapshots:step') steps += 1;
    const begins = record?.type === 'harness.input.applied' && chat.has(record['inputId']);
    if (begins && steps >= KEPT_STEPS && !standsAcross(threadId, all, index)) return index;
  }
  return 0;
}

/** A revert that stands at this place would be told by a record that goes; such a place is no place to cut. */
function standsAcross(threadId: string, all: readonly LogRecord[], index: number): boolean {
  const fold = new ThreadFold(threadId);
  for (const record of all.slice(0, index)) fold.add(record);
  return fold.revert !== null;
}
