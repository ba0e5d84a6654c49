import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Output } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';

const MOST_ENTRIES = 5000;

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    // A link to nowhere, or one that may not be followed: listed, but not as a folder.
    return false;
  }
}

/** What is in a folder, for the page's own picker: folders first, by name. NOT_FOUND or LOG_UNREADABLE when it cannot be listed. */
export async function listFolder(named: string): Promise<Output<'folder.list'>> {
  if (!path.isAbsolute(named)) throw new TurnbackError('NOT_FOUND', { path: named });
  const folder = path.normalize(named);
  const found = await readdir(folder, { withFileTypes: true }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') throw new TurnbackError('NOT_FOUND', { path: folder });
    throw new TurnbackError('LOG_UNREADABLE', { path: folder, cause: thrown.code ?? thrown.message });
  });
  const entries = await Promise.all(
    found.map(async (entry) => ({
      name: entry.name,
      folder: entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path.join(folder, entry.name)))),
    })),
  );
  entries.sort((a, b) => Number(b.folder) - Number(a.folder) || (a.name < b.name ? -1 : 1));
  const parent = path.dirname(folder);
  return { path: folder, parent: parent === folder ? null : parent, entries: entries.slice(0, MOST_ENTRIES) };
}
