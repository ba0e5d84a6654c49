import { lstat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SeenFiles } from '../../electron/snapshots/seen-files.ts';
import { tempFolder } from '../scenarios/temp.ts';

const OID = 'a'.repeat(40);

/** Notes of the file as they would be after a while: they are believed only for files that rested before they were made. */
async function noted(file: string, target: string, later = 60_000): Promise<void> {
  const notes = await SeenFiles.read(file);
  notes.note('f', await lstat(target), OID);
  await notes.write(file);
  const kept = JSON.parse(await import('node:fs/promises').then(({ readFile }) => readFile(file, 'utf8')));
  await writeFile(file, JSON.stringify({ ...kept, at: kept.at + later }));
}

it('believes a note as long as size, times and inode are the same', async () => {
  const folder = await tempFolder();
  const [file, target] = [path.join(folder, 'own', 'seen.json'), path.join(folder, 'f')];
  await writeFile(target, 'one');
  expect((await SeenFiles.read(file)).idOf('f', await lstat(target))).toBeNull();
  await noted(file, target);
  const notes = await SeenFiles.read(file);
  const stat = await lstat(target);
  expect([notes.idOf('f', stat), notes.idOf('other', stat)]).toEqual([OID, null]);
  for (const change of [{ size: 4 }, { mtimeMs: stat.mtimeMs - 1 }, { ctimeMs: stat.ctimeMs - 1 }, { ino: stat.ino + 1 }]) {
    expect(notes.idOf('f', Object.assign(Object.create(stat), change))).toBeNull();
  }
});

it('does not believe one that was made right after the file changed', async () => {
  const folder = await tempFolder();
  const [file, target] = [path.join(folder, 'seen.json'), path.join(folder, 'f')];
  await writeFile(target, 'one');
  await noted(file, target, 0);
  expect((await SeenFiles.read(file)).idOf('f', await lstat(target))).toBeNull();
  // Old by its mtime alone, which anybody can set.
  await utimes(target, 1, 1);
  await noted(file, target, 0);
  expect((await SeenFiles.read(file)).idOf('f', await lstat(target))).toBeNull();
});

it('begins anew when the notes cannot be understood, and says when they cannot be read', async () => {
  const folder = await tempFolder();
  const [file, target] = [path.join(folder, 'seen.json'), path.join(folder, 'f')];
  await writeFile(target, 'one');
  for (const text of [
    '',
    '{',
    '[]',
    '{"version":2,"at":1,"checked":0,"files":[]}',
    '{"version":1,"at":9e15,"checked":0,"files":[["f",[3,1,1,1,"x"]]]}',
  ]) {
    await writeFile(file, text);
    expect((await SeenFiles.read(file)).idOf('f', await lstat(target))).toBeNull();
  }
  await expect(SeenFiles.read(folder)).rejects.toMatchObject({ code: 'EISDIR' });
});
