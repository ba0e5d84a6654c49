import type * as realFs from 'node:fs/promises';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { capturePaths, captureWorkspace, treeWith } from '../../electron/snapshots/capture.ts';
import { syncFolder, writeDurably } from '../../electron/snapshots/durable.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { writeLoose } from '../../electron/snapshots/loose-object.ts';
import { objectId } from '../../electron/snapshots/object-id.ts';
import { openSafetyStore, unpin } from '../../electron/snapshots/store.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { makeLab } from './lab.ts';

/** A file system on which the renames to such an end of a path fail, as on a full or a read-only disk. */
const failing = vi.hoisted(() => ({ end: null as string | null, code: '' }));

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof realFs>();
  return {
    ...fs,
    rename: (from: string, to: string) => {
      if (failing.end !== null && to.endsWith(failing.end))
        return Promise.reject(Object.assign(new Error(`${failing.code}: injected`), { code: failing.code }));
      return fs.rename(from, to);
    },
  };
});

const fail = (end: string, code: string): void => {
  failing.end = end;
  failing.code = code;
};

afterEach(() => {
  failing.end = null;
  vi.restoreAllMocks();
});

const { platform } = process;

it('a file that could not take its place leaves the one before, and nothing beside it', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'f.json');
  await writeDurably(file, 'before');
  fail('f.json', 'ENOSPC');
  await expect(writeDurably(file, 'after')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['before', ['f.json']]);
});

it('folders are made durable where a system can, which Windows cannot', async () => {
  const gone = path.join(await tempFolder(), 'gone');
  await expect(syncFolder(gone)).rejects.toMatchObject({ code: 'ENOENT' });
  Object.defineProperty(process, 'platform', { value: 'win32' });
  try {
    expect(await syncFolder(gone)).toBeUndefined();
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});

it('an object that could not take its place is no object, and one that is there is left as it is', async () => {
  const folder = await tempFolder();
  const content = Buffer.from('words');
  const oid = objectId('blob', content, 'sha1');
  fail(oid.slice(2), 'EROFS');
  await expect(writeLoose(folder, 'blob', oid, content)).rejects.toMatchObject({ code: 'EROFS' });
  expect(await readdir(path.join(folder, oid.slice(0, 2)))).toEqual([]);
  failing.end = null;
  await writeLoose(folder, 'blob', oid, content);
  const stored = await readFile(path.join(folder, oid.slice(0, 2), oid.slice(2)));
  await writeLoose(folder, 'blob', oid, Buffer.from('other words under this id'));
  expect(await readFile(path.join(folder, oid.slice(0, 2), oid.slice(2)))).toEqual(stored);
});

it('a pack that could not take its place leaves no file of it', async () => {
  const lab = await makeLab();
  const names = Array.from({ length: 20 }, (_, k) => `f${k}`);
  await writeFiles(lab.root, Object.fromEntries(names.map((name) => [name, name])));
  const store = await lab.safety();
  fail('.pack', 'ENOSPC');
  await expect(capturePaths(store, { root: lab.root, paths: names })).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await readdir(path.join(store.gitDir, 'objects', 'pack'))).toEqual([]);
});

it('a store that could not take its place is an error, unless another process or a crash was first', async () => {
  const ownData = await tempFolder();
  const open = (root: string) => openSafetyStore({ git: createGit(), ownData, root });
  fail('.git', 'ENOSPC');
  await expect(open('/a')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await readdir(path.join(ownData, 'safety'))).toEqual([]);
  fail('.git', 'EPERM');
  const { gitDir } = await open('/a');
  expect((await readdir(path.join(ownData, 'safety'))).map((name) => path.join(ownData, 'safety', name))).toEqual([gitDir]);
  expect((await readdir(gitDir)).sort()).toEqual(['HEAD', 'config', 'info', 'objects', 'refs']);
});

