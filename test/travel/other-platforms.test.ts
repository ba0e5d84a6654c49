import { constants } from 'node:fs';
import { mkdir, readFile, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { objectId } from '../../electron/snapshots/object-id.ts';
import type { Change } from '../../electron/travel/write-file.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';

/** Modules that ask for the platform, loaded again as on that platform. */
async function loadedOn() {
  vi.resetModules();
  const { applyChanges } = await import('../../electron/travel/apply-changes.ts');
  const { nodeFileSystem } = await import('../../electron/travel/file-system.ts');
  const identity = await import('../../electron/travel/process-identity.ts');
  const { pinFolder } = await import('../../electron/travel/pinned-folder.ts');
  return { applyChanges, fs: nodeFileSystem, pinFolder, ...identity };
}

const real = process.platform;
const become = (platform: string): void => void Object.defineProperty(process, 'platform', { value: platform, configurable: true });

const content = (text: string) => ({
  kind: 'file' as const,
  oid: objectId('blob', Buffer.from(text), 'sha1'),
  executable: false,
  mode: null,
});
const seen = (text: string) => ({ kind: 'file' as const, mode: 0o644, size: text.length, mtimeMs: 0, oid: content(text).oid });

describe.each(['darwin', 'win32'])('without Linux’s open folders, as on %s', (platform) => {
  beforeEach(() => become(platform));
  afterEach(() => become(real));

  test('files are written, made and deleted, folders come and go', async () => {
    const { applyChanges, fs } = await loadedOn();
    const root = await tempFolder();
    await writeFiles(root, { 'a/one': 'old', 'b/two': 'gone' });
    const changes: Change[] = [
      { path: 'a/one', index: 0, from: content('old'), seen: seen('old'), want: content('new') },
      { path: 'b/two', index: 1, from: content('gone'), seen: seen('gone'), want: { kind: 'absent' } },
      { path: 'c/d/three', index: 2, from: { kind: 'absent' }, seen: { kind: 'absent' }, want: content('made') },
    ];
    const texts = new Map(['new', 'made'].map((text) => [content(text).oid, Buffer.from(text)]));
    await applyChanges({
      fs,
      root,
      token: 'f'.repeat(32),
      format: 'sha1',
      changes,
      bytes: async (want) => texts.get(want.oid) ?? Buffer.alloc(0),
      size: async () => 3,
      folders: new Map([['c', 0o700]]),
      gone: ['b/two'],
    });
    expect((await manifest(root)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'a D',
      'a/one F',
      'c D',
      'c/d D',
      'c/d/three F',
    ]);
    expect(await readFile(path.join(root, 'a/one'), 'utf8')).toBe('new');
  });

  test('a folder that became a link is never written through', async () => {
    const { fs, pinFolder } = await loadedOn();
    const root = await tempFolder();
    await writeFiles(root, { 'a/b/file': 'x' });
    const outside = await tempFolder();
    const pinned = await pinFolder(fs, root, 'a/b');
    await pinned.check();
    await rename(path.join(root, 'a'), path.join(root, 'moved'));
    await symlink(outside, path.join(root, 'a'));
    await mkdir(path.join(outside, 'b'));
    await expect(pinned.check()).rejects.toMatchObject({ code: 'WRITE_FAILED', message: expect.stringContaining('a link or no folder') });
    await expect(pinFolder(fs, root, 'a/b')).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await pinned.close();
  });

  test('a process is told by its id and machine alone', async () => {
    const { ownIdentity, hasEnded } = await loadedOn();
    const me = ownIdentity();
    expect(me).toEqual({ pid: process.pid, started: null, host: expect.stringMatching(/^\S+$/) });
    expect(hasEnded(me)).toBe(false);
    expect(hasEnded({ ...me, host: 'elsewhere' })).toBe(false);
    expect(hasEnded({ ...me, started: '1' })).toBe(false);
    expect(hasEnded({ ...me, pid: 2 ** 22 - 1 })).toBe(true);
  });
});

test('on Linux a root that is a link is not entered', async () => {
  const { pinFolder, fs } = await loadedOn();
  const folder = await tempFolder();
  await mkdir(path.join(folder, 'root'));
  await symlink('root', path.join(folder, 'link'));
  await expect(pinFolder(fs, path.join(folder, 'link'), '')).rejects.toThrow();
  expect(constants.O_NOFOLLOW).toBeGreaterThan(0);
});
