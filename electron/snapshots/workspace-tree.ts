import { lstatSync } from 'node:fs';
import { TurnbackError } from '../../shared/errors.ts';
import { safePath } from '../../shared/safe-path.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { breathe, diskPath } from './disk.ts';
import { entryOfState, Intake } from './intake.ts';
import { formatOfId } from './object-id.ts';
import { ObjectWriter } from './object-writer.ts';
import type { TreeEntry } from './objects.ts';
import { SeenFiles } from './seen-files.ts';
import type { SnapshotStore } from './store.ts';
import { editTree } from './tree-edit.ts';

/** Milliseconds for which we believe that the agent's store still has what it had; to ask for each file costs more than to look at it. */
const CHECK_AFTER = 60_000;

/** What git might refuse: its own folder's name in some spelling. */
const MAYBE_UNSAFE = /git|[^\x20-\x7e]/i;

export interface WorkspaceOptions {
  root: string;
  /** A file of ours that makes the next time fast. */
  indexFile: string;
  signal?: AbortSignal | undefined;
  onLeftOut?: ((paths: TreePath[]) => void) | undefined;
}

/** The commit that a repository inside the workspace stands at, null when it has none. Reads refs only. */
async function commitOf(store: SnapshotStore, root: string, folder: string): Promise<string | null> {
  const workTree = `${root}/${folder}`;
  const { exit, stdout } = await store.git.run({
    name: 'rev-parse',
    args: ['rev-parse', '-q', '--verify', 'HEAD'],
    gitDir: `${workTree}/.git`,
    workTree,
    okExits: [0, 1, 128],
  });
  const commit = stdout.toString('latin1').trim();
  return exit === 0 && formatOfId(commit) === store.format ? commit : null;
}

/** The entry of one file: by our notes when it has not changed, else read and kept. Null when it went away meanwhile. */
async function entryOf(intake: Intake, seen: SeenFiles, root: string, path: TreePath): Promise<TreeEntry | null> {
  const stat = lstatSync(diskPath(root, path), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const known = stat.isFile() ? seen.idOf(path, stat) : null;
  if (known !== null) {
    seen.note(path, stat, known);
    return { mode: (stat.mode & 0o100) === 0 ? '100644' : '100755', oid: known };
  }
  const state = await intake.take(path);
  if (state.kind === 'file') seen.note(path, stat, state.oid);
  if (state.kind === 'other') throw new TurnbackError('FILE_UNREADABLE', { path: showTreePath(path), cause: `it is ${state.what}` });
  return entryOfState(state);
}

/** Reads files whose bytes we believed to be in the store, when the agent has removed them from there since. */
async function takeAgain(writer: ObjectWriter, intake: Intake, changes: Map<TreePath, TreeEntry>): Promise<void> {
  const paths = [...changes].filter(([, { mode }]) => mode === '100644' || mode === '100755');
  const there = await Promise.all(paths.map(([, { oid }]) => writer.has(oid)));
  for (const [index, [path]] of paths.entries()) {
    if (there[index]) continue;
    const entry = entryOfState(await intake.take(path));
    if (entry === null) changes.delete(path);
    else changes.set(path, entry);
  }
}

/**
 * The tree of a workspace for a store that borrows objects. Git only lists the files (its ignore rules are its own); `git
 * add` would touch the mtime of each object that the foreign store already has. Objects that are there are not written again.
 */
export async function treeOfWorkspace(store: SnapshotStore, files: readonly TreePath[], o: WorkspaceOptions): Promise<string> {
  const seen = await SeenFiles.read(o.indexFile);
  const writer = new ObjectWriter(store, { sparing: true });
  const intake = new Intake(writer, o.root, store.format);
  const changes = new Map<TreePath, TreeEntry>();
  const left: TreePath[] = [];
  try {
    for (const path of files) {
      await breathe();
      if (o.signal?.aborted) throw new TurnbackError('CANCELLED');
      if (path.endsWith('/')) {
        const commit = await commitOf(store, o.root, path.slice(0, -1));
        if (commit === null) left.push(path);
        else changes.set(path.slice(0, -1), { mode: '160000', oid: commit });
      } else if (MAYBE_UNSAFE.test(path) && safePath(path, 'linux') !== true) left.push(path);
      else {
        const entry = await entryOf(intake, seen, o.root, path);
        if (entry !== null) changes.set(path, entry);
      }
    }
    await intake.give();
    const age = Date.now() - seen.checked;
    if (age < 0 || age > CHECK_AFTER) {
      await takeAgain(writer, intake, changes);
      await intake.give();
      seen.checked = Date.now();
    }
    const tree = await editTree({ base: null, changes, lines: async () => [], write: (bytes) => writer.put('tree', bytes) });
    await writer.finish();
    await seen.write(o.indexFile);
    if (left.length > 0) o.onLeftOut?.(left);
    return tree;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
