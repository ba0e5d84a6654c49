import { z } from 'zod';

/** The way from one list to another of the same kind: what stays at both ends, what comes between, and single elements. */
export interface ListPatch<T> {
  /** How many elements stay at the start and at the end. */
  head: number;
  tail: number;
  /** What stands between them now. */
  add: T[];
  /** Elements among those that stay that are different now, by their place in the new list. */
  set: { at: number; value: T }[];
  /** How many elements the list before had: a list of another length is not the one that was meant. */
  before: number;
}

export const listPatchSchema = <T extends z.ZodType>(element: T) =>
  z.object({
    head: z.number(),
    tail: z.number(),
    add: z.array(element),
    set: z.array(z.object({ at: z.number(), value: element })),
    before: z.number(),
  });

/** Do two values of plain JSON say the same? Keys may stand in another order. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at += 1) if (!sameJson(a[at], b[at])) return false;
    return true;
  }
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  // Without lists of keys: this runs for every row of a thread each time it grows.
  let more = 0;
  for (const key in left) {
    const other = right[key];
    if (other === undefined && !Object.hasOwn(right, key)) return false;
    if (!sameJson(left[key], other)) return false;
    more += 1;
  }
  for (const _ in right) more -= 1;
  return more === 0;
}

/** The smaller of two ways from `before` to `now`: elements changed in place with some more at the end, or a piece put in the middle. */
export function listPatch<T>(before: readonly T[], now: readonly T[]): ListPatch<T> {
  const shorter = Math.min(before.length, now.length);
  const set: { at: number; value: T }[] = [];
  for (let at = 0; at < shorter; at += 1) {
    const value = now[at] as T;
    if (!sameJson(before[at], value)) set.push({ at, value });
  }
  const first = set[0]?.at ?? shorter;
  let tail = 0;
  while (tail < shorter - first && sameJson(before[before.length - 1 - tail], now[now.length - 1 - tail])) tail += 1;
  const spliced = now.length - first - tail;
  const placed = set.length + now.length - shorter;
  if (placed < spliced) return { head: shorter, tail: 0, add: now.slice(shorter), set, before: before.length };
  return { head: first, tail, add: now.slice(first, now.length - tail), set: [], before: before.length };
}

/** The list after a patch; null when the patch was made for another list. Elements that stay are the same objects. */
export function patchedList<T>(list: readonly T[], patch: ListPatch<T>): T[] | null {
  const { head, tail, add, set, before } = patch;
  if (list.length !== before || head + tail > list.length) return null;
  const next = [...list.slice(0, head), ...add, ...list.slice(list.length - tail)];
  for (const { at, value } of set) {
    if (at >= next.length) return null;
    next[at] = value;
  }
  return next;
}
