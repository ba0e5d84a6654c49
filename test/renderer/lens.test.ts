import { beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../renderer/commands.ts';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { compareFrom, compareWith } from '../../renderer/store/compare.ts';
import { pinFile, stepLens } from '../../renderer/store/lens.ts';
import { lensOf, placeInLens } from '../../renderer/store/lens-model.ts';
import { lensStore } from '../../renderer/store/lens-store.ts';
import { copyPatch } from '../../renderer/store/patch.ts';
import { selectStep, selectTurn } from '../../renderer/store/selection.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import type { FileChange } from '../../shared/model.ts';
import type { FakeHost } from './fake-host.ts';
import { makeView, type Say } from './make-view.ts';
import { windowWith } from './reset.ts';

const changes = (...files: (Partial<FileChange> & { path: string })[]): Say => ({ role: 'assistant', text: '', files });
/** Step 2 and 4 change b; a is moved to lib/a in step 3, and changed before and after. */
const says: Say[] = [
  { role: 'user', text: 'One' },
  changes({ path: 'src/a.ts', change: 'created', added: 40, removed: 0 }, { path: 'b.ts' }),
  changes({ path: 'b.ts' }),
  changes({ path: 'src/a.ts', change: 'deleted', added: 0, removed: 40 }, { path: 'lib/a.ts', change: 'created', added: 41, removed: 0 }),
  { role: 'user', text: 'Two' },
  changes({ path: 'b.ts' }),
  changes({ path: 'lib/a.ts', added: 4, removed: 1 }),
];
const view = makeView(says);

describe('the way of one file', () => {
  const way = (path: string, steps = view.steps) => lensOf(steps, path).stops.map(({ step, file }) => `${step.id} ${file.path}`);

  test('are the steps that list it, also under the name it looks moved from or to', () => {
    expect(way('b.ts')).toEqual(['s1 b.ts', 's2 b.ts', 's4 b.ts']);
    expect(way('lib/a.ts')).toEqual(['s1 src/a.ts', 's3 lib/a.ts', 's5 lib/a.ts']);
    expect(way('src/a.ts')).toEqual(way('lib/a.ts'));
    expect(lensOf(view.steps, 'src/a.ts').stops[1]?.movedFrom).toBe('src/a.ts');
    expect([...lensOf(view.steps, 'lib/a.ts').names]).toEqual(['lib/a.ts', 'src/a.ts']);
    expect(way('none.ts')).toEqual([]);
  });

  test('a branch that was dropped is no part of it, a reverted one is', () => {
    const hide = (reason: 'dropped' | 'reverted') => view.steps.map((step) => (step.id === 's2' ? { ...step, hidden: { reason } } : step));
    expect(way('b.ts', hide('dropped'))).toEqual(['s1 b.ts', 's4 b.ts']);
    expect(way('b.ts', hide('reverted'))).toEqual(['s1 b.ts', 's2 b.ts', 's4 b.ts']);
  });

  test('two moves that point at each other end', () => {
    const back = makeView([
      ...says,
      changes(
        { path: 'lib/a.ts', change: 'deleted', added: 0, removed: 44 },
        { path: 'src/a.ts', change: 'created', added: 44, removed: 0 },
      ),
    ]);
    expect(way('lib/a.ts', back.steps)).toEqual(['s1 src/a.ts', 's3 lib/a.ts', 's5 lib/a.ts', 's6 lib/a.ts']);
  });

  test('a step that did not change it has a place between two that did', () => {
    const lens = lensOf(view.steps, 'b.ts');
    expect(view.steps.map((step) => placeInLens(lens, step))).toEqual([
      { at: 0, before: 0 },
      { at: 1, before: 1 },
      { at: null, before: 2 },
      { at: 2, before: 2 },
      { at: null, before: 3 },
    ]);
  });
});

describe('a pinned file', () => {
  let host: FakeHost;
  beforeEach(async () => {
    lensStore.setState({ path: null });
    host = await windowWith(view, {
      'diff.files': ({ range }) => ({
        files: range.kind === 'turn' || range.kind === 'stops' ? view.steps.flatMap((step) => step.files ?? []) : [],
      }),
      'diff.file': ({ path }) => ({ path, before: null, after: null, eolOnly: false }),
      'patch.text': () => ({ text: 'p', name: 'p.patch', files: 1, secrets: [] }),
      'clipboard.write': () => ({}),
    });
  });
  const shown = () => changesStore.getState().files.map((file) => file.path);
  const step = () => sessionStore.getState().selection.step;

  test('is shown alone, at the nearest step that changed it, and walks to its ends and no further', async () => {
    await selectStep('s3');
    await pinFile('b.ts');
    expect([step(), shown()]).toEqual(['s2', ['b.ts']]);
    await stepLens(1);
    expect([step(), shown()]).toEqual(['s4', ['b.ts']]);
    await stepLens(1);
    expect(step()).toBe('s4');
    await stepLens('first');
    expect(step()).toBe('s1');
    await stepLens(-1);
    expect(step()).toBe('s1');
    await stepLens('last');
    expect(step()).toBe('s4');
  });

  test('stays pinned at a step that did not change it, and goes on from there', async () => {
    await selectStep('s2');
    await pinFile('b.ts');
    await selectStep('s3');
    expect(shown()).toEqual([]);
    await stepLens(1);
    expect(step()).toBe('s4');
    await selectStep('s3');
    await stepLens(-1);
    expect(step()).toBe('s2');
    await selectTurn(1);
    expect(shown()).toEqual(['b.ts', 'b.ts', 'b.ts']);
  });

  test('its next diffs are on their way before they are asked for', async () => {
    await selectStep('s1');
    await pinFile('b.ts');
    const fetched = () =>
      host.asked.filter(({ call }) => call === 'diff.file').map(({ input }) => (input as { range: { step: string } }).range.step);
    expect(fetched()).toEqual(['s1', 's2', 's4']);
    await stepLens(1);
    expect(fetched()).toEqual(['s1', 's2', 's4']);
  });

  test('a comparison can be looked at through it, and Escape takes the pin first', async () => {
    compareFrom(1);
    await compareWith(7);
    await pinFile('lib/a.ts');
    expect(changesStore.getState().range).toEqual({ kind: 'stops', from: 1, to: 7 });
    expect(new Set(shown())).toEqual(new Set(['src/a.ts', 'lib/a.ts']));
    runCommand('leave');
    expect(lensStore.getState().path).toBeNull();
    expect(changesStore.getState().range).toEqual({ kind: 'stops', from: 1, to: 7 });
    runCommand('leave');
    expect(changesStore.getState().range).toMatchObject({ kind: 'turn' });
  });

  test('the patch of what is shown is the patch of the one file', async () => {
    await selectStep('s1');
    await pinFile('b.ts');
    await copyPatch();
    expect(host.asked.at(-2)).toEqual({
      call: 'patch.text',
      input: { thread: view.head.id, range: { kind: 'step', step: 's1' }, file: 'b.ts' },
    });
  });
});
