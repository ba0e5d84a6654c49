/** A changed block: lines `[beforeStart, beforeEnd)` of one side became `[afterStart, afterEnd)` of the other; from 0. */
export interface LineHunk {
  beforeStart: number;
  beforeEnd: number;
  afterStart: number;
  afterEnd: number;
}

type Pair = readonly [before: number, after: number];

/** A pair and the one before it in its chain. */
interface Link {
  pair: Pair;
  previous: Link | null;
}

/** The longest chain of matches that grows on both sides (patience sorting). `pairs` grow on the first side. */
function longestChain(pairs: readonly Pair[]): Pair[] {
  const tails: Link[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const tail = tails[middle];
      if (tail !== undefined && tail.pair[1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    tails[low] = { pair, previous: tails[low - 1] ?? null };
  }
  const chain: Pair[] = [];
  for (let link = tails.at(-1) ?? null; link !== null; link = link.previous) chain.push(link.pair);
  return chain.reverse();
}

/** Lines that both blocks hold exactly once, as pairs of places. */
function uniquePairs(before: readonly string[], after: readonly string[], block: LineHunk): Pair[] {
  const seen = new Map<string, { before: number; after: number; times: number; timesAfter: number }>();
  before.slice(block.beforeStart, block.beforeEnd).forEach((line, at) => {
    const entry = seen.get(line);
    if (entry === undefined) seen.set(line, { before: block.beforeStart + at, after: -1, times: 1, timesAfter: 0 });
    else entry.times += 1;
  });
  after.slice(block.afterStart, block.afterEnd).forEach((line, at) => {
    const entry = seen.get(line);
    if (entry === undefined) return;
    entry.after = block.afterStart + at;
    entry.timesAfter += 1;
  });
  const pairs: Pair[] = [];
  for (const entry of seen.values()) if (entry.times === 1 && entry.timesAfter === 1) pairs.push([entry.before, entry.after]);
  return pairs;
}

function trim(before: readonly string[], after: readonly string[], block: LineHunk): LineHunk {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = block;
  while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeStart] === after[afterStart]) {
    beforeStart += 1;
    afterStart += 1;
  }
  while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd };
}

/**
 * The changed blocks between two texts by patience: equal ends go first, then lines that each side holds once anchor the rest, and each
 * gap is searched again. Always n log n at each level, so that it ends where an editor's own comparison would give up; what has no
 * anchor counts as replaced. Carriage returns at line ends should be cut off by the caller.
 */
export function lineHunks(before: readonly string[], after: readonly string[]): LineHunk[] {
  const hunks: LineHunk[] = [];
  const pending: LineHunk[] = [{ beforeStart: 0, beforeEnd: before.length, afterStart: 0, afterEnd: after.length }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const block = trim(before, after, next);
    if (block.beforeStart === block.beforeEnd && block.afterStart === block.afterEnd) continue;
    const chain =
      block.beforeStart === block.beforeEnd || block.afterStart === block.afterEnd ? [] : longestChain(uniquePairs(before, after, block));
    if (chain.length === 0) {
      hunks.push(block);
      continue;
    }
    let { beforeStart, afterStart } = block;
    const gaps: LineHunk[] = [];
    for (const [old, now] of [...chain, [block.beforeEnd, block.afterEnd] satisfies Pair]) {
      if (old > beforeStart || now > afterStart) gaps.push({ beforeStart, beforeEnd: old, afterStart, afterEnd: now });
      beforeStart = old + 1;
      afterStart = now + 1;
    }
    for (const gap of gaps.reverse()) pending.push(gap);
  }
  return hunks;
}

/** Lines that changed: in each block the longer side. */
export const changedLines = (hunks: readonly LineHunk[]): number =>
  hunks.reduce((sum, hunk) => sum + Math.max(hunk.beforeEnd - hunk.beforeStart, hunk.afterEnd - hunk.afterStart), 0);
