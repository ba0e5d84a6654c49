import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import * as journal from '../../electron/travel/journal.ts';
import type { TravelRecord } from '../../electron/travel/record.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { travelRecord } from './records.ts';

const fs = nodeFileSystem;
const record = (entry: string, at = 1, more: Partial<TravelRecord> = {}): TravelRecord => travelRecord({ entry, at, ...more });

test('a record is kept whole while it is under way, and is gone once removed', async () => {
  const own = await tempFolder();
  const one = record('a-1');
  await journal.writeJournal(fs, own, one);
  expect(await readdir(path.join(own, 'journal'))).toEqual(['a-1.json']);
  expect(await journal.readJournal(fs, own, 'a-1')).toEqual(one);
  expect(await journal.openJournals(fs, own)).toEqual([one]);
  await journal.removeJournal(fs, own, 'a-1');
  expect(await journal.readJournal(fs, own, 'a-1')).toBeNull();
  expect(await journal.openJournals(fs, own)).toEqual([]);
});

test('only ids of ours are looked up: an id from outside is no path', async () => {
  const own = await tempFolder();
  await mkdir(path.join(own, 'journal'), { recursive: true });
  for (const name of ['x.json', 'A-1.json', 'a-1x.json', 'x a-1.json']) await writeFile(path.join(own, 'journal', name), 'not JSON');
  for (const id of ['../entries/a-1', 'x', 'A-1', 'a-1x', 'x a-1', '', 'a-1\n']) expect(await journal.readJournal(fs, own, id)).toBeNull();
});

test('open travels come oldest first; those that have their entry, and files that are none, are not among them', async () => {
  const own = await tempFolder();
  for (const [entry, at] of [
    ['a-1', 30],
    ['a-2', 10],
    ['a-3', 20],
    ['a-4', 5],
  ] as const) {
    await journal.writeJournal(fs, own, record(entry, at));
  }
  await journal.writeEntry(fs, own, record('a-4', 5));
  await writeFile(path.join(own, 'journal', 'a-5.json.1234'), 'half');
  await writeFile(path.join(own, 'entries', 'a-6.json.1234'), 'half');
  await writeFile(path.join(own, 'journal', 'a-6.json.1234'), 'half');
  expect((await journal.openJournals(fs, own)).map((one) => one.entry)).toEqual(['a-2', 'a-3', 'a-1']);
  expect(await journal.doneJournals(fs, own)).toEqual(['a-4']);
  await journal.sweepJournal(fs, own, 'a-4');
  expect(await journal.doneJournals(fs, own)).toEqual([]);
  // Swept before: nothing happens.
  await journal.sweepJournal(fs, own, 'a-4');
  expect(await journal.readEntry(fs, own, 'a-4')).toEqual(record('a-4', 5));
});

test('a journal that cannot be swept harms nobody', async () => {
  const own = await tempFolder();
  await journal.writeJournal(fs, own, record('a-1'));
  const broken = {
    ...fs,
    unlink: async (): Promise<void> => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    },
  };
  await journal.sweepJournal(broken, own, 'a-1');
  await expect(journal.removeJournal(broken, own, 'a-1')).rejects.toThrow('EACCES');
  expect(await journal.readJournal(fs, own, 'a-1')).not.toBeNull();
});

test('what cannot be read is said with its path and what is wrong', async () => {
  const own = await tempFolder();
  await mkdir(path.join(own, 'journal'), { recursive: true });
  const file = path.join(own, 'journal', 'a-1.json');
  await writeFile(file, '{"version":1');
  await expect(journal.openJournals(fs, own)).rejects.toMatchObject({
    code: 'HISTORY_UNREADABLE',
    message: expect.stringMatching(new RegExp(`${file}.*it is not JSON`)),
  });
  await writeFile(file, JSON.stringify({ ...record('a-1'), safety: { tree: 7, bytes: 1 } }));
  await expect(journal.readJournal(fs, own, 'a-1')).rejects.toMatchObject({
    code: 'HISTORY_UNREADABLE',
    message: expect.stringMatching(/safety\.tree: /),
  });
  await writeFile(file, JSON.stringify({ ...record('a-1'), version: 2 }));
  await expect(journal.readJournal(fs, own, 'a-1')).rejects.toMatchObject({ message: expect.stringMatching(/version: /) });
});

test('an entry is removed for good', async () => {
  const own = await tempFolder();
  await journal.writeEntry(fs, own, record('a-1'));
  expect(JSON.parse(await readFile(path.join(own, 'entries', 'a-1.json'), 'utf8'))).toEqual(record('a-1'));
  await journal.removeEntry(fs, own, 'a-1');
  expect(await journal.readEntry(fs, own, 'a-1')).toBeNull();
  await journal.removeEntry(fs, own, 'a-1');
});

test('a lease is the workspace’s, and the thread’s own where there is none', () => {
  expect(journal.leaseKeyOf({ root: '/w', thread: 't' })).toBe(journal.leaseKeyOf({ root: '/w', thread: 'u' }));
  expect(journal.leaseKeyOf({ root: null, thread: 't' })).not.toBe(journal.leaseKeyOf({ root: null, thread: 'u' }));
  expect(journal.leaseKeyOf({ root: '/w', thread: 't' })).not.toBe(journal.leaseKeyOf({ root: '/x', thread: 't' }));
});
