import path from 'node:path';
import { z } from 'zod';
import { type Reason, reason } from '../../shared/errors.ts';
import { travelKindSchema } from '../../shared/plan.ts';
import type { FileSystem } from './file-system.ts';
import { readEntry } from './journal.ts';
import { keyOf, listOwn, removeOwn, writeOwn } from './own-files.ts';
import { readKept } from './read-kept.ts';
import type { TravelRecord } from './record.ts';

const lineSchema = z.object({
  id: z.string(),
  at: z.number(),
  kind: travelKindSchema,
  target: z.string(),
  files: z.number(),
  bytes: z.number(),
  /** Id of the safety snapshot's tree; null for a travel that wrote no file. */
  tree: z.string().nullable(),
  /** When its safety snapshot was cleaned up; absent while it is kept. */
  cleaned: z.number().optional(),
});

/** The list of a thread's travels, oldest first. Each one's whole record is a file of its own. */
const historySchema = z.object({ version: z.literal(1), thread: z.string(), entries: z.array(lineSchema) });
export type HistoryLine = z.infer<typeof lineSchema>;

/** Whole records, which never change once their travel has ended. */
const cache = new Map<string, TravelRecord>();
const CACHED = 256;

const fileOf = (ownData: string, thread: string): string => path.join(ownData, 'history', `${keyOf(thread)}.json`);

/** The travels of a thread, oldest first. Throws HISTORY_UNREADABLE. */
export async function readHistory(fs: FileSystem, ownData: string, thread: string): Promise<HistoryLine[]> {
  return (await readFile(fs, fileOf(ownData, thread)))?.entries ?? [];
}

/** Every history there is. Throws HISTORY_UNREADABLE for the first that cannot be read. */
export async function allHistories(fs: FileSystem, ownData: string): Promise<z.infer<typeof historySchema>[]> {
  const folder = path.join(ownData, 'history');
  const names = (await listOwn(fs, folder)).filter((name) => name.endsWith('.json'));
  const found = await Promise.all(names.map((name) => readFile(fs, path.join(folder, name))));
  return found.filter((history) => history !== null);
}

const readFile = (fs: FileSystem, file: string): Promise<z.infer<typeof historySchema> | null> => readKept(fs, file, historySchema);

/** Why the files of a travel cannot come back any more, once its safety snapshot was cleaned up at that time. */
export function cleanedUp(at: number): Reason {
  return reason('SAFETY_CLEANED', { date: new Date(at).toISOString().slice(0, 10) });
}

/** Marks travels whose safety snapshots are about to be cleaned up. */
export async function markCleaned(
  fs: FileSystem,
  ownData: string,
  thread: string,
  entries: ReadonlySet<string>,
  at: number,
): Promise<void> {
  const lines = await readHistory(fs, ownData, thread);
  const marked = lines.map((line) => (entries.has(line.id) && line.cleaned === undefined ? { ...line, cleaned: at } : line));
  await write(fs, ownData, thread, marked);
}

/** Removes the list of a thread's travels. */
export async function removeHistory(fs: FileSystem, ownData: string, thread: string): Promise<void> {
  for (const { id } of await readHistory(fs, ownData, thread)) cache.delete(`${ownData}\0${id}`);
  await removeOwn(fs, fileOf(ownData, thread));
}

/** Adds a travel to the list of its thread; one that is there already is not added twice. */
export async function addToHistory(fs: FileSystem, ownData: string, record: TravelRecord): Promise<void> {
  const entries = await readHistory(fs, ownData, record.thread);
  if (entries.some((line) => line.id === record.entry)) return;
  const { entry: id, at, kind, files, safety } = record;
  entries.push({ id, at, kind, target: record.target.words, files: files.length, bytes: safety.bytes, tree: safety.tree });
  await write(fs, ownData, record.thread, entries);
}

function write(fs: FileSystem, ownData: string, thread: string, entries: readonly HistoryLine[]): Promise<void> {
  return writeOwn(fs, fileOf(ownData, thread), JSON.stringify({ version: 1, thread, entries }));
}

/** Takes a travel out of the list again, when it is rolled back after all. */
export async function dropFromHistory(fs: FileSystem, ownData: string, record: TravelRecord): Promise<void> {
  cache.delete(`${ownData}\0${record.entry}`);
  const entries = await readHistory(fs, ownData, record.thread);
  const left = entries.filter((line) => line.id !== record.entry);
  if (left.length < entries.length) await write(fs, ownData, record.thread, left);
}

/** The whole records of a thread's travels, oldest first. One whose file is gone is left out: it cannot be taken into account. */
export async function readRecords(fs: FileSystem, ownData: string, thread: string): Promise<TravelRecord[]> {
  const records: TravelRecord[] = [];
  for (const line of await readHistory(fs, ownData, thread)) {
    const key = `${ownData}\0${line.id}`;
    const record = cache.get(key) ?? (await readEntry(fs, ownData, line.id));
    if (record === null) continue;
    cache.set(key, record);
    records.push(record);
  }
  for (const oldest of [...cache.keys()].slice(0, -CACHED)) cache.delete(oldest);
  return records;
}
