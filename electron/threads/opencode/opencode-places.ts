import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Places } from '../source.ts';

/** What one data folder of OpenCode holds. */
export interface DataFolder {
  databases: string[];
  /** The older JSON tree; null when there is none. */
  storage: string | null;
}

/** OpenCode's data folder: the same below the home on every platform (formats/opencode 1.1). */
export function dataFolderOf(places: Places): string {
  return path.join(places.env['XDG_DATA_HOME'] || path.join(places.home, '.local', 'share'), 'opencode');
}

/** The databases and the JSON tree of the known place; `OPENCODE_DB` names the one database instead. */
export async function knownData(places: Places): Promise<DataFolder> {
  const folder = dataFolderOf(places);
  const named = places.env['OPENCODE_DB'];
  const { databases, storage } = await dataIn(folder);
  if (!named || named === ':memory:') return { databases, storage };
  const file = path.resolve(folder, named);
  return { databases: (await isKind(file, 'file')) ? [file] : [], storage };
}

/** The databases (`opencode.db`, `opencode-<channel>.db`) and the JSON tree in a folder. Nothing where the folder is missing. */
export async function dataIn(folder: string): Promise<DataFolder> {
  const names = (await isKind(folder, 'folder')) ? await readdir(folder) : [];
  const databases: string[] = [];
  // The main one first: of two databases that hold a session, it is the one that is in use.
  for (const name of names.filter((one) => /^opencode(?:-[^/]*)?\.db$/.test(one)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    if (await isKind(path.join(folder, name), 'file')) databases.push(path.join(folder, name));
  }
  const storage = path.join(folder, 'storage');
  return { databases, storage: (await isStorage(storage)) ? storage : null };
}

/** True for the root of the JSON tree (formats/opencode 1.4). 1.18 keeps a `storage` without sessions beside its database. */
export function isStorage(folder: string): Promise<boolean> {
  return isKind(path.join(folder, 'session'), 'folder');
}

/** Whether there is a file or folder at a path; what may not be looked at is not there. */
export async function isKind(file: string, kind: 'file' | 'folder'): Promise<boolean> {
  try {
    const found = await stat(file);
    return kind === 'file' ? found.isFile() : found.isDirectory();
  } catch {
    // Missing, unreadable and broken links are the same here: nothing to read.
    return false;
  }
}
