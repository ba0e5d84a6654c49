import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findSnapshots, isOfAnotherRoot, sha1 } from '../../../electron/threads/tanstack/find-snapshots.ts';
import { hasObject } from '../../../electron/threads/tanstack/object-presence.ts';
import { type TanstackScenario, tanstackScenario } from '../../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { HandLog } from './hand-log.ts';

async function recorded(): Promise<{ t: TanstackScenario; tree: string }> {
  const t = await tanstackScenario(await tempFolder());
  await writeFiles(t.root, { 'a.txt': 'one' });
  await t.turn('first', [{ tool: 'bash', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two') }]);
  return { t, tree: t.steps[0]?.to ?? '' };
}

test('objects are found loose and packed, without git and without a look at the configuration', async () => {
  const { t, tree } = await recorded();
  const objects = path.join(t.gitDir, 'objects');
  expect(await hasObject(objects, tree)).toBe(true);
  expect(await hasObject(objects, '0'.repeat(40))).toBe(false);
  expect(await hasObject(path.join(t.folder, 'none'), tree)).toBe(false);
  const ids: string[] = [];
  for (let k = 0; k < 40; k += 1) {
    await writeFile(path.join(t.root, 'n.txt'), String(k));
    ids.push(await t.track());
  }
  for (const id of [tree, ...ids]) await t.git('update-ref', `refs/pin/${id}`, id);
  await t.git('repack', '-a', '-d', '-q');
  await t.git('prune-packed', '-q');
  for (const id of [tree, ...ids]) expect(await hasObject(objects, id)).toBe(true);
  for (const id of ['0'.repeat(40), 'f'.repeat(40), `${tree.slice(0, 39)}${tree.endsWith('0') ? '1' : '0'}`]) {
    expect(await hasObject(objects, id)).toBe(false);
  }
  await writeFile(path.join(objects, 'pack', 'broken.idx'), 'short');
  expect(await hasObject(objects, '0'.repeat(40))).toBe(false);
});

test('the repository named after the workspace comes first, whatever spelling named it', async () => {
  const { t, tree } = await recorded();
  const found = { gitDir: t.gitDir, objects: path.join(t.gitDir, 'objects'), named: true };
  const before = await manifest(t.dataDir, { mtimes: true });
  expect(await findSnapshots({ root: t.root, folders: ['/nowhere', t.dataDir], trees: [tree] })).toEqual(found);
  expect(await findSnapshots({ root: `${t.root}/`, folders: [t.dataDir], trees: [tree] })).toEqual(found);
  await symlink(t.root, path.join(t.folder, 'link'));
  expect(await findSnapshots({ root: path.join(t.folder, 'link'), folders: [t.dataDir], trees: [tree] })).toEqual(found);
  expect(await findSnapshots({ root: t.root, folders: [t.dataDir], trees: [] })).toEqual(found);
  expect(await findSnapshots({ root: t.root, folders: [t.dataDir], trees: ['0'.repeat(40)] })).toEqual(found);
  expect(await manifest(t.dataDir, { mtimes: true })).toEqual(before);
  expect(await isOfAnotherRoot(found, t.root)).toBe(false);
});

test('any other name is found by its content: a bare repository with the attributes line and a recent snapshot', async () => {
  const { t, tree } = await recorded();
  const named = path.join(t.dataDir, 'acme--fix-login');
  await rename(t.gitDir, named);
  const found = { gitDir: named, objects: path.join(named, 'objects'), named: false };
  await mkdir(path.join(t.dataDir, 'not-a-repository'));
  await writeFile(path.join(t.dataDir, 'file'), '');
  expect(await findSnapshots({ root: t.root, folders: [t.dataDir], trees: ['0'.repeat(40), tree] })).toEqual(found);
  expect(await findSnapshots({ root: null, folders: [named], trees: [tree] })).toEqual(found);
  expect(await isOfAnotherRoot(found, '/other')).toBe(false);
  expect(await findSnapshots({ root: null, folders: [t.dataDir], trees: [] })).toBeNull();
  expect(await findSnapshots({ root: null, folders: [t.dataDir], trees: ['0'.repeat(40)] })).toBeNull();
  await writeFile(path.join(named, 'info', 'attributes'), '* text\n');
  expect(await findSnapshots({ root: null, folders: [t.dataDir], trees: [tree] })).toBeNull();
  await rm(path.join(named, 'info'), { recursive: true });
  expect(await findSnapshots({ root: null, folders: [t.dataDir], trees: [tree] })).toBeNull();
});

test('a name that is the digest of another workspace is told', async () => {
  const { t, tree } = await recorded();
  const found = await findSnapshots({ root: '/other', folders: [t.dataDir], trees: [tree] });
  expect(found).toMatchObject({ gitDir: t.gitDir, named: false });
  if (found === null) throw new Error('not found');
  expect(await isOfAnotherRoot(found, '/other')).toBe(true);
  expect(await isOfAnotherRoot(found, t.root)).toBe(false);
  expect(path.basename(t.gitDir)).toBe(sha1(t.root));
});

test('a thread without its repository keeps its steps and says where it should be; one named by the user is taken', async () => {
  const { t } = await recorded();
  const elsewhere = path.join(t.folder, 'moved');
  await rename(t.dataDir, elsewhere);
  const log = new HandLog(t.folder, t.log);
  const lost = await log.open();
  expect(lost.objectFolders()).toEqual([]);
  expect(lost.thread().notices).toMatchObject([{ code: 'NO_STORE', message: expect.stringContaining(t.dataDir) }]);
  expect(lost.thread().steps[0]?.listed).toEqual(['a.txt']);
  const named = await log.open({ data: elsewhere });
  expect(named.objectFolders()).toEqual([path.join(elsewhere, path.basename(t.gitDir), 'objects')]);
  expect(named.thread().notices).toEqual([]);
  await rename(elsewhere, t.dataDir);
  expect(await lost.read()).toBe(true);
  expect(lost.thread().notices).toEqual([]);
});
