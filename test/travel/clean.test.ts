import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createGit, type Git } from '../../electron/snapshots/git.ts';
import { objectFolder } from '../../electron/snapshots/object-folder.ts';
import { objectId } from '../../electron/snapshots/object-id.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { safetyStores } from '../../electron/snapshots/safety-stores.ts';
import { pins, type SnapshotStore } from '../../electron/snapshots/store.ts';
import { type CleanParts, previewClean, runClean } from '../../electron/travel/clean.ts';
import { type FileSystem, nodeFileSystem } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { type HistoryLine, markCleaned, readHistory } from '../../electron/travel/history-file.ts';
import { takeLease } from '../../electron/travel/lease.ts';
import { neededEntries } from '../../electron/travel/needed-entries.ts';
import { keyOf } from '../../electron/travel/own-files.ts';
import type { TravelRecord } from '../../electron/travel/record.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { Retention } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, restoreOf, revertTo, UNREVERT } from './tanstack-travelling.ts';

const DAY = 86_400_000;
const START = 1_800_000_000_000;
const NONE: Retention = { days: null, entries: null, bytes: null };
const OVERWRITE = { ...DEFAULTS, drift: 'overwrite' as const };

interface Made {
  n: Neutral;
  ownData: string;
  /** Entries, oldest first: each pair is a revert and an unrevert, the last one is the revert that stands. */
  entries: string[];
  parts(retention: Partial<Retention>, more?: Partial<CleanParts>): CleanParts;
}

/** A turn that writes f, then days of reverts (each over an edit of its own) that were taken back, and one that stands. */
async function made(pairs: number, edit: (at: number) => string | Buffer = (at) => `mine ${at}\n`): Promise<Made> {
  const n = await neutral();
  await writeFiles(n.root, { f: '0\n' });
  await n.base();
  await n.user('write');
  await writeFile(path.join(n.root, 'f'), '1\n');
  await n.step('write', ['f']);
  const entries: string[] = [];
  const ownData = (await n.context()).ownData;
  for (let at = 0; at <= pairs; at++) {
    await writeFile(path.join(n.root, 'f'), edit(at));
    const context = { ...(await n.context()), now: () => START + at * DAY };
    entries.push((await runTravel(context, revertTo(0), OVERWRITE)).entry);
    if (at < pairs) entries.push((await runTravel({ ...context, now: () => START + at * DAY + 1000 }, UNREVERT, OVERWRITE)).entry);
  }
  const now = () => START + pairs * DAY;
  return {
    n,
    ownData,
    entries,
    parts: (retention, more) => ({ ownData, git: createGit(), retention: { ...NONE, ...retention }, now, grace: 0, ...more }),
  };
}

async function pinned(ownData: string): Promise<string[]> {
  const [store] = await safetyStores(createGit(), ownData);
  return store ? (await pins(store)).map(({ name }) => name).sort() : [];
}

/** Does the store have these bytes? */
async function has(store: SnapshotStore, bytes: string): Promise<boolean> {
  const reader = new ObjectReader(store);
  try {
    return (await reader.info(objectId('blob', Buffer.from(bytes), store.format))) !== null;
  } finally {
    await reader.close();
  }
}

const text = (n: Neutral, name: string): Promise<string> => readFile(path.join(n.root, name), 'utf8');

test('what is older than the limit goes, with its objects; the standing revert, the newest entry and every younger one stay', async () => {
  const { n, ownData, entries, parts } = await made(3);
  const [store] = await safetyStores(createGit(), ownData);
  if (store === undefined) throw new Error('no store');
  const shown = await previewClean(parts({ days: 2 }));
  expect(shown.goes.map(({ entry, why }) => [entry, why])).toEqual([
    [entries[0], 'days'],
    [entries[1], 'days'],
  ]);
  expect(shown).toMatchObject({ use: { entries: 7, workspaces: 1 }, needed: 1, problems: [] });
  expect(await pinned(ownData)).toEqual([...entries].sort());
  expect(await runClean(parts({ days: 2 }), false)).toMatchObject({ dropped: 2, waiting: 0 });
  expect(await pinned(ownData)).toEqual(entries.slice(2).sort());
  const there = await Promise.all(['mine 0\n', 'mine 1\n', 'mine 2\n', 'mine 3\n'].map((bytes) => has(store, bytes)));
  expect(there).toEqual([false, true, true, true]);
  const context = await n.context();
  const history = await historyOf(context);
  expect(history.map(({ can }) => (can === true ? true : can.code))).toEqual([
    true,
    true,
    true,
    true,
    true,
    'SAFETY_CLEANED',
    'SAFETY_CLEANED',
  ]);
  expect(history.at(-1)?.can).toMatchObject({
    message: 'Its safety snapshot was cleaned up on 2027-01-18, so its files cannot come back.',
  });
  expect((await previewTravel(context, restoreOf(entries[0] ?? ''))).refusal?.code).toBe('SAFETY_CLEANED');
  await runTravel(context, UNREVERT, OVERWRITE);
  expect(await text(n, 'f')).toBe('mine 3\n');
  expect((await previewClean(parts({ days: 2 }))).goes).toEqual([]);
});

