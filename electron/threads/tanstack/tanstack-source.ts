import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { ThreadHead } from '../../../shared/model.ts';
import { openRegular } from '../../snapshots/regular-file.ts';
import { fileMayHold } from '../file-may-hold.ts';
import { logError } from '../log-lines.ts';
import { ownDataOf } from '../places.ts';
import type { Listing, OpenOptions, Places, Source, ThreadReader } from '../source.ts';
import { JsonlStore, logIdOfFile } from './jsonl-store.ts';
import { listSessions, threadsOfFile } from './jsonl-threads.ts';
import { loglessThreads, MetadataStore } from './metadata-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import { logIdOfThread, threadsOfDatabase } from './sqlite-threads.ts';
import { TanstackReader } from './tanstack-reader.ts';

const SAMPLE_DEPTH = 3;

async function kindOf(target: string): Promise<'file' | 'folder' | null> {
  try {
    const found = await stat(target);
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : null;
  } catch (error) {
    const wrapped = logError(target, error);
    if (wrapped.code === 'NOT_FOUND') return null;
    throw wrapped;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await kindOf(folder)) === 'folder' ? (await readdir(folder)).sort() : [];
}

async function isDatabase(file: string): Promise<boolean> {
  const handle = await openRegular(file);
  try {
    return (await handle.read(Buffer.alloc(16), 0, 16, 0)).buffer.toString('latin1') === 'SQLite format 3\0';
  } finally {
    await handle.close();
  }
}

/** Folders named `sessions` below a folder, not deeper than a few levels. */
async function sessionFolders(folder: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of await namesIn(folder)) {
    const inner = path.join(folder, name);
    if ((await kindOf(inner)) !== 'folder') continue;
    if (name === 'sessions') found.push(inner);
    else if (depth > 1 && name !== 'node_modules' && !name.startsWith('.git')) found.push(...(await sessionFolders(inner, depth - 1)));
  }
  return found;
}

function tmpOf(places: Places): string {
  return path.join(ownDataOf({ HOME: places.home, ...places.env }), 'tmp');
}

/** The save folders of the known apps (`formats/tanstack.md`, JSONL layout). */
async function knownSaves(places: Places): Promise<string[]> {
  const names = (await namesIn(places.home)).filter((name) => name.startsWith('.tanstack-harness-'));
  return names.map((name) => path.join(places.home, name));
}

/** The folders in which the known apps keep their sessions, and Turnback its samples. */
async function knownSessions(places: Places): Promise<string[]> {
  const folders: string[] = [];
  for (const save of await knownSaves(places)) {
    if ((await kindOf(path.join(save, 'sessions'))) === 'folder') folders.push(path.join(save, 'sessions'));
  }
  const samples = path.join(path.dirname(tmpOf(places)), 'samples');
  return [...folders, ...(await sessionFolders(samples, SAMPLE_DEPTH))];
}

/** Databases of the opencode fork: its file name is not known, so every database of that folder is looked at. */
async function knownDatabases(places: Places): Promise<string[]> {
  const data = places.env['XDG_DATA_HOME'] || path.join(places.home, '.local', 'share');
  const folder = path.join(data, 'opencode');
  return (await namesIn(folder)).filter((name) => /\.(db|sqlite3?)$/.test(name)).map((name) => path.join(folder, name));
}

async function problemsOf(listing: Listing, where: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (listing.problems.some((problem) => problem.path === where)) return;
    listing.problems.push({ path: where, message: error instanceof Error ? error.message : String(error) });
  }
}

async function addLogless(save: string, listing: Listing): Promise<void> {
  await problemsOf(listing, path.join(save, 'metadata.json'), async () => {
    listing.threads.push(...(await loglessThreads(save)));
  });
}

async function list(places: Places): Promise<Listing> {
  const listing: Listing = { threads: [], problems: [] };
  for (const sessions of await knownSessions(places)) await problemsOf(listing, sessions, () => listSessions(sessions, listing));
  for (const save of await knownSaves(places)) await addLogless(save, listing);
  for (const database of await knownDatabases(places)) {
    await problemsOf(listing, database, async () => {
      listing.threads.push(...(await threadsOfDatabase(database, tmpOf(places))));
    });
  }
  return listing;
}

/** The threads in a `sessions` folder, in a save folder, or in the folder of several: nearest first. */
async function threadsBelow(folder: string): Promise<ThreadHead[]> {
  const listing: Listing = { threads: [], problems: [] };
  const own = path.basename(folder) === 'sessions' ? [folder] : [];
  for (const sessions of [...own, ...(await sessionFolders(folder, 2)), folder]) {
    if (listing.threads.length === 0 || sessions !== folder) await listSessions(sessions, listing);
  }
  await addLogless(folder, listing);
  return unique(listing.threads);
}

function unique(heads: readonly ThreadHead[]): ThreadHead[] {
  return [...new Map(heads.map((head) => [`${head.log}\0${head.threadId}`, head])).values()];
}

/** The threads of a folder; when it holds none, those that work in it: of the known places, and of a log beside it. */
async function locateInFolder(folder: string, places: Places): Promise<ThreadHead[]> {
  const inside = await threadsBelow(folder);
  if (inside.length > 0) return inside;
  const known = [...(await list(places)).threads, ...(await threadsBelow(path.dirname(folder)))];
  return unique(known.filter((head) => head.root !== null && path.resolve(head.root) === folder));
}

async function locate(named: string, places: Places): Promise<ThreadHead[]> {
  const kind = await kindOf(named);
  if (kind === null) return [];
  if (kind === 'folder') return locateInFolder(await realpath(named), places);
  const file = await realpath(named);
  if (await isDatabase(file)) return threadsOfDatabase(file, tmpOf(places));
  return path.basename(file) === 'metadata.json' ? loglessThreads(path.dirname(file)) : threadsOfFile(file);
}

/** A thread that its log is named after needs no look for others in it. */
async function head(log: string, threadId: string, places: Places): Promise<ThreadHead | null> {
  const quick = log.endsWith('.jsonl') && logIdOfFile(log) === threadId && (await kindOf(log)) === 'file' && !(await isDatabase(log));
  const heads = quick ? await threadsOfFile(log, false) : await locate(log, places);
  return heads.find((one) => one.threadId === threadId) ?? null;
}

/** The texts of a JSONL log are in its own file; a database or the metadata says nothing by its bytes. */
async function mayHold(log: string, words: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string> | boolean> {
  return !log.endsWith('.jsonl') || fileMayHold(log, words, signal);
}

async function openThread(head: ThreadHead, options: OpenOptions): Promise<ThreadReader> {
  const tmpDir = path.join(options.ownData, 'tmp');
  if ((await kindOf(head.log)) !== 'file') throw new TurnbackError('NOT_FOUND', { path: head.log });
  const { threadId, log } = head;
  if (path.basename(log) === 'metadata.json') {
    return new TanstackReader({ head, open: options, store: new MetadataStore(log, threadId), logId: threadId });
  }
  if (!(await isDatabase(log))) {
    return new TanstackReader({ head, open: options, store: new JsonlStore(log, threadId), logId: logIdOfFile(log) });
  }
  const logId = await logIdOfThread(log, threadId, tmpDir);
  return new TanstackReader({ head, open: options, store: new SqliteStore({ path: log, logId, threadId, tmpDir }), logId });
}

/** Threads of TanStack AI harnesses: JSONL files and the SQLite layout (`formats/tanstack.md`). */
export const tanstack: Source = { kind: 'tanstack', list, locate, open: openThread, head, mayHold };
