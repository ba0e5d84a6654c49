import { redoable, undoable } from '../../../shared/undo-point.ts';
import type { RedoPoint, UndoPoint } from '../source.ts';
import type { ThreadFold } from './thread-fold.ts';
import { filesOfTurn } from './undo-state.ts';

/**
 * What an undo of the last turn would act on (`formats/tanstack.md`, undo algorithm): messages from the last user message on,
 * a steer included, and the files of the whole turn. Null when there is nothing to undo.
 */
export function undoPointOf(fold: ThreadFold): UndoPoint | null {
  const { live } = fold.transcript;
  const roles = live.map((entry) => entry.content);
  const { point, ready } = fold.undo;
  if (point !== null) {
    if (!undoable(point, roles)) return null;
    const { keep, from, to, files } = point;
    return { keep, from, to, files, turn: live[keep]?.turn?.index ?? 0 };
  }
  // A recorder that left no point knows of changes in the turn that are in no step: an undo would only do half of it.
  if (!ready || fold.recorded) return null;
  const keep = live.findLastIndex((entry) => entry.content.role === 'user');
  const last = live[keep];
  if (last === undefined || last.content.reset || last.head || last.turn === null) return null;
  return { keep, ...filesOfTurn(fold.steps, last.turn), turn: last.turn.index };
}

/** What a redo would bring back, with the messages byte for byte; null when there is nothing to redo. */
export function redoPointOf(fold: ThreadFold): RedoPoint | null {
  const { live } = fold.transcript;
  const { point, undone } = fold.undo;
  if (point !== null) {
    const roles = live.map((entry) => entry.content);
    if (!redoable(point, roles)) return null;
    const { keep, from, to, files, messages } = point;
    return { keep, from, to, files, messages: [...messages] };
  }
  if (undone === null || undone.keep !== live.length) return null;
  const messages = undone.entries.map((entry) => entry.message);
  if (messages.includes(null)) return null;
  return { keep: undone.keep, from: undone.from, to: undone.to, files: undone.files, messages };
}
