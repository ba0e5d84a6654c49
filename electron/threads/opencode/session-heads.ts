import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { reasonOf } from '../../../shared/errors.ts';
import type { ThreadHead } from '../../../shared/model.ts';
import type { Listing } from '../source.ts';
import { sqliteFingerprint, withSqliteCopy } from '../sqlite-copy.ts';
import { isOpencode, tablesOf } from './opencode-database.ts';
import type { DataFolder } from './opencode-places.ts';
import type { SessionRow } from './rows.ts';
import { sessionRows } from './session-rows.ts';
import { storedSessions } from './storage-files.ts';

/** A store is looked at each time threads are listed; while nothing was committed to it, the answer is the same. */
const known = new Map<string, { fingerprint: string; heads: ThreadHead[] }>();

/** The head of a session in a store. */
export function headOf(session: SessionRow, log: string, size: number | null): ThreadHead {
  return {
    id: `opencode:${session.id}`,
    source: 'opencode',
    title: session.title,
    root: session.worktree,
    log,
    threadId: session.id,
    parent: session.parentId,
    updatedAt: session.updatedAt,
    size,
  };
}

/** The sessions of one database; empty when it is a database of another program. Throws LOG_UNREADABLE, NOT_FOUND, NO_SQLITE. */
export async function headsOfDatabase(file: string): Promise<ThreadHead[]> {
  const fingerprint = await sqliteFingerprint(file);
  const before = known.get(file);
  if (before?.fingerprint === fingerprint) return before.heads;
  const size = await sizeOf(file);
  // Not in our own data folder: which one that is, is known only when a thread is opened.
  const tmp = await mkdtemp(path.join(os.tmpdir(), 'turnback-'));
  try {
    const sessions = await withSqliteCopy(file, tmp, (db) => {
      const tables = tablesOf(db);
      return isOpencode(tables) ? sessionRows(db, tables) : [];
    });
    const heads = sessions.map((session) => headOf(session, file, size));
    known.set(file, { fingerprint, heads });
    return heads;
  } finally {
    await rm(tmp, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function sizeOf(file: string): Promise<number> {
  let size = (await stat(file)).size;
  try {
    size += (await stat(`${file}-wal`)).size;
  } catch {
    // No log beside it: a clean shutdown folds it into the main file.
  }
  return size;
}

/** The sessions of the JSON tree. */
export async function headsOfStorage(storage: string): Promise<Listing> {
  const { sessions, problems } = await storedSessions(storage);
  return { threads: sessions.map(({ session, file }) => headOf(session, file, null)), problems };
}

/** All sessions of a data folder: databases first, then what only the JSON tree still holds (formats/opencode 1.4). */
export async function headsOfData(data: DataFolder): Promise<Listing> {
  const threads: ThreadHead[] = [];
  const problems: Listing['problems'] = [];
  for (const file of data.databases) {
    try {
      threads.push(...(await headsOfDatabase(file)));
    } catch (error) {
      problems.push({ path: file, message: reasonOf(error).message });
    }
  }
  if (data.storage === null) return { threads, problems };
  const inDatabase = new Set(threads.map((head) => head.threadId));
  const stored = await headsOfStorage(data.storage);
  threads.push(...stored.threads.filter((head) => !inDatabase.has(head.threadId)));
  return { threads, problems: [...problems, ...stored.problems] };
}
