import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { record } from '../figures.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { Session } from './session.ts';

/** Everything below a folder that somebody else could read, write or list, with its bits. */
function openTo(folder: string): { open: string[]; all: number } {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const open = ['.', ...names].flatMap((name) => {
    const stat = lstatSync(path.join(folder, name));
    return stat.isSymbolicLink() || (stat.mode & 0o077) === 0 ? [] : [`${name} ${(stat.mode & 0o777).toString(8)}`];
  });
  return { open, all: names.length };
}

test.each([0o000, 0o077])('what we keep is for its user alone, with a umask of %o', async (mask) => {
  const made = await tanstackScenario(await tempFolder(), { events: false });
  await writeFiles(made.root, { 'a.txt': '1\n', 'b.txt': 'x'.repeat(3_000_000) });
  await made.turn('edit', [
    { tool: 'edit_file', edit: (root) => writeFiles(root, { 'a.txt': '2\n', 'b.txt': 'y'.repeat(3_000_000), 'c/d.txt': 'd\n' }) },
  ]);
  const before = process.umask(mask);
  try {
    const session = new Session(made.env);
    await session.value('settings.set', { theme: 'dark' });
    await session.open(made.log, made.root);
    await session.look();
    await session.files(session.travel('revert', { stop: 1 }));
    await session.files(session.travel('unrevert'));
    await session.dispose();
  } finally {
    process.umask(before);
  }
  const { open, all } = openTo(made.env['TURNBACK_DATA'] ?? '');
  expect(all).toBeGreaterThan(30);
  expect(open).toEqual([]);
  record(
    'hostile input',
    `files and folders of our own data that others can open, umask ${mask.toString(8).padStart(3, '0')}`,
    `${open.length} of ${all}`,
  );
});
