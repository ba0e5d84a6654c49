import { expect, test, vi } from 'vitest';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { previewStop } from '../../renderer/store/preview.ts';
import { lookAtMatch, search, stepMatch, takeHits } from '../../renderer/store/search.ts';
import { openHit, searchAll, whyNotSearchAll } from '../../renderer/store/search-all.ts';
import { searchAllStore } from '../../renderer/store/search-all-store.ts';
import { searchStore } from '../../renderer/store/search-store.ts';
import { selectStep } from '../../renderer/store/selection.ts';
import { closeThread, openThread, reloadThread, takePreview } from '../../renderer/store/session.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import { startApp } from '../../renderer/store/start.ts';
import { listThreads, locateWorkspace, takePath } from '../../renderer/store/threads.ts';
import { threadsStore } from '../../renderer/store/threads-store.ts';
import { createClient } from '../../shared/client.ts';
import type { ThreadView, ViewPatch } from '../../shared/contract.ts';
import { DEFAULT_SETTINGS as defaultSettings } from '../../shared/default-settings.ts';
import { listPatch } from '../../shared/list-patch.ts';
import type { Hit } from '../../shared/search.ts';
import { FakeHost } from './fake-host.ts';
import { headOf, makeView } from './make-view.ts';
import { freshWindow, later, windowWith } from './reset.ts';

const SAYS = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'two', files: [{ path: 'a.ts' }] },
  { role: 'user', text: 'three' },
  { role: 'assistant', text: 'four' },
] as const;
const whole = makeView(SAYS);
/** The last two of its messages. */
const end: ThreadView = {
  ...whole,
  messages: whole.messages.slice(2),
  turns: [],
  steps: [],
  can: { ...whole.can, revert: { code: 'LOG_READING', message: 'reading' } },
};

const session = () => sessionStore.getState();
const hitOf = (message: string, over: Partial<Hit> = {}): Hit => ({
  message,
  stop: 1,
  role: 'tool',
  turn: 1,
  hidden: null,
  place: 'output',
  call: null,
  excerpt: 'a deep word here',
  at: 2,
  length: 4,
  words: [0],
  times: 1,
  ...over,
});

async function opening() {
  const answer = later<ThreadView>();
  const host = freshWindow({
    'thread.open': () => answer.promise,
    'thread.steps': () => whole,
    'thread.close': () => ({}),
    cancel: () => ({}),
    'diff.files': () => ({ files: [] }),
  });
  const done = openThread('tanstack:t1');
  const operation = session().reading?.operation ?? '';
  return { host, answer, done, operation };
}

test('the end of a log is shown while the rest is read, and nothing can be done with it; then the whole takes its place', async () => {
  const { answer, done, operation, host } = await opening();
  takePreview('another', end, { from: 9, size: 10 });
  expect(session().view).toBeNull();
  takePreview(operation, end, { from: 9, size: 10 });
  expect([session().view?.messages.length, session().partial, cursorStore.getState().here]).toEqual([2, { from: 9, size: 10 }, 4]);
  await selectStep('s1');
  expect([changesStore.getState().error?.code, host.times('diff.files')]).toEqual(['LOG_READING', 0]);
  vi.useFakeTimers();
  previewStop(3);
  vi.runAllTimers();
  vi.useRealTimers();
  expect([cursorStore.getState().planError?.code, host.times('travel.preview')]).toEqual(['LOG_READING', 0]);
  answer.resolve(whole);
  await done;
  expect([session().view?.messages.length, session().partial, session().reading]).toEqual([4, null, null]);
  expect([cursorStore.getState().preview, cursorStore.getState().fresh]).toEqual([3, 0]);
  expect(session().selection).toEqual({ turn: 1, step: null, anchor: null });
});

test('leaving while a log is read cancels the reading by its operation', async () => {
  const { host, operation } = await opening();
  closeThread();
  expect(host.asked.filter(({ call }) => call === 'cancel')).toEqual([{ call: 'cancel', input: { operation } }]);
  expect(session()).toMatchObject({ id: null, reading: null });
});

