import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../electron/travel/file-system.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import { neutral } from './neutral.ts';
import { DEFAULTS, revertTo } from './tanstack-travelling.ts';

test('on one disk the new contents and the safety snapshot are counted together; on two, each on its own', async () => {
  const n = await neutral();
  const file = path.join(n.root, 'f');
  await writeFile(file, 'x'.repeat(3000));
  await n.base();
  await n.user('write');
  await writeFile(file, 'y'.repeat(5000));
  await n.step('write', ['f']);
  const spare = 1024 * 1024;
  const context = await n.context();
  const disk = (free: number, apart: boolean): FileSystem => ({
    ...nodeFileSystem,
    free: async () => free,
    async lstat(at) {
      const stat = await nodeFileSystem.lstat(at);
      return apart && at.toString() === context.ownData ? Object.assign(Object.create(stat), { dev: stat.dev + 1 }) : stat;
    },
  });
  const travel = (free: number, apart: boolean) => runTravel({ ...context, fs: disk(free, apart) }, revertTo(0), DEFAULTS);
  await expect(travel(8000 + 2 * spare - 1, false)).rejects.toMatchObject({
    code: 'DISK_FULL',
    message: expect.stringContaining(`${8000 + 2 * spare} bytes are needed`),
  });
  await expect(travel(5000 + spare - 1, true)).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect((await readFile(file, 'utf8'))[0]).toBe('y');
  expect((await travel(8000 + 2 * spare, false)).files.map(({ outcome }) => outcome)).toEqual(['written']);
  expect(await readFile(file, 'utf8')).toBe('x'.repeat(3000));
});
