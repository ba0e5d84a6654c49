import { z } from 'zod';

const tree = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/**
 * Our own record in a log of the harness's format: what undo and redo of the last turn need after a restart, in another
 * process and in the viewer. The harness ignores it, because its type has no `harness.` prefix (formats/tanstack.md 3, 11.4).
 *
 * - The recorder writes one with state `done` in the batch that settles a turn.
 * - An undo writes one with state `undone` and then `harness.transcript { keep, add: [] }`, in one batch.
 * - A redo writes one with state `done` and then `harness.transcript { keep, add: messages }`, in one batch.
 *
 * The newest one counts, until a new turn is applied ({@link foldUndoPoint}) or the messages do not fit any more ({@link undoable}, {@link redoable}).
 */
export const undoPointSchema = z.object({
  type: z.literal('turnback/undo-point'),
  /** As on any record: the thread, when it is not the log's own. */
  thread: z.string().optional(),
  state: z.enum(['done', 'undone']),
  /** Messages of the folded list that stay when the turn is undone: the index of its last user message (a steer counts). */
  keep: z.number().int().nonnegative(),
  /**
   * Trees before and after the turn. Only `files` count in them: in `from` each listed file is as it was just before the turn's own
   * run first changed it, in `to` as the turn left it. Both null: the turn has no snapshots, `files` is empty.
   */
  from: tree.nullable(),
  to: tree.nullable(),
  /** Tree paths that the turn changed, in first-seen order; exactly these an undo or redo may write. */
  files: z.array(z.string()),
  /** State `undone` only: the messages that the undo removed, as the log had them. */
  messages: z.array(z.unknown()).optional(),
});
export type UndoPoint = z.infer<typeof undoPointSchema>;

/** The input operations that make a turn, so that one that is applied ends the undo point before it (formats/tanstack.md 3.3, 12.4). */
export const CHAT_OPERATIONS: readonly string[] = ['prompt', 'steer', 'followUp', 'continue', 'resolve', 'reset'];

/** The undo point after one more record of the thread. `isChat` tells whether an input id belongs to a chat operation. */
export function foldUndoPoint(
  point: UndoPoint | null,
  record: { readonly type: string; readonly [key: string]: unknown },
  isChat: (inputId: string) => boolean,
): UndoPoint | null {
  if (record.type === 'turnback/undo-point') return undoPointSchema.safeParse(record).data ?? null;
  if (record.type !== 'harness.input.applied') return point;
  const inputId = record['inputId'];
  return typeof inputId === 'string' && isChat(inputId) ? null : point;
}

interface Role {
  readonly role?: unknown;
}

/** True when an undo may act on the point: it is done, and its user message is where it was in the folded messages. */
export function undoable(point: UndoPoint | null, messages: readonly Role[]): point is UndoPoint {
  return point !== null && point.state === 'done' && messages[point.keep]?.role === 'user';
}

/** True when a redo may act on the point: it is undone, and nothing was added to the folded messages since. */
export function redoable(
  point: UndoPoint | null,
  messages: readonly Role[],
): point is UndoPoint & { readonly messages: readonly unknown[] } {
  return point !== null && point.state === 'undone' && messages.length === point.keep && point.messages !== undefined;
}
