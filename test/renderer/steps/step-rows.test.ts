import { expect, test } from 'vitest';
import { targetOfKey } from '../../../renderer/steps/row-list.tsx';
import { rowOfStep, stepRows } from '../../../renderer/steps/step-rows.ts';
import { fileCountOf, linesOf, toolsText } from '../../../renderer/steps/step-words.ts';
import { indexThread } from '../../../renderer/store/thread-index.ts';
import type { Step } from '../../../shared/model.ts';
import { makeView } from '../make-view.ts';

const view = makeView([
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a', files: [{ path: 'a' }, { path: 'b' }] },
  {
    role: 'assistant',
    text: 'b',
    tools: [{ name: 'bash', sideEffect: 'shell' }, { name: 'edit' }, { name: 'bash', sideEffect: 'shell' }],
    files: [],
  },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'c', files: [{ path: 'c' }] },
]);
const { stepsOfTurn } = indexThread(view);
const rows = (open: number[], rest: readonly Step[] = []) => stepRows(view.turns, stepsOfTurn, rest, new Set(open));
const step = (at: number): Step => view.steps[at] ?? (view.steps[0] as Step);

test('only the steps of open turns are rows', () => {
  expect(rows([]).map((row) => row.key)).toEqual(['turn 1', 'turn 2']);
  expect(rows([1]).map((row) => row.key)).toEqual(['turn 1', 's1', 's2', 'turn 2']);
  expect(rows([1, 2]).map((row) => `${row.position}/${row.size}`)).toEqual(['1/2', '1/2', '2/2', '2/2', '1/1']);
});

test('steps of no turn come first, below a header of their own', () => {
  const lost: Step = { ...step(0), id: 'lost', turn: null };
  expect(rows([0], [lost]).map((row) => row.key)).toEqual(['turn 0', 'lost', 'turn 1', 'turn 2']);
  expect(rows([], [lost]).map((row) => `${row.position}/${row.size}`)).toEqual(['1/3', '2/3', '3/3']);
});

test('a step in a closed turn is found at its turn', () => {
  expect(rowOfStep(rows([1]), 's2', 1)).toBe(2);
  expect(rowOfStep(rows([2]), 's2', 1)).toBe(0);
  expect(rowOfStep(rows([]), 'gone', null)).toBe(-1);
});

test('a row says its tools, files, lines and side effects', () => {
  expect(toolsText(step(1))).toBe('bash ×2, edit');
  expect(linesOf(step(0))).toEqual({ added: 8, removed: 2 });
  expect(linesOf(step(0), step(0))).toEqual({ added: 16, removed: 4 });
  const named = { ...step(0), files: [{ path: 'a', change: 'modified' as const, added: null, removed: null, binary: false }] };
  expect([linesOf(named), linesOf(step(0), named)]).toEqual([
    { added: null, removed: null },
    { added: null, removed: null },
  ]);
  expect(toolsText({ ...step(0), tools: [] })).toBe('no tools');
});

test('what was not asked for yet is not known; the log may know the paths', () => {
  const unread: Step = { ...step(0), files: null, listed: ['a', 'b', 'c'] };
  expect([linesOf(unread), fileCountOf(unread), fileCountOf({ ...unread, listed: null })]).toEqual([null, 3, null]);
  expect(fileCountOf(step(0))).toBe(2);
});

test('keys move within the list', () => {
  expect(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'x'].map((key) => targetOfKey(key, 3, 20))).toEqual([
    4,
    2,
    13,
    0,
    0,
    19,
    null,
  ]);
  expect([targetOfKey('ArrowUp', 0, 5), targetOfKey('ArrowDown', 4, 5)]).toEqual([0, 4]);
});
