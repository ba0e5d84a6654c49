import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { diskState } from '../../electron/snapshots/disk.ts';
import { objectId } from '../../electron/snapshots/object-id.ts';
import { applyChanges, removeTemporaries } from '../../electron/travel/apply-changes.ts';
import { ABSENT, type Content, contentOfDisk } from '../../electron/travel/content.ts';
import { type FileSystem, nodeFileSystem } from '../../electron/travel/file-system.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { Faults, faultyFileSystem, systemError } from './faults.ts';

const TOKEN = 'a'.repeat(32);
const bytesOf = new Map<string, Buffer>();

/** A content by its text; its bytes are known to the stores of these tests. */
function content(text: string): Content & { kind: 'file' } {
  const bytes = Buffer.from(text);
  const oid = objectId('blob', bytes, 'sha1');
  bytesOf.set(oid, bytes);
  return { kind: 'file', oid, executable: false, mode: null };
}

let root = '';
beforeEach(async () => {
  root = await tempFolder();
});

/** Applies what each path shall hold, from what it holds now (or was seen to hold). */
async function apply(wants: Record<string, Content>, o: { fs?: FileSystem; seen?: Record<string, string> } = {}): Promise<number[]> {
  const progress: number[] = [];
  const changes = await Promise.all(
    Object.entries(wants).map(async ([name, want], index) => {
      const seen = await diskState(root, name);
      return { path: name, index, want, seen, from: contentOfDisk(seen) ?? ABSENT };
    }),
  );
  await applyChanges({
    fs: o.fs ?? nodeFileSystem,
    root,
    token: TOKEN,
    format: 'sha1',
    changes,
    bytes: async (one) => bytesOf.get(one.oid) ?? Buffer.alloc(0),
    size: async () => 10,
    folders: new Map(),
    gone: Object.entries(wants).flatMap(([name, want]) => (want.kind === 'absent' ? [name] : [])),
    onProgress: (done) => progress.push(done),
  });
  return progress;
}

const names = async (): Promise<string[]> => (await readdir(root, { recursive: true })).sort();
const text = (name: string): Promise<string> => readFile(path.join(root, name), 'utf8');

describe('what is applied', () => {
  test('files are replaced, made and deleted; what that empties goes; each is counted once', async () => {
    await mkdir(path.join(root, 'gone', 'deep'), { recursive: true });
    for (const name of ['a', 'gone/deep/x']) await writeFile(path.join(root, name), 'old');
    expect(await apply({ a: content('new'), 'made/b': content('b'), 'gone/deep/x': ABSENT })).toEqual([1, 2, 3]);
    expect(await names()).toEqual(['a', 'made', 'made/b']);
    expect([await text('a'), await text('made/b')]).toEqual(['new', 'b']);
  });

  test('more files than are placed without a pause', async () => {
    const wants = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`f${at}`, content(`${at}`)]));
    expect(await apply(wants)).toEqual(Array.from({ length: 70 }, (_, at) => at + 1));
    expect(await names()).toHaveLength(70);
  });

  test('everything new is durable before anything is replaced, and every folder afterwards', async () => {
    await mkdir(path.join(root, 'sub'));
    for (const name of ['a', 'sub/b', 'c']) await writeFile(path.join(root, name), 'old');
    const faults = new Faults();
    await apply({ a: content('A'), 'sub/b': content('B'), c: ABSENT }, { fs: faultyFileSystem(faults) });
    const kinds = faults.calls.map((call) => call.split(' ')[0]);
    const [lastStaged, firstPlaced] = [faults.calls.findLastIndex((call) => /^sync .*\.tmp$/.test(call)), kinds.indexOf('rename')];
    expect(lastStaged).toBeGreaterThan(0);
    expect(firstPlaced).toBeGreaterThan(lastStaged);
    expect(kinds.lastIndexOf('rename')).toBeLessThan(kinds.indexOf('unlink'));
    const after = faults.calls.slice(kinds.lastIndexOf('unlink'));
    expect(after.filter((call) => call.startsWith('sync '))).toHaveLength(2);
  });
});

