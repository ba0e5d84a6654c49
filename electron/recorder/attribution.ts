import type { TreePath } from '../../shared/tree-path.ts';
import type { StepRecord } from './records.ts';
import { Serial } from './serial.ts';

interface Window {
  from: string | null;
  to: string | null;
}

/** What a step needs to know about snapshots. Both give null for a snapshot that failed (it was told elsewhere). */
export interface Snapshots {
  track(): Promise<string | null>;
  changed(from: string, to: string): Promise<TreePath[]>;
}

/**
 * What one tool phase changed (seed: "A step keeps only the files that its own run changed"):
 *
 * - files that a reporting tool of this phase named, where they differ at its end;
 * - files that changed while a tool ran that does not report. A snapshot is taken at both edges of that time, so what others
 *   change before and after it stays out. When such an edge could not be taken, the phase's own edge stands for it.
 *
 * The phase starts when its first tool starts: what others change while the model thinks is not in it.
 */
export class Attribution {
  readonly #snapshots: Snapshots;
  readonly #order = new Serial();
  readonly #silent = new Set<string>();
  readonly #windows: Window[] = [];
  readonly #reported = new Set<TreePath>();
  readonly #calls: string[] = [];
  readonly #silentCalls: string[] = [];
  #open: Window | null = null;
  #begun = false;
  #from: string | null = null;
  #last: string | null = null;
  /** Nothing ran since the last snapshot, so it is the end of the phase too. */
  #settled = false;

  /** `carried`: a phase before whose end could not be taken; its changes are in this one. */
  constructor(snapshots: Snapshots, carried: Attribution | null = null) {
    this.#snapshots = snapshots;
    if (carried === null) return;
    this.#begun = carried.#begun;
    this.#from = carried.#from;
    this.#reported = new Set(carried.#reported);
    this.#windows = [...carried.#windows];
    this.#calls = [...carried.#calls];
    this.#silentCalls = [...carried.#silentCalls];
  }

  /** True when its changes can still be told at the end of the next phase. */
  get canCarry(): boolean {
    return this.#from !== null;
  }

  /** The one call of a tool that does not report, null when there are none or several. */
  get onlySilentCall(): string | null {
    return this.#silentCalls.length === 1 ? (this.#silentCalls[0] ?? null) : null;
  }

  /** True for a file that a tool reported, itself or as part of a folder. */
  isReported(path: TreePath): boolean {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) if (this.#reported.has(at)) return true;
    return false;
  }

  started(callId: string, reporting: boolean): Promise<void> {
    return this.#order.run(async () => {
      const first = !this.#begun;
      this.#begun = true;
      if (first) this.#from = await this.#snapshots.track();
      this.#calls.push(callId);
      this.#settled = false;
      if (reporting) return;
      this.#silentCalls.push(callId);
      if (this.#silent.size === 0) this.#open = { from: first ? this.#from : await this.#snapshots.track(), to: null };
      this.#silent.add(callId);
    });
  }

  ended(callId: string): Promise<void> {
    return this.#order.run(async () => {
      if (!this.#silent.delete(callId) || this.#silent.size > 0 || this.#open === null) return;
      this.#last = await this.#snapshots.track();
      this.#windows.push({ ...this.#open, to: this.#last });
      this.#open = null;
      this.#settled = this.#last !== null;
    });
  }

  /** A file, or a folder with all in it, that a reporting tool changed. */
  report(path: TreePath): void {
    this.#reported.add(path);
    this.#settled = false;
  }

  /** The step; null when nothing changed, `failed` when a snapshot at its edges is missing. */
  result(): Promise<StepRecord | null | 'failed'> {
    return this.#order.run(async () => {
      // Tools that report, and reported nothing, changed nothing: a step that only reads needs no second snapshot.
      if (this.#calls.length === 0 || (this.#reported.size === 0 && this.#silentCalls.length === 0)) return null;
      const to = this.#settled ? this.#last : await this.#snapshots.track();
      const from = this.#from;
      if (from === null || to === null) return 'failed';
      if (from === to) return null;
      const files = await this.#files(from, to);
      return files.length === 0 ? null : { from, to, files, toolCallIds: [...this.#calls] };
    });
  }

  async #files(from: string, to: string): Promise<TreePath[]> {
    const changed = await this.#snapshots.changed(from, to);
    const own = new Set<TreePath>();
    for (const window of this.#windows) {
      const [start, end] = [window.from ?? from, window.to ?? to];
      const inside = start === from && end === to ? changed : start === end ? [] : await this.#snapshots.changed(start, end);
      for (const path of inside) own.add(path);
    }
    return changed.filter((path) => own.has(path) || this.isReported(path));
  }
}
