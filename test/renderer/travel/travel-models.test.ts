import { expect, test } from 'vitest';
import { defaultPath, notCaptured, patchSources } from '../../../renderer/travel/patch-model.ts';
import { revertedSteps, standingWords } from '../../../renderer/travel/standing-words.ts';
import { leftovers } from '../../../renderer/travel/travel-report.tsx';
import { wayOutOf } from '../../../renderer/travel/way-out.ts';
import { reason } from '../../../shared/errors.ts';
import { makeView } from '../make-view.ts';

const view = () =>
  makeView([
    { role: 'user', text: 'one' },
    { role: 'assistant', text: 'a', files: [{ path: 'a' }] },
    { role: 'assistant', text: 'b', files: [{ path: 'b' }], hidden: 'reverted' },
    { role: 'assistant', text: 'c', files: [], hidden: 'reverted' },
    { role: 'assistant', text: 'd', files: [{ path: 'd' }], hidden: 'reverted' },
  ]);

test('the bar says where the thread stands', () => {
  const standing = { messageId: 'm2', stop: 2, hidden: 3, files: ['b', 'd'], now: null };
  expect(standingWords(view())).toBeNull();
  expect(standingWords({ ...view(), standing })).toBe('At message 2 of 5 · 3 messages hidden · 2 files');
  expect(standingWords({ ...view(), standing: { ...standing, stop: 0, hidden: 1, files: null } })).toBe('At the start · 1 message hidden');
});

test('the patch of a standing revert is made of the captured steps it took back', () => {
  const thread = { ...view(), standing: { messageId: 'm2', stop: 2, hidden: 3, files: null, now: null } };
  const range = revertedSteps(thread);
  expect([range?.from.id, range?.to.id]).toEqual(['s2', 's4']);
  for (const step of thread.steps) step.captured = reason('TREE_EMPTY');
  expect(revertedSteps(thread)).toBeNull();
  expect(revertedSteps(view())).toBeNull();
});

test('a refusal offers the next step, never itself', () => {
  expect(wayOutOf(reason('STOP_FIRST_MESSAGE'), 'revert')).toBe('files-only');
  expect(wayOutOf(reason('STOP_FIRST_MESSAGE'), 'undo')).toBe('none');
  expect(wayOutOf(reason('NOT_IDLE'), 'undo')).toBe('again');
  expect(wayOutOf(reason('NO_WORKSPACE', { path: '/x' }), 'revert')).toBe('locate');
  expect(wayOutOf(reason('REVERT_STANDS'), 'undo')).toBe('unrevert');
  expect(wayOutOf(reason('REVERT_STANDS'), 'unrevert')).toBe('none');
  expect(wayOutOf(reason('TREE_MISSING', { tree: 'x' }), 'revert')).toBe('none');
});

test('a patch can be made of what is shown, the step and its turn, each once', () => {
  const selection = { turn: 1, step: 's1', anchor: null };
  expect(patchSources({ range: { kind: 'step', step: 's1' }, title: 'Step 1' }, selection, 1).map((source) => source.label)).toEqual([
    'Step 1',
    'Turn 1',
  ]);
  expect(patchSources({ range: { kind: 'plan', stop: 2 }, title: 'If you go back' }, selection, 1).map((source) => source.label)).toEqual([
    'Step 1',
    'Turn 1',
  ]);
  expect(patchSources({ range: null, title: '' }, { turn: null, step: null, anchor: null }, null)).toEqual([]);
});

test('a step that was not captured is refused with its reason before the engine is asked', () => {
  const thread = view();
  const first = thread.steps[0];
  if (first === undefined) throw new Error('a step was said');
  first.captured = reason('TREE_EMPTY');
  expect(notCaptured({ kind: 'step', step: 's1' }, thread)).toEqual(reason('TREE_EMPTY'));
  expect(notCaptured({ kind: 'step', step: 's2' }, thread)).toBeNull();
  expect(notCaptured({ kind: 'turn', turn: 1 }, thread)).toBeNull();
});

test('the place of a patch starts in the home folder', () => {
  expect(defaultPath('/home/ann', 'a.patch')).toBe('/home/ann/a.patch');
  expect(defaultPath('C:\\Users\\Ann', 'a.patch')).toBe('C:\\Users\\Ann\\a.patch');
  expect(defaultPath(undefined, 'a.patch')).toBe('a.patch');
});

test('only what was kept, skipped or failed is reported', () => {
  const all = (['written', 'deleted', 'merged', 'kept', 'skipped', 'failed'] as const).map((outcome) => ({
    path: outcome,
    outcome,
    why: null,
  }));
  expect(leftovers(all).map((entry) => entry.path)).toEqual(['kept', 'skipped', 'failed']);
});