test('more than the limit of a workspace go, oldest first; a limit of one never takes what is needed', async () => {
  const { ownData, entries, parts } = await made(2);
  const goes = async (most: number) => (await previewClean(parts({ entries: most }))).goes.map(({ entry, why }) => [entry, why]);
  expect(await goes(5)).toEqual([]);
  expect(await goes(3)).toEqual([
    [entries[0], 'entries'],
    [entries[1], 'entries'],
  ]);
  expect(await goes(1)).toEqual(entries.slice(0, 4).map((entry) => [entry, 'entries']));
  await runClean(parts({ entries: 1 }), false);
  expect(await pinned(ownData)).toEqual([entries[4]]);
});

test('a revert that stands is kept with all that was done since, though it is not the newest', async () => {
  const { n, ownData, entries, parts } = await made(1);
  const context = { ...(await n.context()), now: () => START + 2 * DAY };
  const since = (await runTravel(context, restoreOf(entries[0] ?? ''), OVERWRITE)).entry;
  const plan = await previewClean(parts({ entries: 1, days: 1 }, { now: () => START + 100 * DAY }));
  expect(plan.goes.map(({ entry }) => entry)).toEqual(entries.slice(0, 2));
  expect(plan.needed).toBe(2);
  await runClean(parts({ entries: 1 }), false);
  expect(await pinned(ownData)).toEqual([entries[2], since].sort());
});

test('what is needed in a log that the agent keeps: the last revert of ours with what it superseded; a planned recall', async () => {
  const ownData = await tempFolder();
  const line = (id: string, kind: HistoryLine['kind']): HistoryLine => ({ id, kind, at: 1, target: '', files: 1, bytes: 1, tree: 't' });
  const record = (supersedes: string | null, how: string) => ({ supersedes, messages: { how } }) as unknown as TravelRecord;
  const needed = async (lines: HistoryLine[], records: [string, TravelRecord][]): Promise<string[]> => [
    ...(await neededEntries(nodeFileSystem, ownData, 't', lines, new Map(records))),
  ];
  const four = [line('a', 'revert'), line('b', 'revert'), line('c', 'revert'), line('d', 'restore')];
  const chain: [string, TravelRecord][] = [
    ['a', record(null, 'append')],
    ['b', record(null, 'append')],
    ['c', record('b', 'append')],
    ['d', record(null, 'none')],
  ];
  expect(await needed(four, chain)).toEqual(['b', 'c', 'd']);
  const back = [...four.slice(0, 3), line('d', 'unrevert')];
  expect(await needed(back, [...chain.slice(0, 3), ['d', record(null, 'append')]])).toEqual(['d']);
  // A circle in records that somebody changed ends.
  expect(
    await needed(four.slice(0, 2), [
      ['a', record('b', 'append')],
      ['b', record('a', 'append')],
    ]),
  ).toEqual(['a', 'b']);
  await mkdir(path.join(ownData, 'overlay'));
  await writeFile(path.join(ownData, 'overlay', `${keyOf('t')}.recall.json`), '{}');
  await expect(needed(back, [])).rejects.toThrow();
});

