import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isKind } from './opencode-places.ts';
import { namesIn } from './storage-files.ts';

const MOST = 64;

/** Where the trees of a session may lie. */
export interface ObjectPlaces {
  /** Data folders, the likeliest first: the one the user named, the one beside the log, the known one. */
  dataFolders: readonly string[];
  projectId: string;
  /** The worktree as recorded; its SHA-1 names the snapshot repository. */
  worktree: string | null;
  /** Workspaces whose own repository lends blobs to the snapshots: the named one and the recorded one. */
  roots: readonly string[];
}

/** Where the snapshot repository of a session should be, for a sentence about one that is not there. */
export function expectedStore(dataFolder: string, { projectId, worktree }: Pick<ObjectPlaces, 'projectId' | 'worktree'>): string {
  return path.join(dataFolder, 'snapshot', path.basename(projectId), worktree === null ? '' : hashOf(worktree));
}

const hashOf = (worktree: string): string => createHash('sha1').update(worktree).digest('hex');

/**
 * Object folders that exist for a session: its snapshot repository (`<project>/<sha1 of the worktree>` since 1.18, `<project>` before)
 * and the user's own repository, which committed blobs are borrowed from (formats/opencode 1.5). The alternates file of the
 * snapshot repository is not asked: it names a path that may be gone.
 */
export async function objectFolders(places: ObjectPlaces): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of places.dataFolders) for (const objects of await snapshotObjects(folder, places)) found.add(objects);
  if (found.size === 0) return [];
  for (const root of places.roots) {
    const objects = await ownObjects(root);
    if (objects !== null) found.add(objects);
  }
  return [...found];
}

async function snapshotObjects(folder: string, { projectId, worktree }: ObjectPlaces): Promise<string[]> {
  // The id is a stranger's text, and `global` never has snapshots.
  if (!/^[0-9A-Za-z_-]+$/.test(projectId)) return [];
  if (await isKind(path.join(folder, 'objects'), 'folder')) return [path.join(folder, 'objects')];
  for (const base of [path.join(folder, 'snapshot', projectId), path.join(folder, projectId)]) {
    const exact = worktree === null ? [] : await existing([path.join(base, hashOf(worktree), 'objects')]);
    const older = await existing([path.join(base, 'objects')]);
    if (exact.length + older.length > 0) return [...exact, ...older];
    // The folder of another clone, or of this one before it moved: trees have their own names, so more places do no harm.
    const others = (await namesIn(base)).filter((name) => /^[0-9a-f]{40}$/.test(name)).slice(0, MOST);
    const near = await existing(others.map((name) => path.join(base, name, 'objects')));
    if (near.length > 0) return near;
  }
  return [];
}

async function existing(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) if (await isKind(folder, 'folder')) found.push(folder);
  return found;
}

/** The object folder of the repository that a workspace belongs to; a linked worktree's `.git` is a file that leads there. */
async function ownObjects(root: string): Promise<string | null> {
  const git = path.join(root, '.git');
  if (await isKind(path.join(git, 'objects'), 'folder')) return path.join(git, 'objects');
  const gitDir = await lineOf(git, /^gitdir: (.+)$/);
  if (gitDir === null) return null;
  const own = path.resolve(root, gitDir);
  const common = await lineOf(path.join(own, 'commondir'), /^(.+)$/);
  const objects = path.join(common === null ? own : path.resolve(own, common), 'objects');
  return (await isKind(objects, 'folder')) ? objects : null;
}

async function lineOf(file: string, form: RegExp): Promise<string | null> {
  try {
    if (!(await stat(file)).isFile()) return null;
    return form.exec((await readFile(file, 'utf8')).slice(0, 4096).split(/\r?\n/)[0] ?? '')?.[1] ?? null;
  } catch {
    // No such file: this is not a linked worktree.
    return null;
  }
}
