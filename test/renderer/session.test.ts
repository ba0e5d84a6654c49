import { describe, expect, test } from 'vitest';
import { selectFile, showRange, stepFile } from '../../renderer/store/changes.ts';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { previewStop, setFollowing } from '../../renderer/store/preview.ts';
import { selectStep, selectSteps, selectTurn, showSince } from '../../renderer/store/selection.ts';
import { closeThread, openThread, reloadThread } from '../../renderer/store/session.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import type { ThreadView } from '../../shared/contract.ts';
import { reason } from '../../shared/errors.ts';
import { Refusal } from './fake-host.ts';
import { headOf, makeView, type Say } from './make-view.ts';
import { freshWindow, later, windowWith } from './reset.ts';

const says: Say[] = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a', files: [{ path: 'x', added: 42, removed: 17 }] },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'b', files: [{ path: 'y' }, { path: 'z' }] },
  { role: 'user', text: 'three' },
];
const unfilled = (view: ThreadView): ThreadView => ({
  ...view,
  steps: view.steps.map((step) => ({ ...step, files: null, captured: null })),
});
const session = (): ReturnType<typeof sessionStore.getState> => sessionStore.getState();

describe('opening', () => {
  test('shows the thread before its snapshots are asked, then fills it in and selects the newest turn that changed files', async () => {
    const filled = later<ThreadView>();
    const view = makeView(says);
    const host = freshWindow({
      'thread.open': () => unfilled(view),
      'thread.steps': () => filled.promise,
      'diff.files': () => ({ files: [] }),
    });
    const opening = openThread('tanstack:t1', { root: '/moved' });
    expect(session()).toMatchObject({ id: 'tanstack:t1', phase: 'loading' });
    await expect.poll(() => session().filling).toBe(true);
    expect(session()).toMatchObject({ phase: 'ready', selection: { turn: 2 } });
    expect(session().view?.steps[0]?.files).toBeNull();
    filled.resolve(view);
    await opening;
    expect(session().filling).toBe(false);
    expect(session().view?.steps[0]?.files?.[0]).toMatchObject({ path: 'x', added: 42 });
    expect(host.asked[0]).toMatchObject({ call: 'thread.open', input: { thread: 'tanstack:t1', root: '/moved', data: null } });
    expect(changesStore.getState().range).toEqual({ kind: 'turn', turn: 2 });
    expect(cursorStore.getState().here).toBe(5);
  });

  test('a thread that is left while it opens does not come back', async () => {
    const slow = later<ThreadView>();
    const other = makeView([{ role: 'user', text: 'other' }], { head: headOf({ id: 'dsh:2' }) });
    freshWindow({
      'thread.open': ({ thread }) => (thread === 'dsh:2' ? other : slow.promise),
      'thread.steps': () => other,
      'thread.close': () => ({}),
      'diff.files': () => ({ files: [] }),
    });
    const first = openThread('tanstack:t1');
    await openThread('dsh:2');
    slow.resolve(makeView(says));
    await first;
    expect(session().view?.head.id).toBe('dsh:2');
  });

  test('a refusal is kept with its code', async () => {
    freshWindow({
      'thread.open'() {
        throw new Refusal(reason('LOG_EMPTY', { path: '/l' }));
      },
    });
    await openThread('tanstack:t1');
    expect(session()).toMatchObject({ phase: 'failed', error: { code: 'LOG_EMPTY' }, view: null });
  });

  test('snapshots that cannot be asked leave the thread readable', async () => {
    await windowWith(makeView(says), {
      'thread.steps'() {
        throw new Refusal(reason('NO_GIT'));
      },
    });
    expect(session()).toMatchObject({ phase: 'ready', filling: false, fillError: { code: 'NO_GIT' } });
    expect(session().view?.messages).toHaveLength(5);
  });

  test('closing tells the host and leaves nothing behind', async () => {
    const host = await windowWith(makeView(says));
    previewStop(1);
    closeThread();
    expect(host.asked.at(-1)).toEqual({ call: 'thread.close', input: { thread: 'tanstack:t1' } });
    expect(session()).toMatchObject({ id: null, phase: 'none', view: null });
    expect(cursorStore.getState()).toMatchObject({ here: 0, preview: null });
    expect(changesStore.getState().range).toBeNull();
  });
});

