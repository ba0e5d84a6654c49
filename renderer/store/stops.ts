import type { Stop } from './thread-index.ts';

/** Position in `stops` of the stop with that number, or of the next lower one; -1 when there is none. */
export function positionOfStop(stops: readonly Stop[], stop: number): number {
  let low = 0;
  let high = stops.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = stops[middle]?.stop ?? 0;
    if (at === stop) return middle;
    if (at < stop) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** The stop with that number, or the next lower one. */
export function stopAt(stops: readonly Stop[], stop: number): Stop | null {
  return stops[positionOfStop(stops, stop)] ?? null;
}

/** Where the cursor may be dropped: the conversation can stand there, and with `changed` a step that changed files ends there. */
const fits = (stop: Stop, changed: boolean): boolean => stop.can && (!changed || stop.changed || stop.stop === 0);

/** The stop nearest to a row boundary (`row` rows lie before it) that fits; null when none does. */
export function nearestStop(stops: readonly Stop[], boundary: number, options: { changed: boolean }): Stop | null {
  let low = 0;
  let high = stops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stops[middle]?.row ?? 0) + 1 < boundary) low = middle + 1;
    else high = middle;
  }
  let left = low - 1;
  let right = low;
  while (left >= 0 || right < stops.length) {
    const before = stops[left];
    const after = stops[right];
    const distanceBefore = before === undefined ? Number.POSITIVE_INFINITY : Math.abs(boundary - before.row - 1);
    const distanceAfter = after === undefined ? Number.POSITIVE_INFINITY : Math.abs(boundary - after.row - 1);
    const closer = distanceBefore < distanceAfter ? before : after;
    if (closer !== undefined && fits(closer, options.changed)) return closer;
    if (closer === before) left -= 1;
    else right += 1;
  }
  return null;
}

export type Stride = 'message' | 'turn' | 'change' | 'page' | 'end';

/** The stop that a key press goes to from `stop`, or the same when there is no further one. */
export function stopAfterStride(stops: readonly Stop[], stop: number, direction: -1 | 1, stride: Stride): Stop | null {
  const from = positionOfStop(stops, stop);
  const here = stops[from] ?? null;
  if (stride === 'end' || stride === 'page') {
    const target =
      stride === 'end' ? (direction < 0 ? 0 : stops.length - 1) : Math.min(Math.max(from + 10 * direction, 0), stops.length - 1);
    for (let at = target; at >= 0 && at < stops.length; at -= direction) {
      const candidate = stops[at];
      if (candidate?.can && (stride === 'end' || (at - from) * direction > 0)) return candidate;
    }
    return here;
  }
  for (let at = from + direction; at >= 0 && at < stops.length; at += direction) {
    const candidate = stops[at];
    if (candidate === undefined || !candidate.can) continue;
    const last = at === stops.length - 1 || at === 0;
    if (stride === 'message' || last) return candidate;
    if (stride === 'turn' ? candidate.beforePrompt : candidate.changed) return candidate;
  }
  return here;
}
