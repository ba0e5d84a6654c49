import type { ThreadView } from '../../shared/contract.ts';
import type { BadRecord, HiddenReason, Message } from '../../shared/model.ts';

/** `last` of a row that the cursor's line is never drawn under. */
export const NO_LINE = -2;

/** A row of the transcript. `at` and `last` are indexes in `view.messages`: the first message and the last one that it stands for. */
export type Row =
  | { kind: 'message'; key: string; at: number; last: number; message: Message }
  /** Messages that are not part of the conversation any more, folded into one row. */
  | { kind: 'group'; key: string; at: number; last: number; reason: HiddenReason; count: number; open: boolean }
  | { kind: 'divider'; key: string; at: number; last: number; divider: 'reset' | 'compaction' }
  | { kind: 'bad'; key: string; at: number; last: number; bad: BadRecord };

/** Messages that a standing revert hides stay as ghosts; those that are gone for another reason are folded. */
const folds = (message: Message): HiddenReason | null =>
  message.hidden === null || message.hidden.reason === 'reverted' ? null : message.hidden.reason;

/** Is it a record between the messages (a queue, a todo list), which stands for none of them? */
const isAside = (message: Message): boolean => message.hidden === null && message.stop === null;

/** The group that begins at a message: its last row, and how many messages it holds. Records between them are part of it. */
function groupFrom(messages: readonly Message[], at: number, reason: HiddenReason): { end: number; count: number } {
  let end = at;
  let count = 1;
  for (let next = at + 1; next < messages.length; next++) {
    const message = messages[next];
    if (message === undefined || message.divider !== null) break;
    if (folds(message) === reason) {
      end = next;
      count += 1;
    } else if (!isAside(message)) break;
  }
  return { end, count };
}

/** The rows of a view. A group is named after its first message; open ones are followed by their messages. */
export function rowsOf(view: ThreadView, openGroups: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const { messages } = view;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined) continue;
    if (message.divider !== null) rows.push({ kind: 'divider', key: `d:${message.id}`, at, last: NO_LINE, divider: message.divider });
    const reason = folds(message);
    if (reason === null) {
      rows.push({ kind: 'message', key: message.id, at, last: at, message });
      continue;
    }
    const { end, count } = groupFrom(messages, at, reason);
    const open = openGroups.has(message.id);
    rows.push({ kind: 'group', key: `g:${message.id}`, at, last: open ? NO_LINE : end, reason, count, open });
    if (open) {
      for (let row = at; row <= end; row++) {
        const inside = messages[row];
        if (inside !== undefined) rows.push({ kind: 'message', key: inside.id, at: row, last: row, message: inside });
      }
    }
    at = end;
  }
  const end = messages.length;
  for (const bad of view.bad) rows.push({ kind: 'bad', key: `b:${bad.line}`, at: end, last: NO_LINE, bad });
  return rows;
}

/** Position of the row that shows message `at` (or the group that folds it); the last one before it when there is none. */
export function positionOfMessage(rows: readonly Row[], at: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  let position = low - 1;
  while (position > 0 && rows[position]?.kind === 'bad') position -= 1;
  return position;
}
