import { TurnbackError } from '../../../shared/errors.ts';
import type { LogRecord, RedoPoint, UndoPoint } from '../source.ts';
import type { LogFold } from './log-fold.ts';
import { redoPointOf, undoPointOf } from './undo-points.ts';

/** The records that a travel leaves in a log, exactly as the harness writes them, plus our own ones for undo and redo. */
export class TravelRecords {
  readonly #log: LogFold;

  constructor(log: LogFold) {
    this.#log = log;
  }

  /** A record names its thread only when that is not the log's own (`formats/tanstack.md`, shared logs). */
  #own(record: LogRecord): LogRecord {
    const { threadId, logId } = this.#log;
    return threadId === logId ? record : { ...record, thread: threadId };
  }

  #event(messageId: string | null, at: number): LogRecord {
    const event = { type: 'CUSTOM', name: 'harness.revert', value: { messageId }, timestamp: at };
    return this.#own({ type: 'harness.event', operationId: 'session', event });
  }

  /**
   * The records of a revert to `stop` (revert algorithm, step 6); when one stands, its end first. Throws STOP_FIRST_MESSAGE,
   * STOP_WITHOUT_ID or UNKNOWN_MESSAGE for a stop where the harness cannot stand.
   */
  revert(target: { stop: number; now: string | null; files: readonly string[] | null; at: number }): LogRecord[] {
    const { stop, now, files, at } = target;
    const { live } = this.#log.thread.transcript;
    if (stop === 0) throw new TurnbackError('STOP_FIRST_MESSAGE');
    const entry = live[stop - 1];
    if (entry === undefined) throw new TurnbackError('UNKNOWN_MESSAGE', { id: `stop:${stop}` });
    const messageId = entry.content.id;
    const first = live.findIndex((one) => one.content.id === messageId);
    if (messageId === null || first !== stop - 1) throw new TurnbackError('STOP_WITHOUT_ID');
    const revert = now !== null && files !== null ? { messageId, files: { now, files: [...files] } } : { messageId };
    const end = this.#log.thread.revert === null ? [] : [this.#own({ type: 'harness.revert', revert: null })];
    return [...end, this.#own({ type: 'harness.revert', revert }), this.#event(messageId, at)];
  }

  /** The end of a standing revert, and the notes that waited for it as messages (unrevert algorithm). Throws NO_STANDING_REVERT. */
  unrevert(at: number): LogRecord[] {
    const { revert, notes, transcript } = this.#log.thread;
    if (revert === null) throw new TurnbackError('NO_STANDING_REVERT');
    const add = [...notes].map(([id, content]) => ({ id, role: 'assistant', content }));
    const waited = add.length === 0 ? [] : [this.#own({ type: 'harness.transcript', keep: transcript.live.length, add })];
    return [this.#own({ type: 'harness.revert', revert: null }), this.#event(null, at), ...waited];
  }

  undoPoint(): UndoPoint | null {
    return undoPointOf(this.#log.thread);
  }

  /** The truncation, then our own record with what redo needs (`shared/undo-point.ts`). Throws NOTHING_TO_UNDO when it does not fit. */
  undo(point: UndoPoint): LogRecord[] {
    const removed = this.#log.thread.transcript.live.slice(point.keep);
    const messages = removed.flatMap((entry) => entry.message ?? []);
    if (removed.length === 0 || messages.length !== removed.length) throw new TurnbackError('NOTHING_TO_UNDO');
    const { keep, from, to, files } = point;
    return [
      this.#own({ type: 'harness.transcript', keep, add: [] }),
      this.#own({ type: 'turnback/undo-point', state: 'undone', keep, from, to, files, messages }),
    ];
  }

  redoPoint(): RedoPoint | null {
    return redoPointOf(this.#log.thread);
  }

  /** The same messages again, then our own record that the turn can be undone. */
  redo(point: RedoPoint): LogRecord[] {
    const { keep, from, to, files, messages } = point;
    return [
      this.#own({ type: 'harness.transcript', keep, add: messages }),
      this.#own({ type: 'turnback/undo-point', state: 'done', keep, from, to, files }),
    ];
  }
}
