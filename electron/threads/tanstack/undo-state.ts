import { type UndoPoint, undoPointSchema } from '../../../shared/undo-point.ts';
import type { Entry } from './message-entry.ts';
import type { JsonObject } from './record.ts';
import type { StepRecord } from './step-record.ts';
import type { TranscriptChange } from './transcript.ts';
import type { TurnState } from './turn-state.ts';

/** The files of a turn: every path its steps list, and the trees around them. */
export interface TurnFiles {
  from: string | null;
  to: string | null;
  files: string[];
}

/** What an undo of the harness took away. */
export interface UndoneTurn extends TurnFiles {
  keep: number;
  entries: Entry[];
}

/** The union of the files that a turn's usable steps list, in the order they appear, and its first and last tree. */
export function filesOfTurn(steps: readonly StepRecord[], turn: TurnState | null): TurnFiles {
  const own = steps.filter((step) => step.whole && turn !== null && step.turn === turn);
  const files = [...new Set(own.flatMap((step) => step.files ?? []))];
  return { from: own[0]?.from ?? null, to: own.at(-1)?.to ?? null, files };
}

/**
 * One level of undo, read from the log. Turnback's own records say it outright (`shared/undo-point.ts`). The harness keeps its
 * point in memory only, so it is told from what a `/undo` leaves behind (`formats/tanstack.md`, undo history).
 */
export class UndoState {
  /** The newest record of ours; null after a new turn. */
  point: UndoPoint | null = null;
  /** What a redo would bring back, where no record of ours says it. */
  undone: UndoneTurn | null = null;
  /** False after an undo, until a new turn or a redo: there is only one level. */
  ready = true;
  #last: { keep: number; removed: Entry[] } | null = null;

  /** Our own record. True when it tells that the truncation before it was an undo. */
  record(record: JsonObject): boolean {
    this.point = undoPointSchema.safeParse(record).data ?? null;
    if (this.point === null) return false;
    this.undone = null;
    this.ready = this.point.state === 'done';
    const last = this.#last;
    if (this.ready || last === null || last.keep !== this.point.keep) return false;
    for (const entry of last.removed) if (entry.gone !== null) entry.gone = 'undone';
    return true;
  }

  /** The transcript changed, keeping `keep` messages; `undo`: by an undo of the harness. True when a level was used or came back. */
  changed(change: TranscriptChange, keep: number, undo: boolean, steps: readonly StepRecord[]): boolean {
    this.#last = { keep, removed: change.removed };
    if (undo && change.removed.length > 0) {
      this.undone = { ...filesOfTurn(steps, change.removed[0]?.turn ?? null), keep, entries: change.removed };
      this.ready = false;
      return true;
    }
    if (!this.undone?.entries.some((entry) => change.revived.includes(entry))) return false;
    this.undone = null;
    this.ready = true;
    return true;
  }

  /** A new turn clears what undo and redo know. */
  turnStarted(): void {
    this.point = null;
    this.undone = null;
    this.ready = true;
    this.#last = null;
  }
}