it('a store whose files are something else is not written over', async () => {
  const ownData = await tempFolder();
  const open = () => openSafetyStore({ git: createGit(), ownData, root: '/a' });
  const { gitDir } = await open();
  await mkdir(path.join(gitDir, 'x'));
  const moved = path.join(ownData, 'b');
  await mkdir(path.join(moved, 'safety', path.basename(gitDir), 'HEAD'), { recursive: true });
  await expect(openSafetyStore({ git: createGit(), ownData: moved, root: '/a' })).rejects.toMatchObject({ code: 'EISDIR' });
  const linked = path.join(ownData, 'c');
  await mkdir(path.join(linked, 'safety'), { recursive: true });
  await symlink('/nowhere', path.join(linked, 'safety', path.basename(gitDir)));
  await expect(openSafetyStore({ git: createGit(), ownData: linked, root: '/a' })).rejects.toMatchObject({ code: 'ENOTDIR' });
  expect(await readdir(path.join(linked, 'safety'))).toEqual([path.basename(gitDir)]);
});

it('letting a tree go takes no longer than it is given', async () => {
  const folder = await tempFolder();
  await writeFiles(folder, { git: { content: '#!/bin/sh\nexec sleep 30\n', mode: 0o755 } });
  const store = await openSafetyStore({ git: createGit({ command: [path.join(folder, 'git')] }), ownData: folder, root: '/a' });
  await expect(unpin(store, 'x', 50)).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('longer than 50 ms') });
});

it('an index that is none is an error, and no copy of it stays', async () => {
  const lab = await makeLab();
  await writeFiles(lab.root, { a: '1' });
  const indexFile = path.join(lab.ownData, 'indexes', 'x');
  await mkdir(indexFile, { recursive: true });
  const store = await lab.safety();
  await expect(captureWorkspace(store, { root: lab.root, indexFile })).rejects.toThrow(/EISDIR|ENOTSUP|EINVAL/);
  expect(await readdir(path.dirname(indexFile))).toEqual(['x']);
});

it.each([
  ['2.35.1', 2, 35, true],
  ['2.36.0', 2, 36, false],
  ['3.1.0', 3, 1, false],
])('git %s is told to make objects durable in the words that it knows', async (text, major, minor, told) => {
  const lab = await makeLab();
  await writeFiles(lab.root, { a: '1' });
  const store = await lab.safety();
  const asked: string[] = [];
  const git = {
    ...store.git,
    version: async () => ({ text, major, minor }),
    run: (call: Parameters<typeof store.git.run>[0]) => {
      if (call.name === 'add' || call.name === 'write-tree') asked.push(call.args.slice(0, 2).join(' '));
      return store.git.run(call);
    },
  };
  const tree = await captureWorkspace({ ...store, git }, { root: lab.root, indexFile: path.join(lab.ownData, 'indexes', 'x') });
  expect(tree).toBe(lab.snap());
  expect(asked.map((words) => words === '-c core.fsyncObjectFiles=true')).toEqual([told, told]);
});

it('a git that will not add, and does not say which file, is an error and no tree', async () => {
  const lab = await makeLab();
  await writeFiles(lab.root, { a: '1' });
  const store = await lab.safety();
  const git = {
    ...store.git,
    run: async (call: Parameters<typeof store.git.run>[0]) => {
      const result = await store.git.run(call);
      return call.name === 'add' ? { ...result, exit: 128, stderr: 'fatal: out of memory\n' } : result;
    },
  };
  await expect(
    captureWorkspace({ ...store, git }, { root: lab.root, indexFile: path.join(lab.ownData, 'indexes', 'x') }),
  ).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('out of memory') });
});

it('a tree of a path with an empty part, or below a folder that is gone, is not made', async () => {
  const lab = await makeLab();
  const store = await lab.safety();
  const entry = { mode: '100644', oid: '1'.repeat(40) } as const;
  await expect(treeWith(store, { base: null, changes: new Map([['a//b', entry]]) })).rejects.toThrow('no empty part');
  const gone = { mode: '40000', oid: '2'.repeat(40) };
  const base = lab
    .plain([`--git-dir=${store.gitDir}`, 'mktree', '--missing'], { input: `040000 tree ${gone.oid}\td\n` })
    .toString()
    .trim();
  await expect(treeWith(store, { base, changes: new Map([['d/x', entry]]) })).rejects.toMatchObject({ code: 'TREE_MISSING' });
});
