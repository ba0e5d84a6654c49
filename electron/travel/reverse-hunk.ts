import type { HunkText } from './hunks.ts';

/** The text without the change, or in how many places it fits: none, or too many. */
export type Reversed = { text: string } | { places: number };

/** Lines with their line ends; the last one may have none. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = (lines.pop() ?? '').slice(0, -1);
  if (last !== '') lines.push(last);
  return lines;
}

function standsAt(lines: readonly string[], block: readonly string[], at: number): boolean {
  return block.every((line, offset) => lines[at + offset] === line);
}

function placesOf(lines: readonly string[], block: readonly string[]): number[] {
  const places: number[] = [];
  for (let at = 0; at + block.length <= lines.length; at++) {
    if (lines[at] === block[0] && standsAt(lines, block, at)) places.push(at);
  }
  return places;
}

/** Is everything before the place, or everything after it, as it was when the change was made? Then it is that very place. Nothing is no sign. */
function isVeryPlace(base: readonly string[], now: readonly string[], block: readonly string[], began: number, at: number): boolean {
  if (at === began && at > 0 && standsAt(now, base.slice(0, began), 0)) return true;
  const [restOfBase, restOfNow] = [base.slice(began + block.length), now.slice(at + block.length)];
  return restOfBase.length > 0 && restOfBase.length === restOfNow.length && standsAt(restOfNow, restOfBase, 0);
}

/**
 * Takes one change out of a text as it is now. `base` is the text that the change led to. Its lines must be there with three lines
 * around them, or two, or at least one; and in one place only, or in that very place. Everything else stays byte for byte.
 */
export function reverseHunk(base: string, now: string, hunk: HunkText): Reversed {
  const { removed, added, lead, tail } = hunk;
  const [then, lines] = [linesOf(base), linesOf(now)];
  // What emptied the file has no line to be found by: it is the very place as long as nothing stands there.
  if (added.length === 0) return lines.length === 0 ? { text: removed.join('') } : { places: 0 };
  const begins = hunk.after.lines === 0 ? hunk.after.start : hunk.after.start - 1;
  for (let around = Math.max(lead, tail, 1); around > 0; around--) {
    const [before, after] = [Math.max(0, lead - around), Math.max(0, tail - around)];
    const block = added.slice(before, added.length - after);
    const places = placesOf(lines, block);
    const very = places.filter((at) => isVeryPlace(then, lines, block, begins + before, at));
    const [place] = very.length === 1 ? very : places;
    if (place === undefined) continue;
    if (very.length !== 1 && places.length > 1) return { places: places.length };
    const put = removed.slice(before, removed.length - after);
    return { text: [...lines.slice(0, place), ...put, ...lines.slice(place + block.length)].join('') };
  }
  return { places: 0 };
}
