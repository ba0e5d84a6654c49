import { expect, test, vi } from 'vitest';
import { appStore } from '../../renderer/store/app-store.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import { loadApp, startApp } from '../../renderer/store/start.ts';
import { choosePath, locatePath, openSample, takePath } from '../../renderer/store/threads.ts';
import { threadsStore } from '../../renderer/store/threads-store.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import { travelStore } from '../../renderer/store/travel-store.ts';
import { createClient } from '../../shared/client.ts';
import type { AppInfo, ThreadView } from '../../shared/contract.ts';
import { DEFAULT_SETTINGS } from '../../shared/default-settings.ts';
import { reason } from '../../shared/errors.ts';
import { FakeHost, Refusal } from './fake-host.ts';
import { headOf, makeView } from './make-view.ts';
import { freshWindow, later, windowWith } from './reset.ts';

const infoOf = (over: Partial<AppInfo> = {}): AppInfo => ({
  host: 'electron',
  version: '0.1.0',
  platform: 'linux',
  home: '/home/ann',
  git: { version: 'git version 2.39.5' },
  open: null,
  ...over,
});
const view = makeView([{ role: 'user', text: 'one' }]);

function answersFor(info: AppInfo): ConstructorParameters<typeof FakeHost>[0] {
  return {
    'app.info': () => info,
    'settings.get': () => ({ ...DEFAULT_SETTINGS, theme: 'dark' }),
    'settings.set': (change) => ({ ...DEFAULT_SETTINGS, ...(change as object) }),
    'threads.list': () => ({ threads: [headOf()], problems: [] }),
    'threads.locate': () => ({ threads: [headOf()] }),
    'travel.interrupted': () => ({ travels: [] }),
    'thread.open': () => view,
    'thread.steps': () => view,
    'thread.close': () => ({}),
    'diff.files': () => ({ files: [] }),
  };
}

async function started(over: Partial<AppInfo>, answers: ConstructorParameters<typeof FakeHost>[0] = {}) {
  freshWindow({});
  const host = new FakeHost({ ...answersFor(infoOf(over)), ...answers });
  const ran: unknown[] = [];
  await startApp(createClient(host), (command, argument) => ran.push([command, argument]));
  return { host, ran };
}

test('the start reads settings, lists threads and asks for interrupted travels', async () => {
  const { host } = await started({});
  await expect.poll(() => threadsStore.getState().phase).toBe('ready');
  expect(appStore.getState()).toMatchObject({ connection: 'open', failed: null, settings: { theme: 'dark' } });
  expect(host.times('travel.interrupted')).toBe(1);
  expect(sessionStore.getState().id).toBeNull();
});

test('what the command line named is opened: a path is looked at, an id is opened', async () => {
  const path = await started({ open: '/home/ann/log.jsonl' });
  expect(path.host.asked.find(({ call }) => call === 'threads.locate')?.input).toEqual({ path: '/home/ann/log.jsonl' });
  expect(sessionStore.getState().view?.head.id).toBe('tanstack:t1');
  const id = await started({ open: 'tanstack:t1' });
  expect([id.host.times('threads.locate'), sessionStore.getState().view?.head.id]).toEqual([0, 'tanstack:t1']);
});

test('a host that does not answer is said, and can be asked again', async () => {
  let broken = true;
  await started(
    {},
    {
      'app.info'() {
        if (broken) throw new Refusal(reason('HOST_LOST'));
        return infoOf();
      },
    },
  );
  expect(appStore.getState().failed?.code).toBe('HOST_LOST');
  broken = false;
  await loadApp();
  expect([appStore.getState().failed, appStore.getState().info?.version]).toEqual([null, '0.1.0']);
});

