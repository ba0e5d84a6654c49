import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { Desk } from '../../electron/host/desk.ts';
import { withoutPaths } from '../../electron/host/forgetting.ts';
import { healthOf } from '../../electron/host/health.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { safetyStores } from '../../electron/snapshots/safety-stores.ts';
import { pins } from '../../electron/snapshots/store.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { leaseKeyOf } from '../../electron/travel/journal.ts';
import { takeLease } from '../../electron/travel/lease.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';

const RUN = { drift: 'overwrite', choices: {}, fingerprint: null } as const;
const request = (kind: 'revert' | 'unrevert', stop: number | null) => ({ kind, stop, entry: null, scope: 'both' as const, piece: null });
const SECRET = 'only-this-thread-knows-it';

interface Place {
  folder: string;
  ownData: string;
  desk: Desk;
}

async function place(): Promise<Place> {
  const folder = await tempFolder();
  const ownData = path.join(folder, 'own-data');
  const desk = new Desk({ places: { home: path.join(folder, 'home'), env: {} }, ownData, git: createGit(), emit: () => undefined });
  onTestFinished(() => desk.dispose());
  return { folder, ownData, desk };
}

/** A thread with one turn, and travels in it: a revert over an edit of the user, and the way back. */
async function travelled(at: string, words: string, desk: Desk): Promise<{ t: TanstackScenario; id: string }> {
  const t = await tanstackScenario(at, { threadId: `thread-${path.basename(at)}` });
  await t.turn('Write it', [
    { tool: 'write_file', args: { path: 'a.txt' }, edit: (root) => writeFile(path.join(root, 'a.txt'), `agent ${words}\n`) },
  ]);
  await writeFile(path.join(t.root, 'a.txt'), `mine ${words}\n`);
  const { head } = await desk.open(t.log, { root: t.root, data: t.dataDir });
  await desk.run(head.id, request('revert', 1), RUN);
  await desk.run(head.id, request('unrevert', null), RUN);
  return { t, id: head.id };
}

/** Every byte below a folder, objects of git inflated too. */
async function bytesBelow(folder: string): Promise<string> {
  const parts: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    parts.push(entry.name);
    if (!entry.isFile()) continue;
    const bytes = await readFile(path.join(entry.parentPath, entry.name));
    parts.push(bytes.toString('latin1'));
    // Loose objects, and those in packs: whatever inflates from any byte on.
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] !== 0x78) continue;
      try {
        parts.push(inflateSync(bytes.subarray(at)).toString('latin1'));
      } catch {
        // No stream begins here.
      }
    }
  }
  return parts.join('\n');
}

test('after it no byte of the thread and no path of it is left with us, and nothing of the agent or the user was touched', async () => {
  const { folder, ownData, desk } = await place();
  const { t, id } = await travelled(path.join(folder, 'one'), SECRET, desk);
  await desk.filesOf(id, { kind: 'since', step: (await desk.viewWithSteps(id)).steps[0]?.id ?? '' });
  const other = await travelled(path.join(folder, 'two'), 'other', desk);
  const before = await bytesBelow(ownData);
  for (const words of [SECRET, t.root, t.log, t.dataDir, id]) expect(before.includes(words), words).toBe(true);
  const foreign = await manifest(path.join(folder, 'one'), { mtimes: true });
  expect(await desk.forgetPreview(id)).toMatchObject({ entries: 2, undoable: 2, standing: false, refusal: null });
  const gone = await desk.forget(id, false);
  const after = await bytesBelow(ownData);
  for (const words of [SECRET, path.join(folder, 'one'), id]) expect(after.includes(words), words).toBe(false);
  expect(await manifest(path.join(folder, 'one'), { mtimes: true })).toEqual(foreign);
  expect(withoutPaths([t.log, `${t.log}#x`, t.root, t.dataDir, other.t.log], gone)).toEqual([other.t.log]);
  // The other thread has all it had, and this one can be opened again, with no past.
  expect((await desk.history(other.id)).map(({ can }) => can)).toEqual([true, true]);
  expect(after.includes('mine other')).toBe(true);
  const again = await desk.open(t.log, { root: t.root, data: t.dataDir });
  expect(await desk.history(again.head.id)).toEqual([]);
});

