import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { Catalog } from '../../electron/threads/catalog.ts';
import { follow } from '../../electron/threads/follow.ts';
import { ownDataOf, placesOf } from '../../electron/threads/places.ts';
import type { OpenOptions, Source } from '../../electron/threads/source.ts';
import type { ThreadHead } from '../../shared/model.ts';
import { neutralSource } from '../cases/neutral-source.ts';
import { tempFolder } from '../scenarios/temp.ts';

interface House {
  folder: string;
  catalog(sources?: readonly Source[]): Catalog;
  log(name: string, cwd?: string): Promise<string>;
  env: Record<string, string>;
}

/** Logs of the tests' own format in a folder that is a known place. */
async function house(): Promise<House> {
  const folder = await tempFolder();
  const env = { CASE_SESSIONS: folder };
  return {
    folder,
    env,
    catalog: (sources = [neutralSource]) => new Catalog({ places: { home: folder, env }, ownData: path.join(folder, 'own'), sources }),
    async log(name, cwd = folder) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify({ type: 'user', id: 'm', cwd, text: `title of ${name}` })}\n`);
      return file;
    },
  };
}

/** A source of heads alone, which tells how it was asked to open. */
function headsOnly(heads: ThreadHead[], opened: OpenOptions[] = []): Source {
  return {
    ...neutralSource,
    list: async () => ({ threads: heads, problems: [] }),
    locate: async () => heads,
    open: async (head, options) => {
      opened.push(options);
      return neutralSource.open(head, options);
    },
  };
}

test('a thread is found by its id, by its id inside the store and by its path', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const catalog = h.catalog();
  for (const named of ['opencode:session-A', 'session-A', log, `${log}#session-A`]) {
    expect([named, (await catalog.find(named)).log]).toEqual([named, log]);
  }
  await expect(catalog.find('opencode:nope')).rejects.toMatchObject({ code: 'UNKNOWN_THREAD' });
  await expect(catalog.find('nope')).rejects.toMatchObject({ code: 'UNKNOWN_THREAD' });
  await expect(catalog.find('./nope')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(catalog.locate(path.join(h.folder, 'nope'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a folder is that of its threads; one without any, an empty file and a foreign one are told apart', async () => {
  const h = await house();
  const work = path.join(h.folder, 'work');
  await mkdir(work);
  await h.log('session-A.jsonl', work);
  const catalog = h.catalog();
  expect((await catalog.locate(work)).map((head) => head.threadId)).toEqual(['session-A']);
  await mkdir(path.join(h.folder, 'empty'));
  await expect(catalog.locate(path.join(h.folder, 'empty'))).rejects.toMatchObject({
    code: 'NOT_A_LOG',
    message: expect.stringContaining('folder'),
  });
  for (const [name, text, code] of [
    ['none.jsonl', '', 'LOG_EMPTY'],
    ['odd.jsonl', 'odd', 'NOT_A_LOG'],
  ] as const) {
    await writeFile(path.join(h.folder, name), text);
    await expect(catalog.locate(path.join(h.folder, name))).rejects.toMatchObject({ code });
  }
});

test('a log that was removed is told from one on a disk that is away, and is known by its path', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const catalog = h.catalog();
  const head = await catalog.find(log);
  await (await catalog.open(head)).close();
  expect([await catalog.isGone(head.id), await catalog.isGone('tanstack:nobody')]).toEqual([false, false]);
  await rm(log);
  expect(await catalog.isGone(head.id)).toBe(true);
  for (const name of [head.id, log, `${log}#${head.threadId}`]) expect((await catalog.rememberedAs(name))?.id).toBe(head.id);
  for (const name of [`${log}#other`, path.dirname(log), 'nobody']) expect(await catalog.rememberedAs(name)).toBeNull();
  await rename(path.dirname(log), `${path.dirname(log)}-away`);
  expect(await catalog.isGone(head.id)).toBe(false);
  await rename(`${path.dirname(log)}-away`, path.dirname(log));
});

test('several threads of one store are told apart; one with a parent is not the one that is meant', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const head = (threadId: string, parent: string | null): ThreadHead => ({
    ...{ id: `opencode:${threadId}`, source: 'opencode', title: null, root: null, log, threadId, parent, updatedAt: null, size: 1 },
  });
  const family = h.catalog([headsOnly([head('a', null), head('b', 'a')])]);
  expect((await family.find(log)).threadId).toBe('a');
  expect((await family.find(`${log}#b`)).threadId).toBe('b');
  const two = h.catalog([headsOnly([head('a', null), head('c', null)])]);
  await expect(two.find(log)).rejects.toMatchObject({ code: 'AMBIGUOUS', message: expect.stringMatching(/opencode:a, opencode:c/) });
  const children = h.catalog([headsOnly([head('x', 'p'), head('y', 'p')])]);
  await expect(children.find(log)).rejects.toMatchObject({ code: 'AMBIGUOUS' });
  await expect(two.open({ ...head('a', null), source: 'dsh' })).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});

