import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { holderOf } from '../../../electron/threads/opencode/live-sign.ts';
import { tempFolder } from '../../scenarios/temp.ts';

test.runIf(process.platform === 'linux')('only an OpenCode that may write to the database holds it', async () => {
  const folder = await tempFolder();
  const [proc, database, other] = ['proc', 'opencode.db', 'other.db'].map((name) => path.join(folder, name)) as [string, string, string];
  for (const file of [database, other]) await writeFile(file, '');
  /** A process as /proc shows it, with one open file; without, its files are nobody's to see. */
  const started = async (pid: string, command: string, opened: string | null, flags: string): Promise<void> => {
    for (const part of opened === null ? [''] : ['fd', 'fdinfo']) await mkdir(path.join(proc, pid, part), { recursive: true });
    await writeFile(path.join(proc, pid, 'cmdline'), command);
    if (opened === null) return;
    await symlink(opened, path.join(proc, pid, 'fd', '3'));
    await writeFile(path.join(proc, pid, 'fdinfo', '3'), flags);
  };
  await started('self', 'opencode\0', database, 'flags:\t0100002\n');
  await started(String(process.pid), 'opencode\0', database, 'flags:\t0100002\n');
  await started('11', 'vim\0', database, 'flags:\t0100002\n');
  await started('12', '/usr/bin/opencode\0', database, 'pos:\t0\nflags:\t0100000\n');
  await started('13', 'opencode\0', other, 'flags:\t0100002\n');
  await started('14', 'opencode\0', null, '');
  await started('15', 'opencode\0', database, 'pos:\t0\n');
  expect(await holderOf(database, proc)).toBeNull();
  await started('16', 'bun\0opencode\0', database, 'pos:\t0\nflags:\t0100001\n');
  expect(await holderOf(database, proc)).toBe(16);
  // Through a link it is the same file.
  await symlink(database, path.join(folder, 'link.db'));
  expect(await holderOf(path.join(folder, 'link.db'), proc)).toBe(16);
  expect(await holderOf(path.join(folder, 'gone.db'), proc)).toBeNull();
  expect(await holderOf(database, path.join(folder, 'no-proc'))).toBeNull();
});
