/** Tops and heights of blocks stacked in one scroll, in CSS pixels. Heights may be estimates until a block was measured. */
export interface StackLayout {
  readonly count: number;
  total(): number;
  top(index: number): number;
  height(index: number): number;
  /** Sets a height; gives by how much everything below it moved. */
  set(index: number, height: number): number;
  /** The block that covers the offset; the nearest one outside of the stack, -1 when there are no blocks. */
  at(offset: number): number;
  /** First and last block that touch the window; null when there are no blocks. */
  visible(top: number, bottom: number): { first: number; last: number } | null;
}

/**
 * A stack over the given heights. Sums are kept as a prefix array and mended lazily from the first changed block, so that
 * measuring the visible blocks of thousands costs one pass at most.
 */
export function createStackLayout(initial: readonly number[]): StackLayout {
  const heights = Float64Array.from(initial);
  const tops = new Float64Array(heights.length + 1);
  let clean = 0;
  const mend = (upTo: number): void => {
    for (; clean < upTo; clean++) tops[clean + 1] = (tops[clean] ?? 0) + (heights[clean] ?? 0);
  };
  const top = (index: number): number => {
    mend(index);
    return tops[index] ?? 0;
  };
  const at = (offset: number): number => {
    mend(heights.length);
    let low = 0;
    let high = heights.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((tops[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return high < 0 ? -1 : low;
  };
  return {
    count: heights.length,
    total: () => top(heights.length),
    top,
    height: (index) => heights[index] ?? 0,
    set(index, height) {
      const delta = height - (heights[index] ?? height);
      if (delta !== 0) {
        heights[index] = height;
        clean = Math.min(clean, index);
      }
      return delta;
    },
    at,
    visible(from, to) {
      if (heights.length === 0) return null;
      const first = at(from);
      return { first, last: Math.max(first, at(Math.max(from, to - 1))) };
    },
  };
}
