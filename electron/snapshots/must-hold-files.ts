import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Entries that are looked at: only stores that grew for years hold more, and nobody waits for a look at all of those. */
const MOST = 20_000;

async function entriesOf(folder: string, whole = false) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    // Of a store that may not be read at all git says that nothing is in it, as if all had expired.
    if (whole && thrown instanceof Error && 'code' in thrown && thrown.code === 'EACCES') throw thrown;
    // A folder that is not there is git's to tell.
    return [];
  }
}

/** Is there something that is read to its end, or led into? */
async function isPlain(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found === null || found.isFile() || found.isDirectory();
}

/**
 * Git opens whatever has the name of an object, and waits for ever for a pipe that nobody writes to. Throws an error that names what in
 * these folders is neither a file nor a folder, or that they may not be read. Only reads.
 */
export async function mustHoldFiles(objectFolders: readonly string[]): Promise<void> {
  let left = MOST;
  for (const objects of objectFolders) {
    const below = (await entriesOf(objects, true)).filter(({ name }) => /^(?:[0-9a-f]{2}|info|pack)$/.test(name)).map(({ name }) => name);
    // The two that git reads first.
    for (const name of below.sort((a, b) => b.length - a.length)) {
      if (left <= 0) return;
      const entries = await entriesOf(path.join(objects, name));
      left -= entries.length;
      for (const entry of entries) {
        const file = path.join(objects, name, entry.name);
        if (!entry.isFile() && !entry.isDirectory() && !(await isPlain(file)))
          throw new Error(`${file} is no file, and git would wait for it`);
      }
    }
  }
}
