import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { openRegular } from '../../snapshots/regular-file.ts';
import { hasObject } from './object-presence.ts';

/** The first line of `info/attributes` by which a snapshot repository is known (`formats/tanstack.md`, creation); Turnback's recorder adds one. */
const ATTRIBUTES = '* -text -ident -filter';
/** Recent snapshots that are looked for: older ones may have expired. */
const RECENT = 12;
const MOST_REPOSITORIES = 2000;

export interface Repository {
  gitDir: string;
  objects: string;
  /** Named after the workspace: the name is the SHA-1 of its path. */
  named: boolean;
}

async function isKind(target: string, kind: 'file' | 'folder'): Promise<boolean> {
  try {
    const found = await stat(target);
    return kind === 'file' ? found.isFile() : found.isDirectory();
  } catch {
    // Missing, a loop of links, no permission: for a search they are all "not here".
    return false;
  }
}

/** A bare repository by its layout; its configuration is never opened. */
async function isBare(gitDir: string): Promise<boolean> {
  return (await isKind(path.join(gitDir, 'HEAD'), 'file')) && (await isKind(path.join(gitDir, 'objects'), 'folder'));
}

async function hasAttributes(gitDir: string): Promise<boolean> {
  try {
    const handle = await openRegular(path.join(gitDir, 'info', 'attributes'));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
      return buffer.toString('latin1', 0, bytesRead).split(/\r?\n/)[0] === ATTRIBUTES;
    } finally {
      await handle.close();
    }
  } catch {
    // As above: a repository without a readable line is not one of the plugin's.
    return false;
  }
}

export function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** The names that a workspace's repository can have: the plugin takes the path as it was given to it. */
async function rootNames(root: string): Promise<string[]> {
  const bare = root.length > 1 ? root.replace(/[\\/]+$/, '') : root;
  const spellings = [root, bare, `${bare}/`];
  try {
    spellings.push(await realpath(root));
  } catch {
    // The workspace is gone; its snapshots may still be there under the name it had.
  }
  return [...new Set(spellings.map(sha1))];
}

async function holdsAny(objects: string, trees: readonly string[]): Promise<boolean> {
  for (const tree of trees) if (await hasObject(objects, tree)) return true;
  return false;
}

async function subfolders(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { withFileTypes: true });
    return names
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .slice(0, MOST_REPOSITORIES)
      .map((entry) => path.join(folder, entry.name));
  } catch {
    // A folder that is only a guess need not exist.
    return [];
  }
}

const repository = (gitDir: string, named: boolean): Repository => ({ gitDir, objects: path.join(gitDir, 'objects'), named });

/**
 * The snapshot repository of a thread: the one named after the workspace, else the one that holds one of its recent
 * snapshots. `trees`: newest first; `folders`: places to look in, the most likely first; each may also be the repository
 * itself. Null when none is found.
 */
export async function findSnapshots(options: {
  root: string | null;
  folders: readonly string[];
  trees: readonly string[];
}): Promise<Repository | null> {
  const { folders } = options;
  const trees = options.trees.slice(0, RECENT);
  const names = options.root === null ? [] : await rootNames(options.root);
  let empty: Repository | null = null;
  for (const folder of folders) {
    for (const name of names) {
      const gitDir = path.join(folder, name);
      if (!(await isBare(gitDir))) continue;
      const found = repository(gitDir, true);
      if (await holdsAny(found.objects, trees)) return found;
      empty ??= found;
    }
  }
  for (const folder of folders) {
    for (const gitDir of [folder, ...(await subfolders(folder))]) {
      if (!(await isBare(gitDir)) || !(await hasAttributes(gitDir))) continue;
      const found = repository(gitDir, names.includes(path.basename(gitDir)));
      if (await holdsAny(found.objects, trees)) return found;
    }
  }
  // Named after the workspace, but with none of the snapshots: they have expired there.
  return empty;
}

/** True when the repository's name says that it belongs to another workspace than `root`. */
export async function isOfAnotherRoot(found: Repository, root: string): Promise<boolean> {
  if (found.named || !/^[0-9a-f]{40}$/.test(path.basename(found.gitDir))) return false;
  return !(await rootNames(root)).includes(path.basename(found.gitDir));
}
