import type { Facts } from './facts.ts';
import { MOST_BARS, type Span } from './geometry.ts';

/** One bar of the lanes: the rows [from, to) drawn as one. */
export interface Bucket {
  from: number;
  to: number;
  added: number;
  removed: number;
  effects: number;
  prompt: boolean;
  unknown: boolean;
}

/** How many rows one bar stands for: one, until bars would be thinner than 2 px or more than 2,000. */
export function rowsPerBar(span: Span, width: number): number {
  const rows = span.to - span.from;
  const bars = Math.max(1, Math.min(MOST_BARS, Math.floor(width / 2)));
  return Math.max(1, Math.ceil(rows / bars));
}

/** The bars of a span. Buckets begin at multiples of their size, so that they do not dance while the span moves. */
export function bucketsOf(facts: Facts, span: Span, width: number): Bucket[] {
  const size = rowsPerBar(span, width);
  const buckets: Bucket[] = [];
  const first = Math.floor(Math.max(span.from, 0) / size) * size;
  const last = Math.min(Math.ceil(span.to), facts.rows);
  for (let from = first; from < last; from += size) {
    const to = Math.min(from + size, facts.rows);
    const bucket: Bucket = { from, to, added: 0, removed: 0, effects: 0, prompt: false, unknown: false };
    for (let row = from; row < to; row++) {
      bucket.added += facts.added[row] ?? 0;
      bucket.removed += facts.removed[row] ?? 0;
      bucket.effects += facts.effects[row] ?? 0;
      if (facts.prompts[row] === 1) bucket.prompt = true;
      if (facts.unknown[row] === 1) bucket.unknown = true;
    }
    buckets.push(bucket);
  }
  return buckets;
}

/** Height of a bar for a number of lines: square root, so that small changes are seen beside large ones; at least 2 px. */
export function barHeight(lines: number, most: number, room: number): number {
  if (lines <= 0) return 0;
  return Math.max(2, Math.min(room, Math.sqrt(lines / Math.max(most, 1)) * room));
}
