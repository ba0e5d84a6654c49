import { type Reason, reason } from '../../../shared/errors.ts';
import type { LogRecord, LogWriter, RedoPoint, UndoPoint } from '../source.ts';
import type { LogFold } from './log-fold.ts';
import { foldRefusals, lockRefusal } from './refusals.ts';
import type { TanstackStore } from './store.ts';
import { TravelRecords } from './travel-records.ts';

/** What the writer needs to know of its thread, as of the last read. */
export interface WriterView {
  readonly store: TanstackStore;
  log(): LogFold;
  waiting(): boolean;
  repository(): { gitDir: string; objects: string } | null;
  /** The workspace cannot be confirmed, or the repository is named after another one. */
  workspaceReason(): Reason | null;
  liveSign(): Promise<string | null>;
}

/** Keeps travels in the agent's own log (`formats/tanstack.md`, safe outside revert). */
export class TanstackWriter implements LogWriter {
  readonly #view: WriterView;

  constructor(view: WriterView) {
    this.#view = view;
  }

  get objects(): string | null {
    return this.#view.repository()?.objects ?? null;
  }

  async refusals(): Promise<Reason[]> {
    const view = this.#view;
    const reasons = foldRefusals(view.log(), { torn: view.store.input.torn, waiting: view.waiting() });
    reasons.push(...(await view.store.refusals()));
    const workspace = view.workspaceReason();
    if (workspace) reasons.push(workspace);
    const lock = await lockRefusal(view.repository()?.gitDir ?? null);
    if (lock) reasons.push(lock);
    // What the log itself says is enough; a look at other programs takes its time.
    if (reasons.length > 0) return reasons;
    const sign = await view.liveSign();
    if (sign !== null) return [reason('LOG_LIVE', { sign })];
    return (await this.unmoved()) ? [] : [reason('LOG_MOVED')];
  }

  position(): string {
    return this.#view.store.position();
  }

  unmoved(): Promise<boolean> {
    return this.#view.store.unmoved();
  }

  append(batch: readonly LogRecord[]): Promise<void> {
    return this.#view.store.append(batch);
  }

  withdraw(position: string, batch: readonly LogRecord[]): Promise<void> {
    return this.#view.store.withdraw(position, batch);
  }

  revert(target: { stop: number; now: string | null; files: readonly string[] | null; at: number }): LogRecord[] {
    return this.#records().revert(target);
  }

  unrevert(at: number): LogRecord[] {
    return this.#records().unrevert(at);
  }

  undoPoint(): UndoPoint | null {
    return this.#records().undoPoint();
  }

  undo(point: UndoPoint, _at: number): LogRecord[] {
    return this.#records().undo(point);
  }

  redoPoint(): RedoPoint | null {
    return this.#records().redoPoint();
  }

  redo(point: RedoPoint, _at: number): LogRecord[] {
    return this.#records().redo(point);
  }

  #records(): TravelRecords {
    return new TravelRecords(this.#view.log());
  }
}