describe('a thread that changes', () => {
  test('keeps the files it knew until the snapshots have been asked again', async () => {
    const view = makeView(says);
    const grown = makeView([...says, { role: 'assistant', text: 'c', files: [{ path: 'n' }] }]);
    const filled = later<ThreadView>();
    let asked = 0;
    await windowWith(view, {
      'thread.open': () => (asked++ === 0 ? view : unfilled(grown)),
      'thread.steps': () => (asked === 1 ? view : filled.promise),
    });
    const reloading = reloadThread('tanstack:t1');
    await expect.poll(() => session().view?.messages.length).toBe(6);
    expect(session().view?.steps.map((step) => step.files?.length ?? null)).toEqual([1, 2, null]);
    filled.resolve(grown);
    await reloading;
    expect(session().view?.steps.map((step) => step.files?.length ?? null)).toEqual([1, 2, 1]);
  });

  test('follows the end, or counts what came while it does not', async () => {
    let view = makeView(says);
    await windowWith(view, { 'thread.open': () => view, 'thread.steps': () => view });
    const grow = async (): Promise<void> => {
      view = makeView([...says, ...view.messages.slice(says.length - 1).map((): Say => ({ role: 'assistant', text: 'more' }))]);
      await reloadThread('tanstack:t1');
    };
    await grow();
    expect(cursorStore.getState()).toMatchObject({ here: 6, fresh: 0, following: true });
    setFollowing(false);
    await grow();
    await grow();
    expect(cursorStore.getState()).toMatchObject({ here: 8, fresh: 2, following: false });
    setFollowing(true);
    expect(cursorStore.getState().fresh).toBe(0);
  });

  test('a look at a stop that is gone ends', async () => {
    let view = makeView(says);
    await windowWith(view, { 'thread.open': () => view, 'thread.steps': () => view });
    previewStop(4);
    view = makeView(says.slice(0, 3));
    await reloadThread('tanstack:t1');
    expect(cursorStore.getState()).toMatchObject({ preview: null, here: 3 });
  });

  test('another thread’s change is nothing to this one', async () => {
    const host = await windowWith(makeView(says));
    const before = host.asked.length;
    await reloadThread('dsh:9');
    expect(host.asked.length).toBe(before);
  });
});

describe('what is looked at', () => {
  test('a step shows the files the view holds, without a call', async () => {
    const host = await windowWith(makeView(says));
    const before = host.times('diff.files');
    await selectStep('s2');
    expect(host.times('diff.files')).toBe(before);
    expect(changesStore.getState()).toMatchObject({ title: 'Step 2', phase: 'ready', file: 'y' });
    expect(session().selection).toEqual({ turn: 2, step: 's2', anchor: null });
  });

  test('a range of steps is in log order, whichever end was chosen first', async () => {
    await windowWith(makeView(says));
    await selectStep('s2');
    await selectStep('s1', { extend: true });
    expect(changesStore.getState()).toMatchObject({ range: { kind: 'steps', from: 's1', to: 's2' }, title: 'Steps 1 to 2' });
    await selectSteps('s1', 's2');
    expect(changesStore.getState().range).toEqual({ kind: 'steps', from: 's1', to: 's2' });
    await selectSteps('s1', 's1');
    expect(changesStore.getState().range).toEqual({ kind: 'step', step: 's1' });
  });

  test('a turn in which one step changed files is known, and "since" asks the host', async () => {
    const host = await windowWith(makeView(says), {
      'diff.files': ({ range }) => ({ files: [{ path: range.kind, change: 'modified', added: 1, removed: 0, binary: false }] }),
    });
    await selectTurn(1);
    expect(changesStore.getState()).toMatchObject({ title: 'Turn 1', phase: 'ready', file: 'x' });
    expect(host.times('diff.files')).toBe(0);
    await showSince('s1');
    expect(changesStore.getState()).toMatchObject({ title: 'Since step 1', file: 'since' });
    expect(host.asked.at(-1)?.input).toEqual({ thread: 'tanstack:t1', range: { kind: 'since', step: 's1' } });
  });

  test('the newest range wins over an answer that comes late', async () => {
    const slow = later<{ files: [] }>();
    await windowWith(makeView(says), {
      'diff.files': ({ range }) => (range.kind === 'since' ? slow.promise : { files: [] }),
    });
    const late = showSince('s1');
    await selectStep('s1');
    slow.resolve({ files: [] });
    await late;
    expect(changesStore.getState()).toMatchObject({ range: { kind: 'step', step: 's1' }, files: [{ path: 'x' }] });
  });

  test('a refusal is the pane’s, with its reason', async () => {
    await windowWith(makeView(says), {
      'diff.files'() {
        throw new Refusal(reason('TREE_MISSING', { tree: 'abc' }));
      },
    });
    await showRange({ kind: 'since', step: 's1' });
    expect(changesStore.getState()).toMatchObject({ phase: 'failed', error: { code: 'TREE_MISSING' }, files: [] });
  });

  test('of steps that were not captured the names are shown, without numbers', async () => {
    const view = makeView(says);
    const [first] = view.steps;
    if (first === undefined) throw new Error('no step');
    first.captured = reason('CHANGES_NOT_KEPT');
    first.files = [{ path: 'named.txt', change: 'modified', added: null, removed: null, binary: false }];
    await windowWith(view, {
      'diff.files'() {
        throw new Refusal(reason('NOT_CAPTURED', { step: 1 }));
      },
    });
    await selectTurn(1);
    expect(changesStore.getState()).toMatchObject({ phase: 'ready', error: { code: 'NOT_CAPTURED' }, files: first.files });
    await showRange({ kind: 'steps', from: 's1', to: 's2' });
    expect(changesStore.getState().files.map(({ path, added }) => [path, added])).toEqual([
      ['named.txt', null],
      ['y', null],
      ['z', null],
    ]);
  });

  test('files are stepped through and stay at the ends', async () => {
    await windowWith(makeView(says));
    await selectStep('s2');
    stepFile(1);
    expect(changesStore.getState()).toMatchObject({ file: 'z', fileAsked: 1 });
    stepFile(1);
    expect(changesStore.getState()).toMatchObject({ file: 'z', fileAsked: 2 });
    selectFile('y');
    expect(changesStore.getState().file).toBe('y');
  });
});
