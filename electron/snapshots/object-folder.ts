import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** What one object folder holds; sizes in bytes on disk. `garbage`: files in it that are no objects, as a crash leaves them. */
export interface ObjectFolder {
  path: string;
  loose: number;
  packs: number;
  garbage: number;
  bytes: number;
}

/** Another program may move objects into packs while we look: what is gone counts as nothing. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

/** What an object folder holds. Only reads; what is gone meanwhile counts as nothing. */
export async function objectFolder(folder: string): Promise<ObjectFolder> {
  const found: ObjectFolder = { path: folder, loose: 0, packs: 0, garbage: 0, bytes: 0 };
  for (const name of await namesIn(folder)) {
    if (name === 'info') continue;
    const names = await namesIn(path.join(folder, name));
    const packs = new Set(names.filter((file) => file.endsWith('.pack')).map((file) => file.slice(0, -'.pack'.length)));
    for (const file of names) {
      found.bytes += await sizeOf(path.join(folder, name, file));
      if (name !== 'pack') {
        if (/^[0-9a-f]{38}(?:[0-9a-f]{24})?$/.test(file)) found.loose += 1;
        else found.garbage += 1;
      } else if (file.endsWith('.pack')) found.packs += 1;
      else if (!file.startsWith('multi-pack-index') && !packs.has(file.replace(/\.[a-z]+$/, ''))) found.garbage += 1;
    }
  }
  return found;
}
