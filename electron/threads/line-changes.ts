import { diffArrays } from 'diff';
import { type LineHunk, lineHunks } from '../../shared/line-hunks.ts';

/** Milliseconds after which the shortest way is not looked for any more, for one pair of texts and for all of one question. */
const MOST_MS = 150;
const MOST_MS_IN_ALL = 4_000;

/** Compares texts by lines, with one measure of patience for all comparisons of a question. */
export class LineComparer {
  #spent = 0;

  /**
   * The blocks of lines in which two texts differ, the fewest lines that will do. When that takes too long, lines that each side holds
   * once anchor the rest, which always ends.
   */
  changes(before: readonly string[], after: readonly string[]): LineHunk[] {
    let [lead, tail] = [0, 0];
    const shorter = Math.min(before.length, after.length);
    while (lead < shorter && before[lead] === after[lead]) lead += 1;
    while (tail < shorter - lead && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
    const [old, now] = [before.slice(lead, before.length - tail), after.slice(lead, after.length - tail)];
    const blocks = this.#middle(old, now);
    return blocks.map((block) => ({
      beforeStart: block.beforeStart + lead,
      beforeEnd: block.beforeEnd + lead,
      afterStart: block.afterStart + lead,
      afterEnd: block.afterEnd + lead,
    }));
  }

  #middle(old: readonly string[], now: readonly string[]): LineHunk[] {
    const timeout = Math.min(MOST_MS, MOST_MS_IN_ALL - this.#spent);
    if (old.length === 0 || now.length === 0 || timeout <= 0) return lineHunks(old, now);
    const begun = performance.now();
    const parts = diffArrays([...old], [...now], { timeout });
    this.#spent += performance.now() - begun;
    if (parts === undefined) return lineHunks(old, now);
    const blocks: LineHunk[] = [];
    let [beforeAt, afterAt] = [0, 0];
    let open: LineHunk | null = null;
    for (const { added, removed, value } of parts) {
      if (!added && !removed) {
        beforeAt += value.length;
        afterAt += value.length;
        open = null;
        continue;
      }
      if (open === null) {
        open = { beforeStart: beforeAt, beforeEnd: beforeAt, afterStart: afterAt, afterEnd: afterAt };
        blocks.push(open);
      }
      if (removed) beforeAt += value.length;
      else afterAt += value.length;
      open.beforeEnd = beforeAt;
      open.afterEnd = afterAt;
    }
    return blocks;
  }
}