test('two stores that hold one thread id get two ids, and a thread keeps the id it was opened under', async () => {
  const h = await house();
  const [one, two] = [await h.log('one/session-A.jsonl'), await h.log('two/session-A.jsonl')];
  h.env['CASE_SESSIONS'] = [path.dirname(two), path.dirname(one)].join('\n');
  const ids = new Map((await h.catalog().list()).threads.map((head) => [head.log, head.id]));
  expect(ids.get(one)).toBe('opencode:session-A');
  expect(ids.get(two)).toMatch(/^opencode:session-A~[0-9a-f]{8}$/);
  const catalog = h.catalog();
  const [second] = await catalog.locate(two);
  if (!second) throw new Error('not found');
  await (await catalog.open(second)).close();
  expect((await h.catalog().find(second.id)).log).toBe(two);
});

test('a store that cannot be read is a problem and hides no other; a log that is gone is not listed any more', async () => {
  const h = await house();
  const log = await h.log('elsewhere/session-B.jsonl');
  await h.log('session-A.jsonl');
  const broken: Source = { ...neutralSource, kind: 'dsh', list: () => Promise.reject(new Error('broken')) };
  const catalog = h.catalog([broken, neutralSource]);
  const [head] = await catalog.locate(log);
  if (!head) throw new Error('not found');
  await (await catalog.open(head)).close();
  const listing = await catalog.list();
  expect(listing.threads.map((one) => one.threadId).sort()).toEqual(['session-A', 'session-B']);
  expect(listing.problems).toEqual([{ path: 'dsh', message: 'broken' }]);
  await writeFile(log, '');
  expect((await h.catalog().list()).threads.map((one) => one.threadId)).toEqual(['session-A']);
});

test('what the user names is remembered; a folder of the workspace that the log names is that workspace', async () => {
  const h = await house();
  const work = path.join(h.folder, 'work');
  await mkdir(path.join(work, 'sub'), { recursive: true });
  await mkdir(path.join(h.folder, 'work-other'));
  await symlink(work, path.join(h.folder, 'link'));
  const log = await h.log('session-A.jsonl', work);
  const [head] = await neutralSource.locate(log, { home: h.folder, env: {} });
  if (!head) throw new Error('not found');
  const opened: OpenOptions[] = [];
  const source = headsOnly([head], opened);
  const named = async (root: string | null, of = head): Promise<string | null | undefined> => {
    await (await h.catalog([source]).open(of, { root })).close();
    return opened.at(-1)?.root;
  };
  for (const root of [path.join(work, 'sub'), work, path.join(h.folder, 'link'), path.join(h.folder, 'link', 'sub')]) {
    expect([root, await named(root)]).toEqual([root, work]);
  }
  const other = path.join(h.folder, 'work-other');
  expect(await named(other)).toBe(other);
  expect(await named(null)).toBe(other);
  expect(await named(path.join(h.folder, 'gone'))).toBe(path.join(h.folder, 'gone'));
  expect(await named(work, { ...head, root: null })).toBe(work);
  const kept = path.join(h.folder, 'own', 'catalog.json');
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
  await writeFile(kept, '{damaged');
  expect(await named(null)).toBeNull();
  expect(JSON.parse(await readFile(kept, 'utf8')).threads).toHaveLength(1);
});

test('the places are the user’s, and those of a named home know nothing of this process’s settings', () => {
  const env = { HOME: '/home/u', XDG_DATA_HOME: '/data', TURNBACK_DSH_URL: 'http://x', TURNBACK_DSH_TOKEN: 't' };
  expect(placesOf(env)).toEqual({ home: '/home/u', env });
  expect(placesOf(env, '/other')).toEqual({ home: '/other', env: { TURNBACK_DSH_URL: 'http://x', TURNBACK_DSH_TOKEN: 't' } });
  expect(placesOf({}).home).toMatch(/^\//);
  expect(ownDataOf({ ...env, TURNBACK_DATA: '/own' })).toBe('/own');
  const { platform } = process;
  const on = (name: string, of: Record<string, string>): string => {
    Object.defineProperty(process, 'platform', { value: name });
    try {
      return ownDataOf(of);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  };
  expect([on('linux', env), on('linux', { HOME: '/h' })]).toEqual(['/data/turnback', '/h/.local/share/turnback']);
  expect(on('darwin', { HOME: '/h' })).toBe('/h/Library/Application Support/turnback');
  expect([on('win32', { HOME: '/h' }), on('win32', { HOME: '/h', LOCALAPPDATA: '/l' })]).toEqual([
    '/h/AppData/Local/turnback',
    '/l/turnback',
  ]);
});

test('a file that goes and comes again is a change each time, and nothing is told after the end', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'log');
  await writeFile(file, '1');
  let changes = 0;
  const stop = follow(
    () => [file, path.join(folder, 'never')],
    () => {
      changes += 1;
    },
  );
  await expect.poll(() => changes, { timeout: 300 }).toBe(0);
  await writeFile(file, '22');
  await expect.poll(() => changes).toBeGreaterThanOrEqual(1);
  const before = changes;
  await import('node:fs/promises').then(({ rm }) => rm(file));
  await expect.poll(() => changes).toBeGreaterThan(before);
  stop();
  const after = changes;
  await writeFile(file, '333');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(changes).toBe(after);
});

