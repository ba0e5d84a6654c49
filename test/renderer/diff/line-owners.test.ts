import { expect, test } from 'vitest';
import { lineOwners, momentOf } from '../../../renderer/diff/line-owners.ts';
import { indexThread } from '../../../renderer/store/thread-index.ts';
import type { LineRun } from '../../../shared/contract.ts';
import { makeView } from '../make-view.ts';

const view = makeView([
  { role: 'user', text: `Fix the\nform ${'and more '.repeat(20)}` },
  { role: 'assistant', text: '', files: [{ path: 'a' }] },
  { role: 'assistant', text: '', files: [{ path: 'a' }] },
]);
const index = indexThread(view);
const run = (from: number, count: number, who: LineRun['who'], step: string | null = null): LineRun => ({
  from,
  count,
  who,
  step,
  turn: step === null ? null : 1,
});

test('each line finds its run, and lines that there are not find none', () => {
  const runs = [run(1, 2, 'before'), run(3, 1, 'step', 's2'), run(4, 5, 'you')];
  const owners = lineOwners(runs, index);
  expect([0, 1, 2, 3, 4, 8, 9].map((line) => owners.run(line))).toEqual([null, runs[0], runs[0], runs[1], runs[2], runs[2], null]);
  expect(lineOwners([], index).run(1)).toBeNull();
});

test('the gutter has a few signs, everything else has words', () => {
  const runs = [run(1, 1, 'step', 's2'), run(2, 1, 'you'), run(3, 1, 'before'), run(4, 1, 'unknown', 's1'), run(5, 1, 'unknown')];
  const owners = lineOwners(runs, index);
  expect(runs.map(owners.label)).toEqual(['1·2', 'out', '·', '?', '?']);
  expect(owners.width).toBe(3);
  expect(runs.map(owners.words)).toEqual([
    'step 2, turn 1: Fix the form and more and more and more and more and more an…',
    'changed outside the thread',
    'there before the thread’s first step',
    'not known: step 1 was not captured',
    'not known',
  ]);
});

test('the newer side of a range names the moment', () => {
  expect(momentOf({ kind: 'step', step: 's1' }, index)).toBe('s1');
  expect(momentOf({ kind: 'turn', turn: 1 }, index)).toBe('s2');
  expect(momentOf({ kind: 'turn', turn: 9 }, index)).toBeUndefined();
  expect(momentOf({ kind: 'steps', from: 's1', to: 's2' }, index)).toBe('s2');
  expect(momentOf({ kind: 'since', step: 's1' }, index)).toBeNull();
  expect(momentOf({ kind: 'stops', from: 3, to: 1 }, index)).toBe(1);
  expect(momentOf({ kind: 'stops', from: 3, to: null }, index)).toBeNull();
  expect(momentOf({ kind: 'plan', stop: 1 }, index)).toBeUndefined();
});
