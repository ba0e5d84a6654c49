import { appendFile, mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { capturePaths } from '../../electron/snapshots/capture.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { appendMoment, type Moment, momentsFile, readMoments } from '../../electron/snapshots/moments.ts';
import { objectFolder } from '../../electron/snapshots/object-folder.ts';
import { emptyTree } from '../../electron/snapshots/object-id.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { cleanRecorded, forgetRecorded } from '../../electron/snapshots/recorded-stores.ts';
import { quarantinesOf, removeOwnStore, removeRemainders, safetyStores } from '../../electron/snapshots/safety-stores.ts';
import { openQuarantine, openRecordedStore, openSafetyStore, pin, pins, recordedStore } from '../../electron/snapshots/store.ts';
import { contentsOf, sizesOnDisk, sweepStore } from '../../electron/snapshots/sweep.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { makeLab } from './lab.ts';

const git = createGit();
const DAY = 86_400_000;
const OLD = new Date('2001-01-01T00:00:00Z');

const moment = (root: string, tree: string | null, at = 1): Moment => ({
  version: 1,
  at,
  event: 'end',
  call: null,
  root,
  tree,
  failed: tree === null ? { code: 'GIT_FAILED', message: 'git add failed.' } : null,
});

/** Keeps a workspace of one file, as a hook does. */
async function record(ownData: string, root: string, session: string, words: string): Promise<string> {
  await mkdir(root, { recursive: true });
  await writeFiles(root, { f: words });
  const store = await openRecordedStore({ git, ownData, root });
  const { tree } = await capturePaths(store, { root, paths: ['f'] });
  await pin(store, `recorded-${tree}`, tree);
  await appendMoment(ownData, session, moment(root, tree));
  return tree;
}

async function kept(ownData: string, root: string): Promise<string[]> {
  return (await pins(await openRecordedStore({ git, ownData, root }))).map(({ tree }) => tree).sort();
}

describe('the moments of a session', () => {
  it('come back in order; a line that a crash cut off, and one that is no moment, are passed over', async () => {
    const ownData = await tempFolder();
    expect(await readMoments(ownData, 'one')).toEqual([]);
    await appendMoment(ownData, 'one', moment('/w', 'a'.repeat(40)));
    await appendFile(momentsFile(ownData, 'one'), '{"version":2}\n{"version":1,"at":\n\n');
    await appendMoment(ownData, 'one', moment('/w', null, 2));
    expect(await readMoments(ownData, 'one')).toEqual([moment('/w', 'a'.repeat(40)), moment('/w', null, 2)]);
  });

  it('of a session whose name leads elsewhere are refused, and a file that cannot be read is no empty one', async () => {
    const ownData = await tempFolder();
    for (const name of ['', '../x', 'a/b', 'x'.repeat(129)]) expect(() => momentsFile(ownData, name)).toThrow('cannot name a session');
    await mkdir(momentsFile(ownData, 'one'), { recursive: true });
    await expect(readMoments(ownData, 'one')).rejects.toMatchObject({ message: expect.stringContaining('not a file') });
    await rm(path.join(ownData, 'recorded'), { recursive: true });
    await writeFile(path.join(ownData, 'recorded'), '');
    await expect(readMoments(ownData, 'one')).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('what hooks recorded', () => {
  it('of a forgotten session goes, with the trees that only it names; a store that no session uses goes whole', async () => {
    const folder = await tempFolder();
    const ownData = path.join(folder, 'own');
    const [shared, alone] = [path.join(folder, 'shared'), path.join(folder, 'alone')];
    const mine = await record(ownData, shared, 'one', 'only mine');
    await record(ownData, alone, 'one', 'elsewhere');
    const both = await record(ownData, shared, 'one', 'of both');
    expect(await record(ownData, shared, 'two', 'of both')).toBe(both);
    const theirs = await record(ownData, shared, 'two', 'only theirs');
    await appendMoment(ownData, 'two', moment(shared, null));
    await forgetRecorded({ git, ownData, now: Date.now() }, 'one');
    expect(await readdir(path.join(ownData, 'recorded', 'sessions'))).toEqual(['two.jsonl']);
    expect(await kept(ownData, shared)).toEqual([both, theirs].sort());
    const reader = new ObjectReader(await openRecordedStore({ git, ownData, root: shared }));
    expect([await reader.hasTree(mine), await reader.hasTree(both), await reader.hasTree(theirs)]).toEqual([false, true, true]);
    await reader.close();
    await expect(stat(recordedStore(ownData, alone))).rejects.toMatchObject({ code: 'ENOENT' });
    await forgetRecorded({ git, ownData, now: Date.now() }, 'never-was');
    expect((await readMoments(ownData, 'two')).length).toBe(3);
  });

  it('stays when it was recorded while another workspace was being swept, also in one that nobody used until then', async () => {
    const folder = await tempFolder();
    const ownData = path.join(folder, 'own');
    const [first, second, third] = ['1', '2', '3'].map((name) => path.join(folder, name)) as [string, string, string];
    for (const root of [first, second, third]) await record(ownData, root, 'gone', `gone ${root}`);
    for (const root of [first, second]) await record(ownData, root, 'live', 'live');
    const meanwhile: string[] = [];
    const run: typeof git.run = async (call) => {
      if (call.name === 'repack' && meanwhile.length === 0) {
        meanwhile.push(await record(ownData, second, 'live', 'meanwhile'), await record(ownData, third, 'live', 'meanwhile'));
      }
      return git.run(call);
    };
    await forgetRecorded({ git: { ...git, run }, ownData, now: Date.now() }, 'gone');
    const live = (await readMoments(ownData, 'live')).filter(({ root }) => root === second).map(({ tree }) => tree);
    expect(await kept(ownData, second)).toEqual(live.sort());
    expect(live).toContain(meanwhile[0]);
    expect(await kept(ownData, third)).toEqual([meanwhile[1]]);
    const reader = new ObjectReader(await openRecordedStore({ git, ownData, root: second }));
    expect((await reader.entries(meanwhile[0] ?? '')).size).toBe(1);
    await reader.close();
  });

  it('of sessions older than the limit goes, and nothing is touched where none is', async () => {
    const folder = await tempFolder();
    const ownData = path.join(folder, 'own');
    const root = path.join(folder, 'w');
    const parts = { git, ownData, now: Date.now() };
    expect(await cleanRecorded(parts, DAY)).toBe(0);
    await record(ownData, root, 'old', 'old');
    const fresh = await record(ownData, root, 'new', 'new');
    // What lies there beside the sessions is not ours to judge; a link to nowhere was never recorded.
    await writeFiles(path.join(ownData, 'recorded', 'sessions'), { 'notes.txt': 'x', 'a b.jsonl': 'x' });
    await symlink('/nowhere', path.join(ownData, 'recorded', 'sessions', 'gone.jsonl'));
    expect(await cleanRecorded(parts, DAY)).toBe(0);
    expect((await kept(ownData, root)).length).toBe(2);
    await utimes(momentsFile(ownData, 'old'), OLD, OLD);
    expect(await cleanRecorded(parts, DAY)).toBe(1);
    expect(await kept(ownData, root)).toEqual([fresh]);
    expect((await readdir(path.join(ownData, 'recorded', 'sessions'))).sort()).toEqual([
      'a b.jsonl',
      'gone.jsonl',
      'new.jsonl',
      'notes.txt',
    ]);
  });
});

describe('repositories of ours', () => {
  it('that keep safety snapshots are listed by workspace and format, and nothing else that lies there', async () => {
    const ownData = await tempFolder();
    expect(await safetyStores(git, ownData)).toEqual([]);
    const one = await openSafetyStore({ git, ownData, root: '/one' });
    const two = await openSafetyStore({ git, ownData, root: '/two', format: 'sha256' });
    await writeFiles(path.join(ownData, 'safety'), { 'x.git/HEAD': '', 'f.txt': '' });
    const expected = [one, two].map(({ gitDir, format }) => ({
      git,
      gitDir,
      format,
      objectFolders: [],
      key: path.basename(gitDir).slice(0, 32),
    }));
    expect(await safetyStores(git, ownData)).toEqual(expected.sort((a, b) => (a.gitDir < b.gitDir ? -1 : 1)));
    const bad = path.join(ownData, 'bad');
    await writeFiles(bad, { safety: 'a file' });
    await expect(safetyStores(git, bad)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('go whole, whatever a crash left of one before goes too, and one that never was is no error', async () => {
    const ownData = await tempFolder();
    await removeRemainders(ownData);
    const [one, two] = [await openSafetyStore({ git, ownData, root: '/one' }), await openSafetyStore({ git, ownData, root: '/two' })];
    await removeOwnStore(one.gitDir);
    await removeOwnStore(one.gitDir);
    expect(await readdir(path.join(ownData, 'safety'))).toEqual([path.basename(two.gitDir)]);
    await writeFiles(path.join(ownData, 'recorded'), { 'x.git.gone-0011/objects/aa/bb': 'x', 'sessions/x.jsonl': '' });
    await writeFiles(path.join(ownData, 'safety'), { 'y.git.gone-22/HEAD': 'x' });
    await removeRemainders(ownData);
    expect([await readdir(path.join(ownData, 'safety')), await readdir(path.join(ownData, 'recorded'))]).toEqual([
      [path.basename(two.gitDir)],
      ['sessions'],
    ]);
    await expect(removeOwnStore(path.join(two.gitDir, 'HEAD', 'x.git'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('that read a foreign folder are found by it, and by a folder above it, not by a name that only begins alike', async () => {
    const ownData = await tempFolder();
    expect(await quarantinesOf(ownData, ['/agent/a/objects'])).toEqual([]);
    const open = (objectFolders: string[]) => openQuarantine({ git, ownData, objectFolders, format: 'sha1' });
    const [a, b] = [await open(['/agent/a/objects']), await open(['/other', '/agent/#b/objects'])];
    await writeFiles(path.join(ownData, 'quarantine'), { 'no-store/HEAD': '' });
    expect(await quarantinesOf(ownData, ['/agent/a/objects'])).toEqual([a.gitDir]);
    expect(await quarantinesOf(ownData, ['/agent/#b/objects'])).toEqual([b.gitDir]);
    expect((await quarantinesOf(ownData, ['/agent'])).sort()).toEqual([a.gitDir, b.gitDir].sort());
    expect(await quarantinesOf(ownData, ['/agen', '/agent/a/obj'])).toEqual([]);
  });
});

describe('a sweep', () => {
  it('leaves what a pin or the caller names, and what is younger than the grace period', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    const take = async (name: string): Promise<{ tree: string; oid: string }> => {
      await writeFiles(lab.root, { [name]: `the words of ${name}\n` });
      const { tree } = await capturePaths(store, { root: lab.root, paths: [name] });
      return { tree, oid: (await lab.reader(store).entry(tree, name))?.oid ?? '' };
    };
    const [pinned, named, loose] = [await take('pinned'), await take('named'), await take('loose')];
    await pin(store, 'x', pinned.tree);
    const ids = [pinned.oid, named.oid, loose.oid];
    const there = async (): Promise<boolean[]> => {
      const sizes = await sizesOnDisk(store, ids);
      return ids.map((oid) => sizes.has(oid));
    };
    expect((await sizesOnDisk(store, [...ids, '1'.repeat(40)])).size).toBe(3);
    expect(await sizesOnDisk(store, [])).toEqual(new Map());
    expect(await contentsOf(store, [pinned.tree, pinned.tree, '1'.repeat(40), emptyTree('sha1')])).toEqual(
      new Map([
        [pinned.tree, new Set([pinned.oid])],
        ['1'.repeat(40), new Set()],
        [emptyTree('sha1'), new Set()],
      ]),
    );
    await sweepStore(store, { contents: new Set(), grace: DAY, now: Date.now() });
    expect(await there()).toEqual([true, true, true]);
    await sweepStore(store, { contents: new Set([named.oid, '1'.repeat(40)]), grace: 0, now: Date.now() });
    expect(await there()).toEqual([true, true, false]);
    await sweepStore(store, { contents: new Set(), grace: 0, now: Date.now() });
    expect(await there()).toEqual([true, false, false]);
    await expect(sweepStore(store, { contents: new Set(), grace: 0, now: Date.now(), signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});

describe('what an object folder holds', () => {
  it('is counted by kind, what a crash left apart; a folder that is gone holds nothing', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, {
      [`aa/${'0'.repeat(38)}`]: '12345',
      [`bb/${'1'.repeat(62)}`]: '1',
      'bb/tmp_obj_x': '22',
      'pack/pack-a.pack': '333',
      'pack/pack-a.idx': '4',
      'pack/pack-a.rev': '4',
      'pack/pack-b.idx': '5',
      'pack/multi-pack-index': '6',
      'pack/tmp_pack_x': '7777',
      'info/alternates': 'not counted',
    });
    await symlink('/nowhere', path.join(folder, 'aa', 'dangling'));
    expect(await objectFolder(folder)).toEqual({ path: folder, loose: 2, packs: 1, garbage: 4, bytes: 19 });
    expect(await objectFolder(path.join(folder, 'gone'))).toEqual({
      path: path.join(folder, 'gone'),
      loose: 0,
      packs: 0,
      garbage: 0,
      bytes: 0,
    });
  });
});
