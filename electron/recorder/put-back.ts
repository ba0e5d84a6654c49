import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { type DiskState, diskPath, diskState, parentsOf } from '../snapshots/disk.ts';
import { ObjectReader, type TreeEntry } from '../snapshots/objects.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import type { PutBack, Skipped } from './backend.ts';

const folderOf = (path: TreePath): TreePath => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Why nothing may be put at a path where this stands; null when it may. */
function obstacle(state: DiskState, { entry, before }: PutBack): string | null {
  if (state.kind === 'blocked') return state.why;
  if (state.kind === 'other') return `${state.what} stands there.`;
  if (state.kind === 'folder') return 'A folder of yours stands there.';
  if (before === null && state.kind !== 'absent') return 'A file of yours stands there that no snapshot holds.';
  if (entry?.mode === '160000') return 'It is a repository of its own, which snapshots do not hold.';
  return null;
}

/** Removes folders that became empty, up to the root; one that holds something stays. */
async function removeEmptied(root: string, path: TreePath): Promise<void> {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
    try {
      await rmdir(diskPath(root, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EPERM', 'EACCES'].includes(codeOf(error) ?? '')) return;
      throw error;
    }
  }
}

/** Makes the folders above the path, one at a time, so that no link that appears meanwhile is followed. */
async function makeParents(root: string, path: TreePath): Promise<string | null> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const above = parts.slice(0, depth).join('/');
    const parents = await parentsOf(root, `${above}/x`);
    if (parents?.kind === 'blocked') return parents.why;
    if (parents === null) continue;
    await mkdir(diskPath(root, above)).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
  return null;
}

/** The permission bits for a file: those it has, with the exec bit the entry asks for; else what the umask gives. */
function modeFor(state: DiskState, executable: boolean): number {
  const before = state.kind === 'file' ? state.mode : 0o666 & ~process.umask();
  return executable ? before | ((before & 0o444) >> 2) : before & ~0o111;
}

async function write(o: { root: string; path: TreePath; entry: TreeEntry; bytes: Buffer; state: DiskState }): Promise<void> {
  const name = `.turnback-${randomBytes(8).toString('hex')}.tmp`;
  const folder = folderOf(o.path);
  const temporary = diskPath(o.root, folder === '' ? name : `${folder}/${name}`);
  try {
    if (o.entry.mode === '120000') await symlink(o.bytes, temporary);
    else {
      const mode = modeFor(o.state, o.entry.mode === '100755');
      const handle = await open(temporary, 'wx', mode);
      try {
        await handle.writeFile(o.bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await chmod(temporary, mode);
    }
    await rename(temporary, diskPath(o.root, o.path));
  } catch (error) {
    await unlink(temporary).catch((again: unknown) => {
      if (codeOf(again) !== 'ENOENT') throw again;
    });
    throw error;
  }
}

/** What stands at the path; an empty folder in the place of a file is taken away first. */
async function stateFor(root: string, path: TreePath, store: SnapshotStore, entry: TreeEntry | null): Promise<DiskState> {
  const state = await diskState(root, path, store.format);
  if (state.kind !== 'folder' || entry === null) return state;
  try {
    await rmdir(diskPath(root, path));
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return state;
    throw error;
  }
  return { kind: 'absent' };
}

/** {@link Backend.putBack} on this machine. */
export async function putBackHere(o: {
  store: SnapshotStore;
  root: string;
  files: readonly PutBack[];
  signal?: AbortSignal;
}): Promise<Skipped[]> {
  const { store, root } = o;
  const skipped: Skipped[] = [];
  const reader = new ObjectReader(store);
  const one = async (file: PutBack): Promise<void> => {
    const { path, entry } = file;
    if (o.signal?.aborted) throw new TurnbackError('CANCELLED');
    const bytes = entry !== null && entry.mode !== '160000' ? await reader.blob(entry.oid) : null;
    if (entry !== null && bytes !== null) {
      const blocked = await makeParents(root, path);
      if (blocked !== null) return void skipped.push({ path, why: blocked });
    }
    const state = await stateFor(root, path, store, entry);
    const why = obstacle(state, file);
    // Below a file of yours there is nothing to take away.
    if (entry === null && state.kind === 'blocked' && state.empty) return;
    if (why !== null) return void skipped.push({ path, why });
    if (entry !== null && bytes !== null) return write({ root, path, entry, bytes, state });
    if (state.kind === 'absent') return;
    await unlink(diskPath(root, path));
    await removeEmptied(root, path);
  };
  try {
    // A file that becomes a folder again needs its place first.
    for (const file of o.files.filter(({ entry }) => entry === null)) await named(file.path, one(file));
    for (const file of o.files.filter(({ entry }) => entry !== null)) await named(file.path, one(file));
  } finally {
    await reader.close();
  }
  return skipped;
}

/** A failed write by the name of its file. */
async function named(path: TreePath, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TurnbackError) throw error;
    throw new TurnbackError('WRITE_FAILED', { path: showTreePath(path), cause: (error as Error).message }, { cause: error });
  }
}

/** True when the path is a folder, links in it resolved by the system. */
export async function isFolderHere(path: string): Promise<boolean> {
  try {
    return (await lstat(`${path}/.`)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