test('over the size of all, the oldest go until it fits, and that much is freed', async () => {
  const half = 500_000;
  const { ownData, entries, parts } = await made(3, () => randomBytes(half).toString('base64').slice(0, half));
  const before = (await previewClean(parts({}))).use.bytes;
  const goes = (await previewClean(parts({ bytes: 1_000_000 }))).goes;
  expect(goes.every(({ why }) => why === 'bytes')).toBe(true);
  const done = await runClean(parts({ bytes: 1_000_000 }), false);
  expect(done.bytes).toBeLessThanOrEqual(1_000_000);
  expect(done.freed).toBe(before - done.bytes);
  // What was told before is what went, but for the small objects around it.
  expect(Math.abs(goes.reduce((sum, { frees }) => sum + frees, 0) - done.freed)).toBeLessThan(20_000);
  expect(await pinned(ownData)).toEqual(entries.slice(goes.length).sort());
  const [store] = await safetyStores(createGit(), ownData);
  expect(await objectFolder(path.join(store?.gitDir ?? '', 'objects'))).toMatchObject({ garbage: 0 });
});

test('what a kept travel wrote by merging outlives the clean-up, and what a cleaned one left is no reason to refuse a plan', async () => {
  const n = await neutral();
  const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const content = (first: string, last: string): string => [first, ...lines, last].map((line) => `${line}\n`).join('');
  await writeFiles(n.root, { f: content('0', 'z') });
  await n.base();
  await n.user('write');
  await writeFile(path.join(n.root, 'f'), content('1', 'z'));
  await n.step('write', ['f']);
  await writeFile(path.join(n.root, 'f'), content('1', 'mine'));
  const context = await n.context();
  const at = (day: number) => ({ ...context, now: () => START + day * DAY });
  await runTravel(at(0), revertTo(0), DEFAULTS);
  expect(await text(n, 'f')).toBe(content('0', 'mine'));
  const [store] = await safetyStores(createGit(), context.ownData);
  if (store === undefined) throw new Error('no store');
  const parts = { ownData: context.ownData, git: createGit(), retention: NONE, now: () => START + DAY, grace: 0 };
  await runClean(parts, true);
  await writeFile(path.join(n.root, 'f'), content('0', 'other'));
  // The merge takes the revert out of what stands there now; its base is the merged bytes.
  expect((await previewTravel(await n.context(), UNREVERT)).files.map(({ choice }) => choice)).toEqual(['merge']);
  // Without the objects the path is kept, and the plan says why.
  expect(await has(store, content('0', 'mine'))).toBe(true);
  await rm(path.join(store.gitDir, 'objects'), { recursive: true });
  await mkdir(path.join(store.gitDir, 'objects'));
  const poor = await previewTravel(await n.context(), UNREVERT);
  expect([...poor.files, ...poor.skipped].map(({ why }) => why)).toEqual([
    'Its content is gone from the snapshots: it has expired or was removed.',
  ]);
});

test('while a travel is unfinished, runs or waits there, nothing of that workspace goes', async () => {
  const { ownData, entries, parts } = await made(1);
  const all = [...entries].sort();
  const [store] = await safetyStores(createGit(), ownData);
  const key = store?.key ?? '';
  const lease = await takeLease(nodeFileSystem, ownData, key);
  expect(await runClean(parts({ entries: 1 }), false)).toMatchObject({ dropped: 0, waiting: 1 });
  expect(await pinned(ownData)).toEqual(all);
  const waits = takeLease(nodeFileSystem, ownData, key, 5000);
  await expect.poll(() => readdir(path.join(ownData, 'leases'))).toContain(`${key}.json.wanted`);
  await lease.release();
  await (await waits).release();
  expect(await readdir(path.join(ownData, 'leases'))).toEqual([]);
  const record = JSON.parse(await readFile(path.join(ownData, 'entries', `${entries[0]}.json`), 'utf8'));
  const journal = path.join(ownData, 'journal', 'zz-0011aabb.json');
  await writeFile(journal, JSON.stringify({ ...record, entry: 'zz-0011aabb', phase: 'saved' }));
  expect((await previewClean(parts({ entries: 1 }))).goes).toEqual([]);
  expect(await runClean(parts({ entries: 1 }), true)).toMatchObject({ dropped: 0, waiting: 1 });
  expect(await pinned(ownData)).toEqual(all);
  await rm(journal);
  expect(await runClean(parts({ entries: 1 }), false)).toMatchObject({ dropped: 2, waiting: 0 });
});

