import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { ThreadHead } from '../../../shared/model.ts';
import type { Listing } from '../source.ts';
import { logIdOfFile, readMetadata, saveFolder } from './jsonl-store.ts';
import { jsonlThread, readLogHead, threadsOfLog } from './log-head.ts';
import { metadataLookup, threadMetadata } from './metadata.ts';

type Lookup = (namespace: string, key: string) => unknown;

async function lookupOf(save: string, listing: Listing): Promise<Lookup> {
  try {
    return metadataLookup(await readMetadata(save));
  } catch (error) {
    if (!(error instanceof TurnbackError)) throw error;
    listing.problems.push({ path: path.join(save, 'metadata.json'), message: error.message });
    return () => undefined;
  }
}

async function headsOf(file: string, value: Lookup, whole: boolean): Promise<ThreadHead[]> {
  const head = await readLogHead(file);
  if (head === null) return [];
  const others = whole ? await threadsOfLog(file) : head.threads;
  const ids = [logIdOfFile(file), ...others];
  return Promise.all(ids.map((id) => jsonlThread(file, id, head, threadMetadata(id, value).root)));
}

/** The threads of one log file; none when it is no log of the harness. `whole`: reads all of it, to find threads that share it. */
export async function threadsOfFile(file: string, whole = true): Promise<ThreadHead[]> {
  const listing: Listing = { threads: [], problems: [] };
  return headsOf(file, await lookupOf(saveFolder(file), listing), whole);
}

/** Adds the threads of every log in a `sessions` folder; a file that cannot be read is a problem and hides no other. */
export async function listSessions(sessions: string, listing: Listing): Promise<void> {
  const names = (await readdir(sessions, { withFileTypes: true }))
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith('.jsonl'))
    .map((entry) => entry.name);
  if (names.length === 0) return;
  const value = await lookupOf(saveFolder(path.join(sessions, 'x.jsonl')), listing);
  for (const name of names) {
    const file = path.join(sessions, name);
    try {
      listing.threads.push(...(await headsOf(file, value, false)));
    } catch (error) {
      listing.problems.push({ path: file, message: error instanceof Error ? error.message : String(error) });
    }
  }
}
