import path from 'node:path';
import type { FileSystem } from './file-system.ts';
import { keyOf, listOwn, readOwn, removeOwn, writeOwn } from './own-files.ts';
import { readKept } from './read-kept.ts';
import { type TravelRecord, travelRecordSchema } from './record.ts';

/** Where records of travels lie: those under way, and those that ended. */
const fileOf = (ownData: string, folder: 'journal' | 'entries', entry: string): string => path.join(ownData, folder, `${entry}.json`);

/** Reads one record. Throws HISTORY_UNREADABLE for one that has another form; null when there is none. */
const read = (fs: FileSystem, file: string): Promise<TravelRecord | null> => readKept(fs, file, travelRecordSchema);

/** Keeps where a travel is; durable when it resolves. */
export function writeJournal(fs: FileSystem, ownData: string, record: TravelRecord): Promise<void> {
  return writeOwn(fs, fileOf(ownData, 'journal', record.entry), JSON.stringify(record));
}

/** Ends the journal of a travel that was rolled back. */
export function removeJournal(fs: FileSystem, ownData: string, entry: string): Promise<void> {
  return removeOwn(fs, fileOf(ownData, 'journal', entry));
}

/** The travel under way with this id; null when there is none. */
export async function readJournal(fs: FileSystem, ownData: string, entry: string): Promise<TravelRecord | null> {
  return /^[0-9a-z]+-[0-9a-f]+$/.test(entry) ? read(fs, fileOf(ownData, 'journal', entry)) : null;
}

/** Every travel under way, oldest first. One that has its entry is done; its journal was only not swept. */
export async function openJournals(fs: FileSystem, ownData: string): Promise<TravelRecord[]> {
  const records: TravelRecord[] = [];
  for (const name of await listOwn(fs, path.join(ownData, 'journal'))) {
    if (!name.endsWith('.json')) continue;
    if ((await readOwn(fs, path.join(ownData, 'entries', name))) !== null) continue;
    const record = await read(fs, path.join(ownData, 'journal', name));
    if (record !== null) records.push(record);
  }
  return records.sort((a, b) => a.at - b.at);
}

/** Ids of travels that are done and whose journal was not swept. */
export async function doneJournals(fs: FileSystem, ownData: string): Promise<string[]> {
  const entries = new Set(await listOwn(fs, path.join(ownData, 'entries')));
  const names = await listOwn(fs, path.join(ownData, 'journal'));
  return names.filter((name) => name.endsWith('.json') && entries.has(name)).map((name) => name.slice(0, -'.json'.length));
}

/** Removes the journal of a travel that has its entry. One that cannot be removed harms nobody, so that is no failure of the travel. */
export async function sweepJournal(fs: FileSystem, ownData: string, entry: string): Promise<void> {
  try {
    await removeJournal(fs, ownData, entry);
  } catch {
    // It is swept again with the next travel.
  }
}

/** Keeps the whole record of a travel that ended; durable when it resolves. */
export function writeEntry(fs: FileSystem, ownData: string, record: TravelRecord): Promise<void> {
  return writeOwn(fs, fileOf(ownData, 'entries', record.entry), JSON.stringify(record));
}

/** Takes the record of a travel out again, when it is rolled back after all. */
export function removeEntry(fs: FileSystem, ownData: string, entry: string): Promise<void> {
  return removeOwn(fs, fileOf(ownData, 'entries', entry));
}

/** The whole record of a travel that ended; null when it is not there any more. */
export function readEntry(fs: FileSystem, ownData: string, entry: string): Promise<TravelRecord | null> {
  return read(fs, fileOf(ownData, 'entries', entry));
}

/** What a lease is for: the workspace, or the thread when it has none. */
export function leaseKeyOf(record: { root: string | null; thread: string }): string {
  return keyOf(record.root ?? `thread:${record.thread}`);
}