test('a clean-up gives way to a travel that waits: git is stopped, nothing is lost, the next one ends it', async () => {
  const { ownData, entries, parts } = await made(1);
  const [store] = await safetyStores(createGit(), ownData);
  const key = store?.key ?? '';
  const git = createGit();
  let waits: Promise<{ release(): Promise<void> }> | null = null;
  const slow = {
    ...git,
    run: async (call: Parameters<typeof git.run>[0]) => {
      if (call.name !== 'repack') return git.run(call);
      waits ??= takeLease(nodeFileSystem, ownData, key, 20_000);
      // As long as a large store takes: until somebody wants the workspace.
      return git.run({ ...call, args: ['-c', 'alias.wait=!sleep 30', 'wait'] });
    },
  };
  expect(await runClean(parts({ entries: 1 }, { git: slow }), false)).toMatchObject({ dropped: 0, waiting: 1 });
  const got = await (waits as unknown as Promise<{ release(): Promise<void> }>);
  await got.release();
  expect(await pinned(ownData)).toEqual([entries[2]]);
  if (store === undefined) throw new Error('no store');
  expect([await has(store, 'mine 0\n'), await has(store, 'mine 1\n')]).toEqual([true, true]);
  await runClean(parts({ entries: 1 }), true);
  expect([await has(store, 'mine 0\n'), await has(store, 'mine 1\n')]).toEqual([false, true]);
});

test('a crash between the mark and the pin, and a pin that nothing names, are cleared up the next time', async () => {
  const { ownData, entries, parts } = await made(1);
  const thread = JSON.parse(
    await readFile(path.join(ownData, 'history', (await readdir(path.join(ownData, 'history')))[0] ?? ''), 'utf8'),
  ).thread;
  await markCleaned(nodeFileSystem, ownData, thread, new Set([entries[0] ?? '']), 7);
  const [store] = await safetyStores(createGit(), ownData);
  const tree = (await readHistory(nodeFileSystem, ownData, thread))[0]?.tree ?? '';
  await createGit().run({ name: 'update-ref', args: ['update-ref', 'refs/turnback/zz-00', tree], gitDir: store?.gitDir ?? '' });
  await runClean(parts({}), true);
  expect(await pinned(ownData)).toEqual(entries.slice(1).sort());
  expect((await readHistory(nodeFileSystem, ownData, thread)).map(({ cleaned }) => cleaned)).toEqual([7, undefined, undefined]);
});

test('a thread whose overlay cannot be read keeps everything, and it is said', async () => {
  const { n, ownData, entries, parts } = await made(1);
  const { id } = (await n.context()).thread.head;
  await writeFile(path.join(ownData, 'overlay', `${keyOf(id)}.json`), '{');
  const plan = await previewClean(parts({ entries: 1, days: 1 }, { now: () => START + 900 * DAY }));
  expect(plan.goes).toEqual([]);
  expect(plan.problems.map(({ thread, code }) => [thread, code])).toEqual([[id, 'HISTORY_UNREADABLE']]);
  await runClean(parts({ entries: 1 }), true);
  expect(await pinned(ownData)).toEqual([...entries].sort());
});

test('objects that nothing names stay for the grace period', async () => {
  const { ownData, parts } = await made(1);
  const [store] = await safetyStores(createGit(), ownData);
  const before = await objectFolder(path.join(store?.gitDir ?? '', 'objects'));
  await runClean(parts({ entries: 1 }, { grace: 3_600_000, now: Date.now }), false);
  expect((await objectFolder(path.join(store?.gitDir ?? '', 'objects'))).bytes).toBeGreaterThan(before.bytes * 0.5);
  expect((await pinned(ownData)).length).toBe(1);
});

test('where only what a travel left is gone, the path is kept, and the plan says why', async () => {
  const { n, ownData, entries } = await made(0, () => 'mine\n');
  const record = path.join(ownData, 'entries', `${entries[0]}.json`);
  const gone = objectId('blob', Buffer.from('nobody has this'), 'sha1');
  const known = JSON.parse(await readFile(record, 'utf8'));
  known.files[0].after.oid = gone;
  await writeFile(record, JSON.stringify(known));
  const plan = await previewTravel({ ...(await n.context()), ownData: await copyOf(ownData) }, UNREVERT);
  expect(plan.files.map(({ choice, why }) => [choice, why])).toEqual([
    ['keep', 'It was changed since, and what a travel left there was cleaned up, so the changes cannot be told apart.'],
  ]);
});

