import type * as realFs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { diskState, readDisk, readState, sameAsEntry } from '../../electron/snapshots/disk.ts';
import { openRegular, readRegular } from '../../electron/snapshots/regular-file.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

/** Errors by the call and the end of the path, as the system would give them; tests may run as a user who may do anything. */
const faults = vi.hoisted(() => new Map<string, string>());
/** What is opened as the file `swapped`: it came there after the look. */
const swapped = vi.hoisted(() => ({ folder: null as string | null }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof realFs>();
  const check = (call: string, file: unknown): void => {
    // Paths are bytes.
    for (const [key, code] of faults) {
      const [name = '', end = ''] = key.split(' ');
      if (name === call && String(file).endsWith(end)) throw Object.assign(new Error(`${code}: injected`), { code });
    }
  };
  return {
    ...fs,
    lstatSync: (file: realFs.PathLike, options: realFs.StatSyncOptions) => {
      check('lstat', file);
      return fs.lstatSync(file, options);
    },
    openSync: (file: realFs.PathLike, flags: number) => {
      check('open', file);
      if (swapped.folder !== null && String(file).endsWith('/swapped')) return fs.openSync(swapped.folder, flags);
      return fs.openSync(file, flags);
    },
  };
});

afterEach(() => {
  faults.clear();
  swapped.folder = null;
});

const why = async (root: string, name: string): Promise<string> => {
  const state = await diskState(root, name);
  return state.kind === 'blocked' ? state.why : state.kind === 'other' ? state.what : state.kind;
};

it('what may not be looked at is blocked, what may not be read is told, and nothing is guessed', async () => {
  const root = await tempFolder();
  await writeFiles(root, { 'd/x': 'x', plain: 'p' });
  faults.set('lstat /d/x', 'EACCES');
  expect(await why(root, 'd/x')).toBe('You may not look into its folder.');
  expect(await readDisk(root, 'd/x')).toBeNull();
  faults.clear();
  faults.set('lstat /d', 'EACCES');
  expect(await why(root, 'd/x')).toBe('You may not look into its folder.');
  expect(await readDisk(root, 'd/x')).toBeNull();
  faults.clear();
  faults.set('lstat /d/.git', 'EACCES');
  expect(await why(root, 'd/x')).toBe('You may not look into its folder.');
  faults.clear();
  faults.set('lstat /plain', 'ENOTDIR');
  expect(await why(root, 'plain')).toBe('absent');
  expect(await readDisk(root, 'plain')).toBeNull();
  faults.set('lstat /plain', 'EIO');
  await expect(diskState(root, 'plain')).rejects.toThrow('EIO');
});

it.each([
  ['EACCES', 'a file that you may not read'],
  ['EPERM', 'a file that you may not read'],
  ['ENOENT', 'something that was a file a moment ago'],
  ['ELOOP', 'something that was a file a moment ago'],
  ['ENXIO', 'something that was a file a moment ago'],
])('a file whose opening fails with %s is %s', async (code, words) => {
  const root = await tempFolder();
  await writeFiles(root, { f: 'x' });
  faults.set('open /f', code);
  expect(await why(root, 'f')).toBe(words);
  expect(await readDisk(root, 'f')).toBeNull();
  expect(await readState(root, 'f', 'sha1', 100)).toEqual({ state: { kind: 'other', what: words }, bytes: null });
});

it('a folder that took the place of a file between the look and the reading is not read', async () => {
  const root = await tempFolder();
  await writeFiles(root, { swapped: 'x' });
  swapped.folder = root;
  expect(await why(root, 'swapped')).toBe('something that was a file a moment ago');
  expect(await readDisk(root, 'swapped')).toBeNull();
});

it('any other failure of the disk is an error', async () => {
  const root = await tempFolder();
  await writeFiles(root, { f: 'x' });
  faults.set('open /f', 'EIO');
  await expect(diskState(root, 'f')).rejects.toThrow('EIO');
});

it('bytes are kept up to a size, and a file above it is refused by name', async () => {
  const root = await tempFolder();
  await writeFiles(root, { f: 'four', l: { link: 'f' } });
  expect((await readState(root, 'f', 'sha1', 4)).bytes?.toString()).toBe('four');
  expect((await readState(root, 'f', 'sha1', 3)).bytes).toBeNull();
  expect((await readDisk(root, 'f', 4))?.toString()).toBe('four');
  await expect(readDisk(root, 'f', 3)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect([await readDisk(root, '.'), await readDisk(root, 'l', 0)]).toEqual([null, Buffer.from('f')]);
});

it('a file is the same as an entry in kind, bytes and exec bit', async () => {
  const oid = 'a'.repeat(40);
  const file = (mode: number) => ({ kind: 'file' as const, mode, size: 1, mtimeMs: 0, oid });
  const entry = (mode: '100644' | '100755' | '120000', id = oid) => ({ mode, oid: id });
  expect([sameAsEntry({ kind: 'absent' }, null), sameAsEntry({ kind: 'folder' }, null), sameAsEntry(file(0o644), null)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([sameAsEntry(file(0o644), entry('100644')), sameAsEntry(file(0o755), entry('100755'))]).toEqual([true, true]);
  expect([sameAsEntry(file(0o755), entry('100644')), sameAsEntry(file(0o644), entry('100755'))]).toEqual([false, false]);
  expect([sameAsEntry(file(0o644), entry('120000')), sameAsEntry(file(0o644), entry('100644', 'b'.repeat(40)))]).toEqual([false, false]);
  const link = { kind: 'link' as const, oid, target: Buffer.from('t') };
  expect([
    sameAsEntry(link, entry('120000')),
    sameAsEntry(link, entry('100644')),
    sameAsEntry(link, entry('120000', 'b'.repeat(40))),
  ]).toEqual([true, false, false]);
  expect(sameAsEntry({ kind: 'folder' }, entry('100644'))).toBe(false);
});

it('a foreign file is opened only when it is one, and read up to a size', async () => {
  const root = await tempFolder();
  await writeFiles(root, { f: 'four', l: { link: 'f' } });
  expect((await readRegular(path.join(root, 'l'))).toString()).toBe('four');
  expect((await readRegular(path.join(root, 'f'), 4)).toString()).toBe('four');
  await expect(readRegular(path.join(root, 'f'), 3)).rejects.toThrow('it is 4 bytes long');
  await expect(openRegular(root)).rejects.toMatchObject({ code: 'LOG_UNREADABLE', message: expect.stringContaining('it is not a file') });
  await expect(openRegular('/dev/zero')).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
  await expect(openRegular(path.join(root, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' });
});