test('changes that come while the thread is read again cause one more read, not one each', async () => {
  const answers: ReturnType<typeof later<ThreadView>>[] = [];
  let opened = 0;
  const { host } = await started(
    { open: 'tanstack:t1' },
    {
      'thread.open'() {
        opened += 1;
        if (opened === 1) return view;
        const answer = later<ThreadView>();
        answers.push(answer);
        return answer.promise;
      },
    },
  );
  for (let push = 0; push < 5; push++) host.push('thread.changed', { thread: 'tanstack:t1' });
  host.push('thread.changed', { thread: 'other' });
  await expect.poll(() => answers.length).toBe(1);
  answers[0]?.resolve(view);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.resolve(view);
  await vi.waitFor(() => expect(sessionStore.getState().filling).toBe(false));
  expect(opened).toBe(3);
});

test('progress belongs to its operation, and commands of the menu are run', async () => {
  const { host, ran } = await started({});
  const request = { kind: 'revert', stop: 1, entry: null, scope: 'both' } as const;
  travelStore.setState({ running: { operation: 'o1', request, done: 0, total: null, label: '', cancelling: false } });
  host.push('progress', { operation: 'o2', done: 9, total: 9, label: 'no' });
  host.push('progress', { operation: 'o1', done: 3, total: 6, label: 'src/a.ts' });
  host.push('command', { command: 'palette', argument: null });
  host.push('command', { command: 7 });
  expect(travelStore.getState().running).toMatchObject({ done: 3, total: 6, label: 'src/a.ts' });
  expect(ran).toEqual([['palette', null]]);
});

test('a path with several threads is a list to choose from, and is remembered first among the recent ones', async () => {
  await started({}, { 'threads.locate': () => ({ threads: [headOf({ id: 'a' }), headOf({ id: 'b' })] }) });
  appStore.setState({ settings: { ...DEFAULT_SETTINGS, recent: ['/old', '/new'] } });
  await locatePath('/new');
  expect(threadsStore.getState()).toMatchObject({ filter: '/new', busy: null });
  expect(threadsStore.getState().threads.map((head) => head.id)).toEqual(['a', 'b', 'tanstack:t1']);
  expect(appStore.getState().settings.recent).toEqual(['/new', '/old']);
});

test('a path that is nothing is said, with the details to copy', async () => {
  await started(
    {},
    {
      'threads.locate'() {
        throw new Refusal(reason('NOT_FOUND', { path: '/x' }));
      },
    },
  );
  await locatePath('/x');
  expect(toastStore.getState().toast).toMatchObject({ tone: 'failed', reason: { code: 'NOT_FOUND' }, stays: true });
  expect(threadsStore.getState().busy).toBeNull();
});

test('a path is asked for by the system’s dialog in Electron, by ours in a browser', async () => {
  const { host } = await started({}, { 'dialog.open': () => null });
  await choosePath('log');
  expect(host.asked.at(-1)).toEqual({ call: 'dialog.open', input: { what: 'log' } });
  await started({ host: 'browser' });
  await choosePath('data');
  expect(appStore.getState()).toMatchObject({ overlay: 'folder', picking: 'data' });
});

test('a named workspace or snapshot folder opens the thread afresh with it', async () => {
  const host = await windowWith(view);
  await takePath('/moved', 'root');
  await takePath('/snaps', 'data');
  expect(host.asked.filter(({ call }) => call === 'thread.open').map(({ input }) => input)).toMatchObject([
    { thread: 'tanstack:t1', root: null, data: null },
    { thread: 'tanstack:t1', root: '/moved', data: null },
    { thread: 'tanstack:t1', root: null, data: '/snaps' },
  ]);
});

test('the sample is made once, however often it is asked for', async () => {
  const made = later<ReturnType<typeof headOf>>();
  const { host } = await started({}, { 'sample.make': () => made.promise });
  const both = [openSample(), openSample()];
  expect(threadsStore.getState().busy).toMatch(/^Making the sample/);
  made.resolve(headOf());
  await Promise.all(both);
  expect([host.times('sample.make'), sessionStore.getState().view?.head.id]).toEqual([1, 'tanstack:t1']);
});