describe('what goes wrong', () => {
  test('a path that is not what was seen stops it before anything is written', async () => {
    await writeFile(path.join(root, 'a'), 'old');
    await writeFile(path.join(root, 'b'), 'old');
    const wants = { a: content('A'), b: content('B') };
    const racing: FileSystem = {
      ...nodeFileSystem,
      async lstat(place) {
        if (place.toString().endsWith('/b')) await writeFile(path.join(root, 'b'), 'someone else');
        return nodeFileSystem.lstat(place);
      },
    };
    await expect(apply(wants, { fs: racing })).rejects.toMatchObject({ code: 'PLAN_STALE', message: expect.stringContaining('b') });
    expect([await text('a'), await text('b'), await names()]).toEqual(['old', 'someone else', ['a', 'b']]);
  });

  test('a file that only got a link count or a time is looked at again and written', async () => {
    await writeFile(path.join(root, 'a'), 'old');
    let first = true;
    const touching: FileSystem = {
      ...nodeFileSystem,
      async lstat(place) {
        const found = await nodeFileSystem.lstat(place);
        if (first && place.toString().endsWith('/a')) await writeFile(path.join(root, 'a'), 'old');
        first = false;
        return found;
      },
    };
    await apply({ a: content('A') }, { fs: touching });
    expect(await text('a')).toBe('A');
  });

  test('a file that somebody made where nothing stood is not replaced', async () => {
    const racing: FileSystem = {
      ...nodeFileSystem,
      async link(from, to) {
        await writeFile(path.join(root, 'new'), 'theirs');
        return nodeFileSystem.link(from, to);
      },
    };
    await expect(apply({ new: content('N') }, { fs: racing })).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect([await text('new'), await names()]).toEqual(['theirs', ['new']]);
  });

  test('a failure takes every temporary file and every folder that was made away, and names the path and the cause', async () => {
    await writeFile(path.join(root, 'a'), 'old');
    const faults = new Faults();
    const fs = faultyFileSystem(faults);
    const failing: FileSystem = {
      ...fs,
      rename: async (from, to) => {
        throw Object.assign(new Error(`EACCES: permission denied, rename '${from}' -> '${to}'`), { code: 'EACCES' });
      },
    };
    const failed = await apply({ a: content('A'), 'made/deep/b': content('B') }, { fs: failing }).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: 'WRITE_FAILED' });
    expect((failed as Error).message).toBe(
      'a could not be written. Cause: EACCES: permission denied. Everything was put back as it was. Put the cause right, then try again.',
    );
    expect((failed as Error).message).not.toContain('.turnback-');
    expect([await text('a'), await names()]).toEqual(['old', ['a']]);
  });

  test('something thrown that is no error is told as it is', async () => {
    await writeFile(path.join(root, 'a'), 'old');
    const odd: FileSystem = { ...nodeFileSystem, rename: () => Promise.reject('odd') };
    await expect(apply({ a: content('A') }, { fs: odd })).rejects.toMatchObject({ message: expect.stringContaining('Cause: odd') });
  });

  test('a folder whose place was taken by a link is refused', async () => {
    const outside = await tempFolder();
    await mkdir(path.join(root, 'd'));
    await writeFile(path.join(root, 'd', 'x'), 'old');
    const faults = new Faults();
    const wants = { 'd/x': content('X') };
    const seen = await diskState(root, 'd/x');
    await mkdir(path.join(root, 'aside'));
    await import('node:fs/promises').then(async ({ rename }) => {
      await rename(path.join(root, 'd'), path.join(root, 'aside', 'd'));
      await symlink(outside, path.join(root, 'd'));
    });
    await expect(
      applyChanges({
        fs: faultyFileSystem(faults),
        root,
        token: TOKEN,
        format: 'sha1',
        changes: [{ path: 'd/x', index: 0, want: wants['d/x'], seen, from: contentOfDisk(seen) ?? ABSENT }],
        bytes: async () => Buffer.from('X'),
        size: async () => null,
        folders: new Map(),
        gone: [],
      }),
    ).rejects.toMatchObject({ code: 'PLAN_STALE' });
    expect(await readdir(outside)).toEqual([]);
  });
});

describe('temporary files that a crash left', () => {
  test('are removed in every folder of the paths, and nothing else is', async () => {
    await mkdir(path.join(root, 'a', 'b'), { recursive: true });
    const left = [`.turnback-${TOKEN}-0.tmp`, `a/.turnback-${TOKEN}-1.tmp`, `a/b/.turnback-${TOKEN}-2.tmp`];
    const others = [`.turnback-${'b'.repeat(32)}-0.tmp`, 'a/x', `a/x.turnback-${TOKEN}-1.tmp`];
    for (const name of [...left, ...others]) await writeFile(path.join(root, name), '');
    const outside = await tempFolder();
    await writeFile(path.join(outside, `.turnback-${TOKEN}-9.tmp`), '');
    await symlink(outside, path.join(root, 'link'));
    await removeTemporaries(nodeFileSystem, root, TOKEN, ['a/b/c', 'gone/x', 'link/y']);
    expect((await names()).filter((name) => !name.startsWith('link/'))).toEqual(['a', 'a/b', ...others, 'link'].sort());
    expect(await readdir(outside)).toHaveLength(1);
    expect((await lstat(path.join(root, 'link'))).isSymbolicLink()).toBe(true);
  });

  test('a folder that cannot be looked into is an error', async () => {
    const fs: FileSystem = { ...nodeFileSystem, readdir: async () => systemError('EIO')() };
    await expect(removeTemporaries(fs, root, TOKEN, ['x'])).rejects.toThrow('EIO');
  });
});
