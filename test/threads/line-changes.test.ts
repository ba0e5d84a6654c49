import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineComparer } from '../../electron/threads/line-changes.ts';
import { OwnedLines } from '../../electron/threads/owned-lines.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '}', ''), { maxLength: 30 });

test('the blocks make one text of the other, and what lies between them is the same on both sides', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const made: string[] = [];
      let at = 0;
      for (const hunk of new LineComparer().changes(before, after)) {
        expect(before.slice(at, hunk.beforeStart)).toEqual(after.slice(made.length, hunk.afterStart));
        made.push(...before.slice(at, hunk.beforeStart), ...after.slice(hunk.afterStart, hunk.afterEnd));
        at = hunk.beforeEnd;
      }
      expect([...made, ...before.slice(at)]).toEqual(after);
    }),
  );
});

test('a text of which nothing stayed ends, and its lines have owners', () => {
  const comparer = new LineComparer();
  const owned = new OwnedLines(comparer);
  const many = (word: string): string[] => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`);
  owned.become(many('old'), { who: 'before', step: null, turn: null });
  owned.become([...many('new'), 'old 19999'], { who: 'step', step: 's1', turn: 1 });
  expect(owned.runs()).toEqual([
    { from: 1, count: 20_000, who: 'step', step: 's1', turn: 1 },
    { from: 20_001, count: 1, who: 'before', step: null, turn: null },
  ]);
});
