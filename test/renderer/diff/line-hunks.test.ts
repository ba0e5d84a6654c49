import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerptOf, pagesOf } from '../../../renderer/diff/excerpt.ts';
import { changedLines, type LineHunk, lineHunks } from '../../../shared/line-hunks.ts';

/** The after side, made of the before side and the hunks. */
function apply(before: readonly string[], after: readonly string[], hunks: readonly LineHunk[]): string[] {
  const lines: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    lines.push(...before.slice(at, hunk.beforeStart), ...after.slice(hunk.afterStart, hunk.afterEnd));
    at = hunk.beforeEnd;
  }
  return [...lines, ...before.slice(at)];
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', '{', '}', ''), { maxLength: 60 });

test('hunks rebuild the other side, in order, and never touch each other', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const hunks = lineHunks(before, after);
      expect(apply(before, after, hunks)).toEqual(after);
      hunks.forEach((hunk, at) => {
        const next = hunks[at + 1];
        expect(hunk.beforeEnd + hunk.afterEnd).toBeGreaterThan(hunk.beforeStart + hunk.afterStart);
        if (next !== undefined) expect(next.beforeStart).toBeGreaterThan(hunk.beforeEnd - 1);
      });
    }),
    { numRuns: 2_000 },
  );
});

test('equal texts have no hunk; one changed line is one hunk of one line', () => {
  const before = Array.from({ length: 1_000 }, (_, at) => `line ${at}`);
  const after = before.map((line, at) => (at === 500 ? 'only real change' : line));
  expect(lineHunks(before, before)).toEqual([]);
  expect(lineHunks(before, after)).toEqual([{ beforeStart: 500, beforeEnd: 501, afterStart: 500, afterEnd: 501 }]);
  expect(changedLines(lineHunks(before, after))).toBe(1);
});

test('60,000 reversed lines end within a second', () => {
  const before = Array.from({ length: 60_000 }, (_, at) => `line ${at * 31}`);
  const from = performance.now();
  const hunks = lineHunks(before, [...before].reverse());
  expect(performance.now() - from).toBeLessThan(1_000);
  expect(changedLines(hunks)).toBe(119_998);
});

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('an excerpt shows three lines around a change and says how many it leaves out', () => {
  const before = numbers(1, 100).map(String);
  const after = before.map((line) => (line === '50' ? 'fifty' : line));
  const [page] = pagesOf(lineHunks(before, after), before.length, 4_000);
  const excerpt = excerptOf(before, after, page ?? []);
  expect(excerpt.before.split('\n')).toEqual(['⋯ 46 lines not shown', '47', '48', '49', '50', '51', '52', '53', '⋯ 47 lines not shown']);
  expect(excerpt.after.split('\n')[4]).toBe('fifty');
  expect(excerpt.beforeLines).toEqual([null, ...numbers(47, 53), null]);
  expect(excerpt.afterLines).toEqual(excerpt.beforeLines);
});

test('changes that are near each other share their context, and each line is shown once', () => {
  const before = numbers(1, 30).map(String);
  const after = before.map((line) => (line === '10' || line === '14' ? `${line}!` : line));
  const [page] = pagesOf(lineHunks(before, after), before.length, 4_000);
  expect(excerptOf(before, after, page ?? []).beforeLines).toEqual([null, ...numbers(7, 17), null]);
});

test('pages cut what is longer than a page, and together hold every changed line once', () => {
  const before = numbers(1, 25).map((at) => `old ${at}`);
  const after = numbers(1, 43).map((at) => `new ${at}`);
  const pages = pagesOf(lineHunks(before, after), before.length, 10);
  expect(pages.length).toBe(5);
  const shown = pages.map((page) => excerptOf(before, after, page));
  expect(shown.flatMap((page) => page.afterLines)).toEqual(numbers(1, 43));
  expect(shown.flatMap((page) => page.beforeLines)).toEqual(numbers(1, 25));
});
