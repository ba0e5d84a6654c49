import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ThreadHead } from '../../../shared/model.ts';
import { isWithin } from '../recorded-path.ts';
import type { Places, Source } from '../source.ts';
import { looksLikeSqlite } from './opencode-database.ts';
import { dataIn, isKind, isStorage, knownData } from './opencode-places.ts';
import { openReader } from './opencode-reader.ts';
import { headOf, headsOfData, headsOfDatabase, headsOfStorage } from './session-heads.ts';
import { sessionsHolding } from './sessions-holding.ts';
import { storedSession } from './storage-files.ts';

/** Threads of OpenCode: its databases (1.2 and later) and its older JSON tree (formats/opencode Part 1). Never written to. */
export const opencode: Source = {
  kind: 'opencode',
  async list(places) {
    return headsOfData(await knownData(places));
  },
  async locate(named, places) {
    const at = named.lastIndexOf('#ses_');
    if (at > 0 && !(await isKind(named, 'file'))) {
      const id = named.slice(at + 1);
      return (await headsAt(path.resolve(named.slice(0, at)), places)).filter((head) => head.threadId === id);
    }
    return headsAt(path.resolve(named), places);
  },
  open: openReader,
  async mayHold(log, words, signal) {
    return log.endsWith('.json') || sessionsHolding(log, words, signal);
  },
};

async function headsAt(file: string, places: Places): Promise<ThreadHead[]> {
  if (await isKind(file, 'folder')) return headsInFolder(file, places);
  if (!(await isKind(file, 'file'))) return [];
  if (file.endsWith('.json')) return headOfStored(file);
  return (await looksLikeSqlite(file)) ? headsOfDatabase(file) : [];
}

/** A session's own file in the JSON tree: `storage/session/<project>/<session>.json`. */
async function headOfStored(file: string): Promise<ThreadHead[]> {
  const sessions = path.dirname(path.dirname(file));
  if (path.basename(sessions) !== 'session') return [];
  const session = await storedSession(path.dirname(sessions), file);
  return session ? [headOf(session, file, null)] : [];
}

async function headsInFolder(folder: string, places: Places): Promise<ThreadHead[]> {
  const data = await dataIn(folder);
  if (data.databases.length > 0 || data.storage !== null) return (await headsOfData(data)).threads;
  if (path.basename(folder) === 'storage' && (await isStorage(folder))) return (await headsOfStorage(folder)).threads;
  return headsOfWorkspace(await realpath(folder), places);
}

/** The known threads that worked in a folder: it is their worktree, or a folder of it that one of them ran in or below. */
async function headsOfWorkspace(folder: string, places: Places): Promise<ThreadHead[]> {
  const { threads } = await headsOfData(await knownData(places));
  const here = threads.filter((head) => head.root !== null && path.resolve(head.root) === folder);
  if (here.length > 0) return here;
  return threads.filter((head) => head.root !== null && path.isAbsolute(head.root) && isWithin(head.root, folder) && head.root !== '/');
}