test('of two threads in one workspace, the other keeps its snapshots', async () => {
  const { folder, ownData, desk } = await place();
  const { t, id } = await travelled(path.join(folder, 'one'), SECRET, desk);
  const history = path.join(ownData, 'history');
  const [name = ''] = await readdir(history);
  const known = JSON.parse(await readFile(path.join(history, name), 'utf8'));
  // A second thread of the same folder: its first travel is the one of this thread, under another name.
  const [store] = await safetyStores(createGit(), ownData);
  if (store === undefined) throw new Error('no store');
  const record = JSON.parse(await readFile(path.join(ownData, 'entries', `${known.entries[1].id}.json`), 'utf8'));
  await writeFile(path.join(ownData, 'entries', 'zz-00aa.json'), JSON.stringify({ ...record, entry: 'zz-00aa', thread: 'other' }));
  await writeFile(
    path.join(history, 'f'.repeat(32).concat('.json')),
    JSON.stringify({ version: 1, thread: 'other', entries: [{ ...known.entries[1], id: 'zz-00aa' }] }),
  );
  await createGit().run({ name: 'update-ref', args: ['update-ref', 'refs/turnback/zz-00aa', known.entries[1].tree], gitDir: store.gitDir });
  await desk.forget(id, false);
  expect((await pins(store)).map((one) => one.name)).toEqual(['zz-00aa']);
  expect((await readdir(path.join(ownData, 'entries'))).sort()).toEqual(['zz-00aa.json']);
  expect(await readFile(path.join(t.root, 'a.txt'), 'utf8')).toBe(`mine ${SECRET}\n`);
});

test('while a revert stands it is refused unless that is meant, and while a travel is unfinished in any case', async () => {
  const { folder, ownData, desk } = await place();
  const { id } = await travelled(path.join(folder, 'one'), SECRET, desk);
  await desk.run(id, request('revert', 1), RUN);
  expect(await desk.forgetPreview(id)).toMatchObject({ entries: 3, standing: true });
  await expect(desk.forget(id, false)).rejects.toMatchObject({ code: 'FORGET_STANDING' });
  const entries = path.join(ownData, 'entries');
  const [name = ''] = (await readdir(entries)).sort();
  const journal = path.join(ownData, 'journal', 'zz-0011aabb.json');
  await writeFile(
    journal,
    JSON.stringify({ ...JSON.parse(await readFile(path.join(entries, name), 'utf8')), entry: 'zz-0011aabb', phase: 'saved' }),
  );
  expect((await desk.forgetPreview(id)).refusal?.code).toBe('INTERRUPTED');
  await expect(desk.forget(id, true)).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect((await readdir(entries)).length).toBe(3);
  await rm(journal);
  await desk.forget(id, true);
  expect((await bytesBelow(ownData)).includes(SECRET)).toBe(false);
});

test('while another Turnback travels there it is refused, with what that one does', async () => {
  const { folder, ownData, desk } = await place();
  const { t, id } = await travelled(path.join(folder, 'one'), SECRET, desk);
  const lease = await takeLease(nodeFileSystem, ownData, leaseKeyOf({ root: t.root, thread: id }));
  await expect(desk.forget(id, false)).rejects.toMatchObject({
    code: 'FORGET_BUSY',
    message: `This thread cannot be forgotten now. Cause: Another Turnback (process ${process.pid}) holds ${t.root}: it is travelling there. Nothing was removed; try again in a moment.`,
  });
  await lease.release();
  expect(await desk.forgetPreview(id)).toMatchObject({ entries: 2, undoable: 2, refusal: null });
});

test('a thread whose log is gone can be forgotten by its id', async () => {
  const { folder, ownData, desk } = await place();
  const { t, id } = await travelled(path.join(folder, 'one'), SECRET, desk);
  await desk.close(id);
  await rm(t.log);
  await desk.forget(id, false);
  const left = await bytesBelow(ownData);
  expect([left.includes(SECRET), left.includes(id), left.includes(t.log)]).toEqual([false, false, false]);
  await expect(desk.forget(id, false)).rejects.toMatchObject({ code: 'UNKNOWN_THREAD' });
});

test('the health of a store: what is missing, what is damaged, what lies about, and what we keep', async () => {
  const { folder, desk } = await place();
  const { t, id } = await travelled(path.join(folder, 'one'), SECRET, desk);
  const health = async () => healthOf(await desk.open(id), await desk.forgetPreview(id));
  const good = await health();
  expect(good).toMatchObject({
    trees: { named: 2, missing: [], broken: [], expired: 0 },
    own: { entries: 2, undoable: 2 },
    problems: [],
    remarks: [],
  });
  expect(good.own.bytes).toBeGreaterThan(10);
  const [repository = ''] = await readdir(t.dataDir);
  const objects = path.join(t.dataDir, repository, 'objects');
  const blob = (
    await createGit().run({
      name: 'hash-object',
      args: ['hash-object', '--stdin'],
      gitDir: '/dev/null',
      stdin: Buffer.from(`agent ${SECRET}\n`),
    })
  ).stdout
    .toString()
    .trim();
  await rm(path.join(objects, blob.slice(0, 2), blob.slice(2)));
  await writeFile(path.join(objects, blob.slice(0, 2), 'tmp_obj_x'), 'half');
  const before = await manifest(t.dataDir, { mtimes: true });
  await desk.close(id);
  const bad = await health();
  expect(bad.folders.map(({ garbage }) => garbage)).toEqual([1]);
  expect([bad.trees.missing, bad.trees.broken.length]).toEqual([[], 1]);
  expect(bad.problems.map(({ code }) => code)).toEqual(['TREE_BROKEN']);
  expect(await manifest(t.dataDir, { mtimes: true })).toEqual(before);
});
