import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { safePath } from '../../shared/safe-path.ts';
import { showTreePath, type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import { type DiskState, diskPath, readState } from './disk.ts';
import { eachOf } from './each-of.ts';
import { type GitCall, gitFailed } from './git.ts';
import { type ObjectFormat, objectHeader } from './object-id.ts';
import { ObjectWriter } from './object-writer.ts';
import { ObjectReader, type TreeEntry } from './objects.ts';
import type { SnapshotStore } from './store.ts';
import { editTree } from './tree-edit.ts';
import type { TreeLine } from './tree-object.ts';

/** What was kept of some paths: a tree of those that are files or links, and what each path was. */
export interface Captured {
  tree: string;
  states: Map<TreePath, DiskState>;
  /** Bytes of the files and link targets. */
  bytes: number;
}

/** The largest file that is held in memory, and how much is held before it is given to the store. */
const HELD = 2 * 1024 * 1024;
const AT_ONCE = 16 * 1024 * 1024;

const modeOf = (state: DiskState & { kind: 'file' | 'link' }): TreeEntry['mode'] => {
  if (state.kind === 'link') return '120000';
  return (state.mode & 0o100) === 0 ? '100644' : '100755';
};

/** The bytes of a file again, which must still be those that `oid` names. Throws FILE_BUSY when they are not. */
async function* sameBytes(full: Buffer, path: TreePath, oid: string, size: number, format: ObjectFormat): AsyncIterable<Buffer> {
  const handle = await open(full, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK));
  try {
    const hash = createHash(format).update(objectHeader('blob', size));
    let seen = 0;
    while (seen <= size) {
      const buffer = Buffer.allocUnsafe(1024 * 1024);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, seen);
      if (bytesRead === 0) break;
      seen += bytesRead;
      hash.update(buffer.subarray(0, bytesRead));
      yield buffer.subarray(0, bytesRead);
    }
    if (hash.digest('hex') !== oid) throw new TurnbackError('FILE_BUSY', { path: showTreePath(path) });
  } finally {
    await handle.close();
  }
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
    const states = new Map<TreePath, DiskState>();
    const changes = new Map<TreePath, TreeEntry>();
    let bytes = 0;
    let held: Buffer[] = [];
    let heldBytes = 0;
    const give = async (): Promise<void> => {
      const contents = held;
      held = [];
      heldBytes = 0;
      await Promise.all(contents.map((content) => writer.put('blob', content)));
    };
    for (const path of o.paths) {
      if (o.signal?.aborted) throw new TurnbackError('CANCELLED');
      const { state, bytes: content } = await readState(o.root, path, store.format, HELD);
      states.set(path, state);
      o.onProgress?.(states.size, o.paths.length);
      if (state.kind !== 'file' && state.kind !== 'link') continue;
      const { oid } = state;
      const size = state.kind === 'file' ? state.size : state.target.length;
      changes.set(path, { mode: modeOf(state), oid });
      bytes += size;
      if (content === null) await writer.putLarge(oid, size, () => sameBytes(diskPath(o.root, path), path, oid, size, store.format));
      else {
        held.push(content);
        heldBytes += content.length;
        if (heldBytes > AT_ONCE) await give();
      }
    }
    await give();
    const tree = await editTree({ base: null, changes, lines: async () => [], write: (content) => writer.put('tree', content) });
    await writer.finish();
    return { tree, states, bytes };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** What no snapshot of a workspace holds: `.env` and every `.env.*`, an example file too, at any depth. */
const WITHOUT_SECRETS = ['.', ':(exclude,glob)**/.env', ':(exclude,glob)**/.env.*'];

/** The paths of an answer that parts them by zero bytes. */
function pathsOf(output: Buffer): TreePath[] {
  const paths: TreePath[] = [];
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at))
    paths.push(treePathOfBytes(output.subarray(at, end)));
  return paths;
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

/** What `add` should have taken and did not. */
async function leftOut(store: SnapshotStore, call: Omit<GitCall, 'name' | 'args'>): Promise<TreePath[]> {
  const args = ['ls-files', '-z', '--others', '--modified', '--exclude-standard', '--', ...WITHOUT_SECRETS];
  const { stdout } = await store.git.run({ ...call, name: 'ls-files', args });
  return pathsOf(stdout);
}

/**
 * A snapshot of a whole workspace, as a recorder makes one: every file that no `.gitignore` names, without `.env` files,
 * raw bytes. `indexFile` is the recorder's own and makes the next snapshot fast; it is replaced only when all went well,
 * and never locked. A repository inside is kept as a submodule entry; what git will not take (one without a commit, a name
 * such as `git~1`) is left out and told. Throws GIT_FAILED when any other file could not be read, so no stale tree is ever given.
 */
export async function captureWorkspace(
  store: SnapshotStore,
  o: { root: string; indexFile: string; signal?: AbortSignal | undefined; onLeftOut?: ((paths: TreePath[]) => void) | undefined },
): Promise<string> {
  await mkdir(dirname(o.indexFile), { recursive: true, mode: 0o700 });
  const index = `${o.indexFile}.${randomBytes(6).toString('hex')}`;
  const call = { gitDir: store.gitDir, workTree: o.root, env: { GIT_INDEX_FILE: index }, signal: o.signal };
  try {
    await copyIndex(o.indexFile, index);
    const args = [...(await durably(store)), 'add', '--all', '--ignore-errors', '--', ...WITHOUT_SECRETS];
    const added = await store.git.run({ ...call, name: 'add', args, okExits: [0, 1, 128] });
    if (added.exit !== 0) {
      const left = await leftOut(store, call);
      const expected = (path: TreePath): boolean => path.endsWith('/') || safePath(path, 'linux') !== true;
      if (left.length === 0 || !left.every(expected)) throw gitFailed('add', added.exit, added.stderr);
      o.onLeftOut?.(left);
    }
    const { stdout } = await store.git.run({ ...call, name: 'write-tree', args: [...(await durably(store)), 'write-tree'] });
    await rename(index, o.indexFile);
    return stdout.toString('latin1').trim();
  } catch (error) {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
    throw error;
  }
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
  const writer = new ObjectWriter(store, o.objectFolder);
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
