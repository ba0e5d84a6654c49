import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexThread } from '../../renderer/store/thread-index.ts';
import { barHeight, bucketsOf, rowsPerBar } from '../../renderer/timeline/buckets.ts';
import { type Facts, factsOf } from '../../renderer/timeline/facts.ts';
import { MOST_BARS, wholeSpan } from '../../renderer/timeline/geometry.ts';
import { makeView } from './make-view.ts';

function factsFor(rows: number): Facts {
  const facts: Facts = {
    rows,
    added: new Float64Array(rows).map((_, row) => row % 7),
    removed: new Float64Array(rows).map((_, row) => row % 3),
    effects: new Uint16Array(rows).map((_, row) => (row % 11 === 0 ? 1 : 0)),
    prompts: new Uint8Array(rows).map((_, row) => (row % 5 === 0 ? 1 : 0)),
    turns: new Uint32Array(rows),
    hidden: new Uint8Array(rows),
    unknown: new Uint8Array(rows),
    mostLines: 6,
  };
  return facts;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

test('one bar a row while there is room, buckets above 2,000 rows or below 2 px', () => {
  expect(rowsPerBar(wholeSpan(120), 1200)).toBe(1);
  expect(rowsPerBar(wholeSpan(1200), 1200)).toBe(2);
  expect(rowsPerBar(wholeSpan(2001), 10_000)).toBe(2);
  expect(rowsPerBar(wholeSpan(100_000), 1200)).toBe(167);
});

test('buckets cover every row once and lose nothing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 2, max: 3000 }), (rows, width) => {
      const facts = factsFor(rows);
      const buckets = bucketsOf(facts, wholeSpan(rows), width);
      expect(buckets.length).toBeLessThanOrEqual(Math.min(MOST_BARS, Math.max(1, Math.floor(width / 2))));
      expect(buckets[0]?.from).toBe(0);
      expect(buckets.at(-1)?.to).toBe(rows);
      buckets.forEach((bucket, at) => void (at > 0 && expect(bucket.from).toBe(buckets[at - 1]?.to)));
      expect(sum(buckets.map((bucket) => bucket.added))).toBe(sum(facts.added));
      expect(sum(buckets.map((bucket) => bucket.removed))).toBe(sum(facts.removed));
      expect(sum(buckets.map((bucket) => bucket.effects))).toBe(sum(facts.effects));
    }),
    { numRuns: 60 },
  );
});

test('buckets keep their rows while the span moves', () => {
  const facts = factsFor(10_000);
  const at = (from: number): string[] => bucketsOf(facts, { from, to: from + 4000 }, 1000).map(({ from, to }) => `${from}-${to}`);
  expect(at(13).slice(1, 4)).toEqual(at(9).slice(1, 4));
});

test('a bar is never too small to be seen, and never higher than its lane', () => {
  expect(barHeight(0, 100, 30)).toBe(0);
  expect(barHeight(1, 100_000, 30)).toBe(2);
  expect(barHeight(25, 100, 30)).toBe(15);
  expect(barHeight(100, 100, 30)).toBe(30);
});

test('facts of a view: prompts, lines at the row of the step, effects, what is hidden and what is unknown', () => {
  const view = makeView([
    { role: 'user', text: 'Fix it' },
    { role: 'assistant', text: '', files: [{ path: 'a', added: 42, removed: 17 }] },
    { role: 'assistant', text: 'gone', hidden: 'undone' },
    { role: 'user', text: 'Again' },
    { role: 'assistant', text: '', tools: [{ sideEffect: 'shell' }, { sideEffect: 'network' }], hidden: 'reverted' },
  ]);
  const [, second] = view.steps;
  if (second !== undefined) Object.assign(second, { listed: ['b'], files: null, captured: null });
  const facts = factsOf(view, indexThread(view));
  expect([...facts.prompts]).toEqual([1, 0, 0, 1, 0]);
  expect([...facts.added]).toEqual([0, 42, 0, 0, 0]);
  expect([...facts.removed]).toEqual([0, 17, 0, 0, 0]);
  expect([...facts.effects]).toEqual([0, 0, 0, 0, 2]);
  expect([...facts.turns]).toEqual([1, 1, 1, 2, 2]);
  expect([...facts.hidden]).toEqual([0, 0, 2, 0, 1]);
  expect([...facts.unknown]).toEqual([0, 0, 0, 0, 1]);
  expect(facts.mostLines).toBe(42);
});
