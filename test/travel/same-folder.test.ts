import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { objectId } from '../../electron/snapshots/object-id.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { type TravelRecord, travelRecordSchema } from '../../electron/travel/record.ts';
import { inodeOf, mustBeSame } from '../../electron/travel/same-folder.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { travelRecord } from './records.ts';

const file = (text: string) => ({ kind: 'file', oid: objectId('blob', Buffer.from(text), 'sha1'), executable: false, mode: null }) as const;
const absent = { kind: 'absent' } as const;
/** One path that is written, one that is deleted. */
const FILES: TravelRecord['files'] = [
  { path: 'a', before: file('before'), after: file('after'), outcome: 'written' },
  { path: 'b', before: file('b'), after: absent, outcome: 'deleted' },
];
const DELETES = FILES.slice(1);

/** What recovery says of a folder with these files, for a record that was made in another one. */
async function verdict(there: Record<string, string>, files: TravelRecord['files'], rootInode: string | null = '1'): Promise<string> {
  const root = path.join(await tempFolder(), 'ws');
  await mkdir(root);
  await writeFiles(root, there);
  const record = travelRecord({ root, files, rootInode: rootInode === 'its own' ? await inodeOf(nodeFileSystem, root) : rootInode });
  return mustBeSame(nodeFileSystem, record, root).then(
    () => 'same',
    (thrown) => thrown.code,
  );
}

test('a folder with another number is another one, unless a file of the travel is as the travel knows it', async () => {
  const other = 'RECOVERY_OTHER_FOLDER';
  expect(await verdict({ a: 'mine', b: 'mine' }, FILES)).toBe(other);
  expect(await verdict({ a: 'mine' }, FILES)).toBe(other);
  expect(await verdict({}, FILES)).toBe(other);
  expect(await verdict({ a: 'before', b: 'mine' }, FILES)).toBe('same');
  expect(await verdict({ a: 'after' }, FILES)).toBe('same');
  expect(await verdict({ a: 'mine', b: 'b' }, FILES)).toBe('same');
});

test('where all that is missing should be, only an empty folder is another one', async () => {
  expect(await verdict({ bystander: 'x' }, DELETES)).toBe('same');
  expect(await verdict({}, DELETES)).toBe('RECOVERY_OTHER_FOLDER');
});

test('its own number is enough, and a record of an earlier version, which has none, is not doubted', async () => {
  expect(await verdict({ a: 'mine', b: 'mine' }, FILES, 'its own')).toBe('same');
  expect(await verdict({}, FILES, null)).toBe('same');
  const { rootInode: _, ...older } = travelRecord();
  expect(travelRecordSchema.parse(older).rootInode).toBeNull();
});

test('a folder that is gone has no number', async () => {
  expect(await inodeOf(nodeFileSystem, path.join(await tempFolder(), 'gone'))).toBeNull();
});
