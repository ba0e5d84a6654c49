import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { mustHoldFiles } from '../../electron/snapshots/must-hold-files.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { put, travelling } from '../travel/tanstack-travelling.ts';

const OBJECT = 'ab/'.padEnd(41, '0');

async function objects() {
  const folder = path.join(await tempFolder(), 'objects');
  await writeFiles(folder, { [OBJECT]: 'x', 'info/packs': '', 'pack/pack-1.idx': 'i', 'ab/tmp_obj_x': '' });
  await mkdir(path.join(folder, '17'));
  await symlink(path.join(folder, OBJECT), path.join(folder, '17', '0'.repeat(38)));
  await symlink('nowhere', path.join(folder, '17', '1'.repeat(38)));
  return folder;
}

describe.skipIf(process.platform === 'win32')('a folder of objects', () => {
  test('of files, folders and links is one that git can read', async () => {
    const folder = await objects();
    await mustHoldFiles([folder, path.join(folder, 'none')]);
  });

  test.each(['info/alternates', 'pack/pack-2.pack', OBJECT])('with a pipe as %s is not', async (name) => {
    const folder = await objects();
    const pipe = path.join(folder, name);
    await rm(pipe, { force: true });
    execFileSync('mkfifo', [pipe]);
    await expect(mustHoldFiles([await objects(), folder])).rejects.toThrow(`${path.basename(pipe)} is no file`);
  });

  test('with a link to a device is not', async () => {
    const folder = await objects();
    await symlink('/dev/zero', path.join(folder, 'ab', '2'.repeat(38)));
    await expect(mustHoldFiles([folder])).rejects.toThrow(`${'2'.repeat(38)} is no file`);
  });

  test.skipIf(process.getuid?.() === 0)('that may not be read is not, and nothing in it counts as expired', async () => {
    const folder = await objects();
    await chmod(folder, 0);
    await expect(mustHoldFiles([folder])).rejects.toThrow('EACCES');
    await chmod(folder, 0o700);
  });

  test('with a pipe is a reason on the thread, which opens all the same', async () => {
    const { t, context } = await travelling();
    await t.turn('one', [{ tool: 'bash', edit: put({ a: '1\n' }) }]);
    await writeFile(path.join(t.gitDir, 'objects', 'info', 'note'), '');
    expect((await context()).thread.storeReason).toBeNull();
    execFileSync('mkfifo', [path.join(t.gitDir, 'objects', 'info', 'alternates')]);
    const { thread } = await context();
    expect(thread.storeReason).toMatchObject({ code: 'NO_STORE', message: expect.stringContaining('alternates is no file') });
    await thread.fill();
    expect(thread.thread().steps.map((step) => step.captured)).toEqual([expect.objectContaining({ code: 'NO_STORE' }), true]);
  });
});
