import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { addWorkspace, listFiles, type WorkspaceCall } from './add-workspace.ts';
import type { DiskState } from './disk.ts';
import { eachOf } from './each-of.ts';
import { entryOfState, Intake } from './intake.ts';
import { ObjectWriter } from './object-writer.ts';
import { ObjectReader, type TreeEntry } from './objects.ts';
import type { SnapshotStore } from './store.ts';
import { editTree } from './tree-edit.ts';
import type { TreeLine } from './tree-object.ts';
import { treeOfWorkspace, type WorkspaceOptions } from './workspace-tree.ts';

/** What was kept of some paths: a tree of those that are files or links, and what each path was. */
export interface Captured {
  tree: string;
  states: Map<TreePath, DiskState>;
  /** Bytes of the files and link targets. */
  bytes: number;
}

/**
 * Keeps the raw bytes and modes of the listed paths in the store: no filter, no index, and only these paths are looked
 * at. What is no file or link is only in `states`. Durable when it resolves; on a failure nothing stays. Throws FILE_BUSY
 * for a file that keeps changing, CANCELLED, and the file system's own errors.
 */
export async function capturePaths(
  store: SnapshotStore,
  o: {
    root: string;
    paths: readonly TreePath[];
    signal?: AbortSignal | undefined;
    onProgress?: ((done: number, total: number) => void) | undefined;
  },
): Promise<Captured> {
  const writer = new ObjectWriter(store);
  try {
    const intake = new Intake(writer, o.root, store.format);
    const states = new Map<TreePath, DiskState>();
    const changes = new Map<TreePath, TreeEntry>();
    let bytes = 0;
    for (const path of o.paths) {
      if (o.signal?.aborted) throw new TurnbackError('CANCELLED');
      const state = await intake.take(path);
      states.set(path, state);
      o.onProgress?.(states.size, o.paths.length);
      const entry = entryOfState(state);
      if (entry !== null) changes.set(path, entry);
      if (state.kind === 'file') bytes += state.size;
      if (state.kind === 'link') bytes += state.target.length;
    }
    await intake.give();
    const tree = await editTree({ base: null, changes, lines: async () => [], write: (content) => writer.put('tree', content) });
    await writer.finish();
    return { tree, states, bytes };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** A copy whose time is not later than the original's: git looks again at files that changed around the time of its index. */
async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { atimeMs, mtimeMs } = await stat(from);
    await copyFile(from, to);
    await utimes(to, atimeMs / 1000, (mtimeMs - 1) / 1000);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Git before 2.36 knows another setting for durable objects, and newer ones complain about it. */
async function durably({ git }: SnapshotStore): Promise<string[]> {
  const { major, minor } = await git.version();
  return major > 2 || minor >= 36 ? [] : ['-c', 'core.fsyncObjectFiles=true'];
}

/** On a private copy of the index, which replaces it when all went well. */
async function addOnCopy(store: SnapshotStore, o: WorkspaceOptions, index: string, call: WorkspaceCall): Promise<string> {
  try {
    await copyIndex(o.indexFile, index);
    const tree = await addWorkspace(store.git, call, { config: await durably(store), onLeftOut: o.onLeftOut });
    await rename(index, o.indexFile);
    return tree;
  } catch (error) {
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true });
    throw error;
  }
}

/**
 * A snapshot of a whole workspace, as a recorder makes one: every file that no `.gitignore` names, without `.env` files,
 * raw bytes. `indexFile` is the caller's own, makes the next snapshot fast, is replaced only when all went well and never
 * locked. A repository inside is kept as a submodule entry; what git will not take (one without a commit, a name such as
 * `git~1`) is left out and told. Throws GIT_FAILED or FILE_UNREADABLE when any other file could not be read, so no stale
 * tree is ever given. A store that borrows objects gets them without a touch on those that are there (see `treeOfWorkspace`).
 */
export async function captureWorkspace(store: SnapshotStore, o: WorkspaceOptions): Promise<string> {
  await mkdir(dirname(o.indexFile), { recursive: true, mode: 0o700 });
  const index = `${o.indexFile}.${randomBytes(6).toString('hex')}`;
  const call = { gitDir: store.gitDir, workTree: o.root, env: { GIT_INDEX_FILE: index }, signal: o.signal };
  if (store.objectFolders.length === 0) return addOnCopy(store, o, index, call);
  return treeOfWorkspace(store, await listFiles(store.git, ['--others'], call), o);
}

/** Copies what a folder's lines name and the writer does not have; folders only after all that they hold. */
async function bringAlong(lines: readonly TreeLine[], reader: ObjectReader, writer: ObjectWriter): Promise<void> {
  await eachOf(lines, { width: 64, signal: undefined }, async (line) => {
    if (line.mode === '160000' || (await writer.has(line.oid))) return;
    if (line.mode !== '40000') {
      await writer.put('blob', await reader.blob(line.oid));
      return;
    }
    await bringAlong(await reader.lines(line.oid), reader, writer);
    await writer.put('tree', await reader.raw(line.oid));
  });
}

/**
 * A tree that is `base` (null: nothing) with entries replaced or, where null, removed. Only the folders above a changed
 * path are new. With `objectFolder` they go there, with all that it lacks of what they name, so that the tree is whole in
 * that foreign store; without, they go to the store's own objects. Durable when it resolves. Throws TREE_MISSING.
 */
export async function treeWith(
  store: SnapshotStore,
  o: { base: string | null; changes: ReadonlyMap<TreePath, TreeEntry | null>; objectFolder?: string | undefined },
): Promise<string> {
  const reader = new ObjectReader(store);
  const writer = new ObjectWriter(store, { objectFolder: o.objectFolder });
  try {
    const tree = await editTree({
      base: o.base,
      changes: o.changes,
      lines: (oid) => reader.lines(oid),
      write: async (bytes, lines) => {
        if (o.objectFolder !== undefined) await bringAlong(lines, reader, writer);
        return writer.put('tree', bytes);
      },
    });
    await writer.finish();
    return tree;
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    await reader.close();
  }
}
