import { describe, expect, test } from 'vitest';
import {
  bringBackBlock,
  bringBackFile,
  bringBackOff,
  bringWholeFile,
  choosePieceSide,
  stepToBringBack,
} from '../../renderer/store/bring-back.ts';
import { showRange } from '../../renderer/store/changes.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import { runGate, takeBackLast } from '../../renderer/store/travel.ts';
import { travelStore } from '../../renderer/store/travel-store.ts';
import { wayOutOf } from '../../renderer/travel/way-out.ts';
import type { Range } from '../../shared/contract.ts';
import { reason } from '../../shared/errors.ts';
import type { Hunk } from '../../shared/plan.ts';
import { makePlan, makeResult, planFile } from './make-plan.ts';
import { makeView, type Say } from './make-view.ts';
import { windowWith } from './reset.ts';

const says: Say[] = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a', files: [{ path: 'x' }, { path: 'y' }] },
  { role: 'assistant', text: 'b', files: [{ path: 'x' }] },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'c', files: [{ path: 'x' }] },
];
const view = makeView(says);
const [first = '', second = '', third = ''] = view.steps.map((step) => step.id);
const gate = () => travelStore.getState().gate;
const hunk = (number: number, before: [number, number], after: [number, number]): Hunk => ({
  id: `h${number}`,
  number,
  before: { start: before[0], lines: before[1] },
  after: { start: after[0], lines: after[1] },
});

describe('the step that a file comes back from', () => {
  test.each<[string, Range | null, string, string | null]>([
    ['the step that is shown', { kind: 'step', step: second }, 'x', second],
    ['the one step of a turn that changed it', { kind: 'turn', turn: 1 }, 'y', first],
    ['the one step of a range', { kind: 'steps', from: second, to: third }, 'y', 'No step that is shown lists this file.'],
    ['no single one of a turn', { kind: 'turn', turn: 1 }, 'x', 'Steps 1 and 2 changed it. Choose one of them first.'],
    ['no single one of a range', { kind: 'steps', from: first, to: third }, 'x', 'Steps 1, 2 and 3 changed it. Choose one of them first.'],
    ['nothing in a preview', { kind: 'plan', stop: 2 }, 'x', null],
    ['nothing since a step', { kind: 'since', step: first }, 'x', null],
    ['nothing where nothing is shown', null, 'x', null],
  ])('%s', async (_name, range, path, wanted) => {
    await windowWith(view, {});
    const found = stepToBringBack(range, path);
    expect(typeof found === 'object' && found !== null ? found.id : found).toBe(wanted);
  });

  test('the act says why it is off', async () => {
    await windowWith(view, { 'diff.files': () => ({ files: [] }) });
    expect(bringBackOff(null)).toBe('No file is shown.');
    await showRange({ kind: 'step', step: second });
    expect(bringBackOff('x')).toBeNull();
    await showRange({ kind: 'since', step: second });
    expect(bringBackOff('x')).toBe('Choose a step or a turn first: its files and changes can be brought back.');
  });
});

test('a file is asked about, comes back as it is chosen, and its Undo is its own', async () => {
  const standing = makeView(says, { standing: { messageId: 'm2', stop: 2, hidden: 3, files: ['y'], now: null } });
  const host = await windowWith(
    { ...standing, can: { ...standing.can, unrevert: true } },
    {
      'travel.preview': ({ piece, kind }) => makePlan(null, { kind, fingerprint: `${kind} ${piece?.side}`, files: [planFile('x')] }),
      'travel.run': () => makeResult({ entry: 'e7', message: 'Brought back x from step 2.' }),
    },
  );
  await showRange({ kind: 'step', step: second });
  await bringBackFile('x');
  expect(gate()).toMatchObject({ phase: 'ready', title: 'x from step 2', plan: { fingerprint: 'partial out' } });
  await choosePieceSide('before');
  await runGate();
  expect(host.asked.find(({ call }) => call === 'travel.run')?.input).toMatchObject({
    kind: 'partial',
    stop: null,
    scope: 'files',
    piece: { step: second, path: 'x', hunk: null, side: 'before' },
    fingerprint: 'partial before',
  });
  expect(toastStore.getState().toast).toMatchObject({ text: 'Brought back x from step 2.', action: { label: 'Undo' } });
  await takeBackLast();
  expect(gate()?.request).toEqual({ kind: 'restore', stop: null, entry: 'e7', scope: 'files' });
});

test.each([
  ['the change that its lines lie in', { before: { start: 21, lines: 1 }, after: { start: 22, lines: 2 } }, 'h2'],
  ['the change where lines were only removed', { before: { start: 41, lines: 2 }, after: { start: 41, lines: 0 } }, 'h3'],
  ['no change', { before: { start: 90, lines: 1 }, after: { start: 90, lines: 1 } }, null],
])('a block is asked about as %s', async (_name, block, id) => {
  const hunks = [hunk(1, [1, 5], [1, 6]), hunk(2, [18, 7], [19, 8]), hunk(3, [38, 8], [40, 6])];
  await windowWith(view, {
    'travel.hunks': () => ({ hunks, why: null }),
    'travel.preview': ({ kind }) => makePlan(null, { kind, files: [planFile('x')] }),
  });
  await showRange({ kind: 'step', step: second });
  await bringBackBlock('x', block);
  expect(gate()?.request.piece ?? null).toEqual(id === null ? null : { step: second, path: 'x', hunk: id, side: 'out' });
  if (id === null) expect(toastStore.getState().toast?.reason?.code).toBe('HUNK_UNKNOWN');
});

test('a change that cannot be found alone leads to the whole file', async () => {
  const refusal = reason('HUNK_NOT_FOUND', { path: 'x', lines: 'line 1' });
  await windowWith(view, {
    'travel.hunks': () => ({ hunks: [hunk(1, [1, 1], [1, 1])], why: null }),
    'travel.preview': ({ kind, piece }) => makePlan(null, { kind, files: [planFile('x')], refusal: piece?.hunk === null ? null : refusal }),
  });
  await showRange({ kind: 'step', step: second });
  await bringBackBlock('x', { before: { start: 1, lines: 1 }, after: { start: 1, lines: 1 } });
  expect([gate()?.title, wayOutOf(gate()?.plan?.refusal ?? refusal, 'partial')]).toEqual(['a change of x from step 2', 'whole-file']);
  await bringWholeFile();
  expect(gate()).toMatchObject({ title: 'x from step 2', plan: { refusal: null }, request: { piece: { hunk: null, side: 'out' } } });
});

test('a file without single changes says why', async () => {
  const why = reason('HUNK_NOT_TEXT', { path: 'x', cause: 'it is binary' });
  await windowWith(view, { 'travel.hunks': () => ({ hunks: [], why }) });
  await showRange({ kind: 'step', step: second });
  await bringBackBlock('x', { before: { start: 1, lines: 1 }, after: { start: 1, lines: 1 } });
  expect([gate(), toastStore.getState().toast?.reason]).toEqual([null, why]);
});