test('progress in bytes belongs to the reading under way', async () => {
  const { host, operation } = await opening();
  await startApp(createClient(host), () => undefined);
  host.push('progress', { operation: 'other', done: 1, total: 2, label: '' });
  host.push('progress', { operation, done: 41, total: 104, label: 'Reading the log' });
  expect(session().reading).toEqual({ operation, done: 41, total: 104 });
});

const versioned = (view: ThreadView, version: number): ThreadView => ({ ...view, version });
function patchTo(from: ThreadView, to: ThreadView): ViewPatch {
  const { messages, steps, turns, gaps, ...facts } = to;
  return {
    facts,
    messages: listPatch(from.messages, messages),
    steps: listPatch(from.steps, steps),
    turns: listPatch(from.turns, turns),
    gaps: listPatch(from.gaps, gaps),
  };
}

test('a thread that changed is patched: rows that stay are the same objects, and nothing is asked for twice', async () => {
  const grown = versioned(makeView([...SAYS, { role: 'user', text: 'five' }]), 2);
  const answers: unknown[] = [{ kind: 'same' }, { kind: 'patch', patch: patchTo(whole, grown) }, { kind: 'same' }];
  const host = await windowWith(versioned(whole, 1), { 'thread.changes': () => answers.shift() as never });
  const before = session().view?.messages[0];
  await reloadThread('tanstack:t1');
  expect(session().view?.messages.map(({ excerpt }) => excerpt)).toEqual(['one', 'two', 'three', 'four', 'five']);
  expect(session().view?.messages[0]).toBe(before);
  expect(host.asked.filter(({ call }) => call === 'thread.changes').map(({ input }) => input)).toMatchObject([
    { version: 1, steps: true },
    { version: 1, steps: false },
    { version: 2, steps: true },
  ]);
  expect([host.times('thread.open'), host.times('thread.steps'), session().view?.version]).toEqual([1, 0, 2]);
});

test('a patch that does not fit is answered by asking for the whole view', async () => {
  const other = makeView([{ role: 'user', text: 'x' }]);
  const host = await windowWith(versioned(whole, 1), {
    'thread.changes': () => ({ kind: 'patch', patch: patchTo(other, versioned(other, 2)) }),
  });
  expect([host.times('thread.steps'), session().fillError, session().view?.messages.length]).toEqual([1, null, 4]);
});

test('what the window knows is found at once; whole texts come after, and the match that is looked at stays the one', async () => {
  vi.useFakeTimers();
  const answer = later<{ found: number; more: boolean }>();
  const host = await windowWith(whole, { 'search.thread': () => answer.promise, cancel: () => ({}) });
  search('three');
  expect([searchStore.getState().rows, searchStore.getState().at]).toEqual([[2], 0]);
  await vi.advanceTimersByTimeAsync(400);
  const { operation = '' } = searchStore.getState().running ?? {};
  expect(host.asked.at(-1)).toMatchObject({ call: 'search.thread', input: { thread: 'tanstack:t1', operation, words: ['three'] } });
  takeHits('other', [hitOf('m4')]);
  takeHits(operation, [hitOf('m1'), hitOf('m4')]);
  await vi.advanceTimersByTimeAsync(400);
  expect([searchStore.getState().rows, searchStore.getState().at]).toEqual([[0, 2, 3], 1]);
  stepMatch(1);
  stepMatch(1);
  expect(searchStore.getState().at).toBe(0);
  expect([lookAtMatch('m4'), searchStore.getState().at, lookAtMatch('m2')]).toEqual([true, 2, false]);
  answer.resolve({ found: 2, more: true });
  await vi.advanceTimersByTimeAsync(10);
  expect(searchStore.getState()).toMatchObject({ running: null, more: true });
  vi.useRealTimers();
});

