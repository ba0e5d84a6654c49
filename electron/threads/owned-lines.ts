import type { LineRun } from '../../shared/contract.ts';
import type { LineComparer } from './line-changes.ts';

/** Who wrote a line; without its place. */
export type LineOwner = Pick<LineRun, 'who' | 'step' | 'turn'>;

/** The lines of a file as it went through its states, each with the one who brought it in. */
export class OwnedLines {
  readonly #comparer: LineComparer;
  #lines: readonly string[] = [];
  #owners: LineOwner[] = [];

  constructor(comparer: LineComparer) {
    this.#comparer = comparer;
  }

  /** The next state: lines that it does not share with the one before belong to `owner`. */
  become(lines: readonly string[], owner: LineOwner): void {
    const owners: LineOwner[] = [];
    let at = 0;
    for (const hunk of this.#comparer.changes(this.#lines, lines)) {
      for (const known of this.#owners.slice(at, hunk.beforeStart)) owners.push(known);
      for (let line = hunk.afterStart; line < hunk.afterEnd; line++) owners.push(owner);
      at = hunk.beforeEnd;
    }
    for (const known of this.#owners.slice(at)) owners.push(known);
    this.#lines = lines;
    this.#owners = owners;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Neighbouring lines of one owner together; lines count from 1. */
  runs(): LineRun[] {
    const runs: LineRun[] = [];
    let last: LineOwner | null = null;
    for (const [at, owner] of this.#owners.entries()) {
      const run = runs.at(-1);
      if (run !== undefined && owner === last) run.count += 1;
      else runs.push({ from: at + 1, count: 1, ...owner });
      last = owner;
    }
    return runs;
  }
}
