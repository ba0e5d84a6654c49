import { lineHunks } from '../../shared/line-hunks.ts';

/** A line of a small diff; `gap` stands for lines that are left out. */
export interface ResultLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
}

const CONTEXT = 3;
const MOST_LINES = 300;

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

const gapText = (count: number): string => `${count} ${count === 1 ? 'line stays' : 'lines stay'} the same`;

/** The lines that differ with three around each, in one column; `more`: how many of them are left out at the end. */
export function resultLines(before: string, after: string): { lines: ResultLine[]; more: number } {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines: ResultLine[] = [];
  const add = (kind: ResultLine['kind'], texts: readonly string[]): void => {
    for (const text of texts) lines.push({ kind, text });
  };
  // Unchanged lines up to `end` of the before side were passed.
  let end = 0;
  let begun = false;
  const same = (to: number, isLast: boolean): void => {
    const first = begun ? Math.min(CONTEXT, to - end) : 0;
    const last = isLast ? 0 : Math.min(CONTEXT, to - end - first);
    const left = to - end - first - last;
    add('same', old.slice(end, end + first));
    if (left === 1) add('same', old.slice(end + first, to - last));
    else if (left > 1) add('gap', [gapText(left)]);
    add('same', old.slice(to - last, to));
  };
  const hunks = lineHunks(old, now);
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of hunks) {
    same(beforeStart, false);
    add('removed', old.slice(beforeStart, beforeEnd));
    add('added', now.slice(afterStart, afterEnd));
    end = beforeEnd;
    begun = true;
  }
  if (hunks.length > 0) same(old.length, true);
  return { lines: lines.slice(0, MOST_LINES), more: Math.max(0, lines.length - MOST_LINES) };
}
