import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { PutBack } from '../../electron/recorder/backend.ts';
import { commandBackend } from '../../electron/recorder/command-backend.ts';
import { putBackHere } from '../../electron/recorder/put-back.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import type { TreeEntry } from '../../electron/snapshots/objects.ts';
import type { SnapshotStore } from '../../electron/snapshots/store.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';

let root: string;
let outside: string;
let store: SnapshotStore;

beforeEach(async () => {
  const folder = await tempFolder('put-back-');
  [root, outside] = [path.join(folder, 'root'), path.join(folder, 'outside')];
  const gitDir = path.join(folder, 'git');
  await mkdir(root);
  await mkdir(outside);
  execFileSync('git', ['init', '-q', '--bare', gitDir]);
  store = { git: createGit(), gitDir, format: 'sha1', objectFolders: [] };
});

function entry(content: string, mode: TreeEntry['mode'] = '100644'): TreeEntry {
  return {
    mode,
    oid: execFileSync('git', ['--git-dir', store.gitDir, 'hash-object', '-w', '--stdin'], { input: content }).toString().trim(),
  };
}

const put = (...files: PutBack[]) => putBackHere({ store, root, files });
const known = entryLike('100644');
function entryLike(mode: TreeEntry['mode']): TreeEntry {
  return { mode, oid: '0'.repeat(40) };
}

test('files, exec bits, links and folders come as the entries say; permission bits that are there stay', async () => {
  await writeFiles(root, { 'private.txt': { content: 'old', mode: 0o600 }, 'run.sh': { content: 'old', mode: 0o700 }, ln: 'a file' });
  const skipped = await put(
    { path: 'private.txt', entry: entry('new'), before: known },
    { path: 'run.sh', entry: entry('new'), before: known },
    { path: 'deep/er/x', entry: entry('x', '100755'), before: null },
    { path: 'ln', entry: entry('private.txt', '120000'), before: known },
  );
  expect(skipped).toEqual([]);
  expect((await manifest(root)).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'deep D',
    'deep/er D',
    'deep/er/x F 755',
    'ln L private.txt',
    'private.txt F 600',
    'run.sh F 600',
  ]);
});

test('removals take the folders along that they empty, and no other', async () => {
  await writeFiles(root, { 'a/b/c.txt': '', 'a/mine.txt': '', 'x/y/z.txt': '' });
  await mkdir(path.join(root, 'empty'));
  await put(
    { path: 'a/b/c.txt', entry: null, before: known },
    { path: 'x/y/z.txt', entry: null, before: known },
    { path: 'never/there', entry: null, before: known },
  );
  expect((await manifest(root)).map((line) => line.split(' ')[0])).toEqual(['a', 'a/mine.txt', 'empty']);
});

test('a file and a folder change places, whatever the order they are given in', async () => {
  await writeFiles(root, { conf: 'file', 'd/x': '1', 'd/y': '2' });
  await put(
    { path: 'conf/a.ini', entry: entry('a'), before: null },
    { path: 'conf', entry: null, before: known },
    { path: 'd', entry: entry('now a file'), before: null },
    { path: 'd/x', entry: null, before: known },
    { path: 'd/y', entry: null, before: known },
  );
  expect((await manifest(root)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['conf D', 'conf/a.ini F', 'd F']);
});

test('an empty folder in the place of a file goes; one that holds something, a pipe and an unknown file stay', async () => {
  await mkdir(path.join(root, 'empty'));
  await writeFiles(root, { 'full/mine': 'm', unknown: 'u' });
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  const skipped = await put(
    { path: 'empty', entry: entry('f'), before: known },
    { path: 'full', entry: entry('f'), before: known },
    { path: 'pipe', entry: entry('f'), before: known },
    { path: 'unknown', entry: entry('f'), before: null },
    { path: 'sub', entry: { mode: '160000', oid: '1'.repeat(40) }, before: null },
  );
  expect(skipped.map((one) => one.path)).toEqual(['full', 'pipe', 'unknown', 'sub']);
  expect((await lstat(path.join(root, 'empty'))).isFile()).toBe(true);
  expect((await lstat(path.join(root, 'pipe'))).isFIFO()).toBe(true);
});

test('no link is followed and nothing outside is touched; a repository inside is left alone', async () => {
  await writeFiles(outside, { 'x.txt': 'precious' });
  await symlink(outside, path.join(root, 'link'));
  await symlink(path.join(outside, 'x.txt'), path.join(root, 'leaf'));
  await writeFiles(root, { 'repo/.git/HEAD': '', 'repo/f': 'f', file: 'f' });
  const before = await manifest(outside, { mtimes: true });
  const skipped = await put(
    { path: 'link/x.txt', entry: entry('gone'), before: known },
    { path: 'link/new.txt', entry: entry('new'), before: null },
    { path: 'link/x.txt', entry: null, before: known },
    { path: 'repo/f', entry: entry('g'), before: known },
    { path: 'file/below', entry: entry('g'), before: null },
    { path: '../outside/x.txt', entry: entry('g'), before: known },
    { path: 'a/.GIT/config', entry: entry('g'), before: null },
  );
  expect(skipped.map((one) => one.path)).toEqual([
    'link/x.txt',
    'link/x.txt',
    'link/new.txt',
    'repo/f',
    'file/below',
    '../outside/x.txt',
    'a/.GIT/config',
  ]);
  await put({ path: 'leaf', entry: entry('mine'), before: known });
  expect((await lstat(path.join(root, 'leaf'))).isFile()).toBe(true);
  expect(await manifest(outside, { mtimes: true })).toEqual(before);
});

test('below a file of yours nothing is to be removed', async () => {
  await writeFiles(root, { mine: 'm' });
  await symlink(outside, path.join(root, 'link'));
  const gone = ['mine/x', 'mine/deep/y', 'link/z'].map((name): PutBack => ({ path: name, entry: null, before: known }));
  expect(await put(...gone)).toEqual([{ path: 'link/z', why: 'Its folder link is a link.' }]);
  const { putBack } = commandBackend({ prefix: ['env'] });
  expect(await putBack({ store, root, files: gone })).toEqual([{ path: 'link/z', why: 'A folder above it is a link.' }]);
  expect((await manifest(root)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['link L', 'mine F']);
});

test('what fails names its file and leaves no temporary file behind', async () => {
  await writeFile(path.join(root, 'a'), 'a');
  await expect(put({ path: 'a', entry: { mode: '100644', oid: '2'.repeat(40) }, before: known })).rejects.toMatchObject({
    code: 'TREE_MISSING',
  });
  const long = 'x'.repeat(300);
  await expect(put({ path: long, entry: entry('f'), before: null })).rejects.toMatchObject({
    code: 'WRITE_FAILED',
    message: expect.stringContaining('ENAMETOOLONG'),
  });
  expect((await manifest(root)).map((line) => line.split(' ')[0])).toEqual(['a']);
  const gone = new AbortController();
  gone.abort();
  await expect(putBackHere({ store, root, files: [{ path: 'a', entry: null, before: known }], signal: gone.signal })).rejects.toMatchObject(
    { code: 'CANCELLED' },
  );
  await chmod(path.join(root, 'a'), 0o644);
});