test('an append is told of at once, also right after a look that found nothing: no timer is waited for', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'log');
  await writeFile(file, '1');
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  let changes = 0;
  const stop = follow(
    () => [file],
    () => {
      changes += 1;
    },
  );
  try {
    // The look that a follow begins with.
    await sleep(30);
    await writeFile(file, '22');
    // Not with expect.poll, which makes the timers run.
    for (let waited = 0; changes === 0 && waited < 100; waited += 1) await sleep(20);
    expect(changes).toBe(1);
  } finally {
    stop();
    vi.useRealTimers();
  }
});

test('a place that was added, a file in the place of a folder and a ring of links are problems, and nothing else is lost', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const [added, gone] = [await h.log('added/session-B.jsonl'), path.join(h.folder, 'gone')];
  await symlink('ring', path.join(h.folder, 'ring'));
  const catalog = new Catalog({
    places: { home: h.folder, env: { CASE_SESSIONS: h.folder } },
    ownData: path.join(h.folder, 'own'),
    sources: [{ ...neutralSource, list: () => Promise.reject('not an error') }, neutralSource],
    folders: async () => [added, gone],
  });
  const { threads, problems } = await catalog.list();
  expect(threads.map((one) => one.threadId).sort()).toEqual(['session-A', 'session-B']);
  expect(problems.map((one) => one.path).sort()).toEqual([gone, 'opencode'].sort());
  expect(problems.find((one) => one.path === 'opencode')?.message).toBe('not an error');
  await expect(catalog.locate(path.join(h.folder, 'ring'))).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
  await expect(catalog.locate(path.join(log, 'below'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(catalog.locate(`${log}#nobody`)).rejects.toMatchObject({ code: 'NOT_A_LOG' });
  expect((await catalog.locate(`${log}#`)).map((one) => one.threadId)).toEqual(['session-A']);
  await expect(catalog.relocate(['session-A'], log)).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
});

test('what is counted and looked at is kept only of threads that were opened; a look that fails closes its reader', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const catalog = h.catalog();
  const [head] = await catalog.locate(log);
  if (!head) throw new Error('not found');
  await catalog.count(head, { turns: 7, files: 7 });
  const counts = async () => (await h.catalog().list()).threads.map(({ turns, files }) => [turns, files]);
  expect(await counts()).toEqual([[undefined, undefined]]);
  await (await catalog.peek(head)).close();
  expect(await catalog.remembered(head.id)).toBeNull();
  await (await catalog.open(head)).close();
  await catalog.count(head, { turns: 7, files: null });
  expect(await counts()).toEqual([[7, null]]);
  await (await catalog.peek(head)).close();
  let closed = 0;
  const broken = (thrown: Error): Source => ({
    ...neutralSource,
    open: async (of, options) => {
      const reader = await neutralSource.open(of, options);
      const close = async () => {
        closed += 1;
      };
      return Object.assign(Object.create(reader), { read: () => Promise.reject(thrown), close });
    },
  });
  await expect(h.catalog([broken(new Error('no'))]).peek(head)).rejects.toThrow('no');
  await expect(h.catalog([broken(new Error('no'))]).open(head)).rejects.toThrow('no');
  expect(closed).toBe(2);
  await expect(h.catalog().open(head, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  await catalog.forget(head.id, { git: createGit(), log: null });
  expect(await catalog.remembered(head.id)).toBeNull();
  await catalog.forget('nobody:1', { git: createGit(), log: null });
});

test('threads without a time come last in the list', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const head = (threadId: string, updatedAt: number | null): ThreadHead => ({
    ...{ id: `opencode:${threadId}`, source: 'opencode', title: null, root: null, log, threadId, parent: null, updatedAt, size: 1 },
  });
  const catalog = h.catalog([headsOnly([head('a', null), head('b', 5), head('c', null), head('d', 9)])]);
  expect((await catalog.list()).threads.map((one) => one.threadId)).toEqual(['d', 'b', 'a', 'c']);
});

test('the threads that may hold words are those that their source names, or all where it cannot tell', async () => {
  const h = await house();
  const log = await h.log('session-A.jsonl');
  const [head] = await h.catalog().locate(log);
  if (!head) throw new Error('not found');
  const heads = [head, { ...head, id: 'opencode:b', threadId: 'b' }];
  const held = async (answer: ReadonlySet<string> | boolean | null): Promise<string[]> => {
    const { mayHold: _, ...plain } = neutralSource;
    const source: Source = answer === null ? plain : { ...plain, mayHold: async () => answer };
    return (await h.catalog([source]).mayHold(heads, ['x'])).map((one) => one.threadId);
  };
  expect([await held(true), await held(false), await held(null), await held(new Set(['b']))]).toEqual([
    ['session-A', 'b'],
    [],
    ['session-A', 'b'],
    ['b'],
  ]);
  expect(await h.catalog().mayHold([], ['x'])).toEqual([]);
  expect(await h.catalog([]).mayHold(heads, ['x'])).toEqual(heads);
});