/** Records are cached by their folder: another one is read afresh. */
async function copyOf(ownData: string): Promise<string> {
  const copy = `${ownData}-copy`;
  await cp(ownData, copy, { recursive: true });
  return copy;
}

test('what goes wrong is told by its cause and lets nothing go; the next time it goes', async () => {
  const m = await made(2);
  const before = await pinned(m.ownData);
  const refused = (pattern: RegExp): Partial<CleanParts> => {
    const guard = (name: string): void => {
      if (pattern.test(name)) throw Object.assign(new Error('EACCES: injected'), { code: 'EACCES' });
    };
    const rename: FileSystem['rename'] = async (from, to) => {
      guard(String(to));
      await nodeFileSystem.rename(from, to);
    };
    const open: FileSystem['open'] = async (name, ...rest) => {
      guard(String(name));
      return nodeFileSystem.open(name, ...rest);
    };
    return { fs: { ...nodeFileSystem, rename, open } };
  };
  for (const pattern of [/\/history\//, /\/leases\//]) {
    await expect(runClean(m.parts({ days: 1 }, refused(pattern)), false)).rejects.toMatchObject({
      code: 'CLEAN_FAILED',
      message: expect.stringContaining('EACCES: injected'),
    });
    expect(await pinned(m.ownData)).toEqual(before);
  }
  const git = createGit();
  const run: Git['run'] = async (call) => {
    if (call.name === 'repack') throw new TurnbackError('GIT_FAILED', { command: 'repack', exit: 128 });
    return git.run(call);
  };
  const failing = runClean(m.parts({ days: 1 }, { git: { ...git, run } }), false);
  await expect(failing).rejects.toMatchObject({
    code: 'CLEAN_FAILED',
    message: expect.stringMatching(/git repack failed with exit code 128(?!.*Nothing was)/),
  });
  // Its entries are let go; what they held goes with the next clean-up of all.
  const [store] = await safetyStores(createGit(), m.ownData);
  expect(store && (await has(store, 'mine 0\n'))).toBe(true);
  expect(await runClean(m.parts({ days: 1 }), true)).toMatchObject({ dropped: 0, waiting: 0 });
  expect(store && (await has(store, 'mine 0\n'))).toBe(false);
});

test('a clean-up that was called off leaves everything; without a grace period of its own, what was just let go stays for a while', async () => {
  const m = await made(2);
  const [store] = await safetyStores(createGit(), m.ownData);
  if (store === undefined) throw new Error('no store');
  const before = await pinned(m.ownData);
  expect(await runClean(m.parts({ entries: 1 }, { signal: AbortSignal.abort() }), true).catch((thrown) => thrown.code)).toBe('CANCELLED');
  expect(await runClean(m.parts({}, { signal: AbortSignal.abort() }), true)).toMatchObject({ dropped: 0, waiting: 0, freed: 0 });
  expect(await pinned(m.ownData)).toEqual(before);
  const { grace: _grace, ...parts } = m.parts({ entries: 1 }, { now: Date.now });
  const { dropped } = await runClean(parts, false);
  expect([dropped > 0, await has(store, 'mine 0\n')]).toEqual([true, true]);
});

test('each entry goes for the first limit that says so; one without files, or whose record is gone, is counted for what it holds', async () => {
  const m = await made(3);
  const context = { ...(await m.n.context()), now: () => START + 4 * DAY };
  await runTravel(context, { ...UNREVERT, scope: 'messages' }, OVERWRITE);
  await rm(path.join(m.ownData, 'entries', `${m.entries[1]}.json`));
  const { goes, use } = await previewClean(m.parts({ days: 1, bytes: 0 }));
  expect([use.entries, goes.map(({ entry, why }) => [m.entries.indexOf(entry), why])]).toEqual([
    7,
    [
      [0, 'days'],
      [1, 'days'],
      [2, 'days'],
      [3, 'days'],
      [4, 'bytes'],
      [5, 'bytes'],
    ],
  ]);
});
