import type { Entry } from './message-entry.ts';
import { type JsonObject, numberField, textField, textsField } from './record.ts';
import type { StepRecord } from './step-record.ts';
import type { Transcript, TranscriptChange } from './transcript.ts';
import type { TurnState } from './turn-state.ts';

/** The files of a turn: every path its steps list, and the trees around them. */
export interface TurnFiles {
  from: string | null;
  to: string | null;
  files: string[];
}

/** What an undo took away. */
export interface UndoneTurn extends TurnFiles {
  keep: number;
  entries: Entry[];
  turn: TurnState | null;
}

/** The union of the files that a turn's usable steps list, in the order they appear, and its first and last tree. */
export function filesOfTurn(steps: readonly StepRecord[], turn: TurnState | null): TurnFiles {
  const own = steps.filter((step) => step.whole && turn !== null && step.turn === turn);
  const files = [...new Set(own.flatMap((step) => step.files ?? []))];
  return { from: own[0]?.from ?? null, to: own.at(-1)?.to ?? null, files };
}

/** What our own record beside an undo says: the harness's undo leaves only the trees of the steps. */
function filesOfPoint(point: JsonObject): TurnFiles | null {
  const files = textsField(point, 'files');
  return files === null ? null : { from: textField(point, 'from'), to: textField(point, 'to'), files };
}

/**
 * One level of undo, read from the log: the harness keeps its own point in memory only, so it is told from what a `/undo`
 * leaves behind (`formats/tanstack.md`, undo history), or from Turnback's record right before the truncation.
 */
export class UndoState {
  /** What a redo would bring back. */
  undone: UndoneTurn | null = null;
  /** False after an undo, until a new turn or a redo: there is only one level. */
  ready = true;
  #point: JsonObject | null = null;

  /** Our own record says that the next truncation is an undo. */
  announce(point: JsonObject): void {
    this.#point = point;
  }

  /** Is the truncation to `keep` messages an undo? `command`: an undo command of the harness runs. */
  isUndo(keep: number, add: readonly unknown[], removed: Entry | undefined, command: boolean): boolean {
    if (add.length > 0 || removed === undefined) return false;
    if (this.#point !== null && numberField(this.#point, 'keep') === keep) return true;
    return command && removed.content.role === 'user';
  }

  /** The transcript changed; `undo`: by an undo. */
  changed(change: TranscriptChange, undo: boolean, transcript: Transcript, steps: readonly StepRecord[]): void {
    if (undo && change.removed.length > 0) {
      const turn = change.removed[0]?.turn ?? null;
      const files = (this.#point && filesOfPoint(this.#point)) ?? filesOfTurn(steps, turn);
      this.undone = { ...files, keep: transcript.live.length, entries: change.removed, turn };
      this.ready = false;
    } else if (this.undone?.entries.some((entry) => change.revived.includes(entry))) {
      this.undone = null;
      this.ready = true;
    }
    this.#point = null;
  }

  /** A new turn clears what redo needs. */
  turnStarted(): void {
    this.undone = null;
    this.ready = true;
  }
}