test('the newest query wins: the search before is cancelled, fields narrow what the texts gave', async () => {
  vi.useFakeTimers();
  const host = await windowWith(whole, { 'search.thread': () => new Promise(() => undefined), cancel: () => ({}) });
  search('deep');
  await vi.advanceTimersByTimeAsync(400);
  const first = searchStore.getState().running?.operation;
  search('deep turn:1');
  expect(host.asked.at(-1)).toEqual({ call: 'cancel', input: { operation: first } });
  await vi.advanceTimersByTimeAsync(400);
  takeHits(first ?? '', [hitOf('m1')]);
  takeHits(searchStore.getState().running?.operation ?? '', [hitOf('m1'), hitOf('m3')]);
  await vi.advanceTimersByTimeAsync(400);
  expect(searchStore.getState().rows).toEqual([0]);
  search('turn:2');
  await vi.advanceTimersByTimeAsync(400);
  expect([searchStore.getState().running, searchStore.getState().rows]).toEqual([null, [2, 3]]);
  vi.useRealTimers();
});

test('over all threads: what is found comes thread by thread, and a hit opens at its stop with the words in the box', async () => {
  const answer = later<{ threads: number; found: number; problems: never[] }>();
  const host = new FakeHost({
    'search.threads': () => answer.promise,
    'thread.open': () => whole,
    'thread.steps': () => whole,
    'thread.close': () => ({}),
    'diff.files': () => ({ files: [] }),
    cancel: () => ({}),
  });
  freshWindow({});
  await startApp(createClient(host), () => undefined);
  expect([whyNotSearchAll(''), whyNotSearchAll('path:x'), whyNotSearchAll('x')].map((why) => why === null)).toEqual([false, false, true]);
  const searching = searchAll('Deep word');
  const operation = searchAllStore.getState().operation ?? '';
  host.push('search.found', { operation, head: headOf(), hits: [hitOf('m1')], found: 1 });
  host.push('search.found', { operation: 'old', head: headOf(), hits: [], found: 0 });
  host.push('progress', { operation, done: 1, total: 3, label: 'Fix the login form' });
  expect(searchAllStore.getState()).toMatchObject({
    phase: 'running',
    done: 1,
    total: 3,
    label: 'Fix the login form',
    found: [{ found: 1 }],
  });
  await openHit('tanstack:t1', hitOf('m1', { words: [0, 1] }));
  expect(host.asked.some(({ call, input }) => call === 'cancel' && (input as { operation: string }).operation === operation)).toBe(true);
  expect([cursorStore.getState().preview, searchStore.getState().query, searchStore.getState().at]).toEqual([1, 'Deep word', 0]);
  answer.resolve({ threads: 3, found: 1, problems: [] });
  await searching;
  expect(searchAllStore.getState().found.length).toBe(1);
});

test('a moved workspace is named once for all of its threads; more places to look are kept and looked at', async () => {
  const heads = [headOf({ id: 'a', root: '/old' }), headOf({ id: 'b', root: '/old' }), headOf({ id: 'c', root: '/else' })];
  const host = freshWindow({
    'threads.list': () => ({ threads: heads, problems: [] }),
    'threads.relocate': () => ({}),
    'dialog.open': () => '/new',
    'settings.set': (change) => ({ ...defaultSettings, folders: change.folders ?? [] }),
  });
  await listThreads();
  threadsStore.setState({ choice: { source: null, root: '/old' } });
  await locateWorkspace('/old');
  expect(host.asked.find(({ call }) => call === 'threads.relocate')?.input).toEqual({ threads: ['a', 'b'], root: '/new' });
  expect([threadsStore.getState().choice.root, threadsStore.getState().moving]).toEqual([null, null]);
  const lists = host.times('threads.list');
  await takePath('/more', 'known');
  expect(host.asked.find(({ call }) => call === 'settings.set')?.input).toEqual({ folders: ['/more'] });
  expect(host.times('threads.list')).toBe(lists + 1);
});
