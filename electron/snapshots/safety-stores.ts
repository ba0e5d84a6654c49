import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { alternatesFile } from './alternates.ts';
import type { Git } from './git.ts';
import type { SnapshotStore } from './store.ts';

/** One of our safety stores as it lies on disk. */
export interface SafetyStore extends SnapshotStore {
  /** The key of its workspace, which is that of the workspace's lease too. */
  readonly key: string;
}

/** Every safety store there is, in the order of their names; none is made or mended. */
export async function safetyStores(git: Git, ownData: string): Promise<SafetyStore[]> {
  const folder = path.join(path.resolve(ownData), 'safety');
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
  return names.sort().flatMap((name) => {
    const [, key, sha256] = /^([0-9a-f]{32})(-sha256)?\.git$/.exec(name) ?? [];
    if (key === undefined) return [];
    return { git, gitDir: path.join(folder, name), format: sha256 === undefined ? 'sha1' : 'sha256', objectFolders: [], key };
  });
}

/** Marks a repository of ours that is being removed. */
const GONE = '.gone-';

/** Removes a whole repository of ours: aside first, so that a crash leaves either all of it or a remainder that is known as one. */
export async function removeOwnStore(gitDir: string): Promise<void> {
  const aside = `${gitDir}${GONE}${randomBytes(6).toString('hex')}`;
  try {
    await rename(gitDir, aside);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw thrown;
  }
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Every repository of ours through which a foreign folder of objects is read: one of the named ones, or one below a named folder. They
 * are made again when they are needed.
 */
export async function quarantinesOf(ownData: string, folders: readonly string[]): Promise<string[]> {
  const home = path.join(path.resolve(ownData), 'quarantine');
  const found: string[] = [];
  const lines = new Set(folders.map((folder) => alternatesFile([folder]).trim()));
  for (const name of await readdir(home).catch(() => [])) {
    const gitDir = path.join(home, name);
    const text = await readFile(path.join(gitDir, 'objects', 'info', 'alternates'), 'utf8').catch(() => '');
    const reads = text.split('\n').some((line) => lines.has(line) || folders.some((folder) => line.startsWith(`${folder}${path.sep}`)));
    if (reads) found.push(gitDir);
  }
  return found;
}

/** Removes what a crash left of repositories that were being removed. */
export async function removeRemainders(ownData: string): Promise<void> {
  for (const kind of ['safety', 'quarantine', 'recorded']) {
    const folder = path.join(path.resolve(ownData), kind);
    for (const name of await readdir(folder).catch(() => []))
      if (name.includes(GONE)) await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}
