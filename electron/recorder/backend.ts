import type { TreePath } from '../../shared/tree-path.ts';
import type { Git } from '../snapshots/git.ts';
import type { TreeEntry } from '../snapshots/objects.ts';
import type { SnapshotStore } from '../snapshots/store.ts';

/** One workspace path and what shall stand there. */
export interface PutBack {
  path: TreePath;
  /** Null: nothing. */
  entry: TreeEntry | null;
  /** What the newest snapshot holds there. Null where something stands on disk: no snapshot has it, so it is left alone. */
  before: TreeEntry | null;
}

/** A path that was left as it is, and why. */
export interface Skipped {
  path: TreePath;
  why: string;
}

/** Whole files by absolute path, for what the recorder keeps of its own: leases, attributes, a journal. */
export interface OwnFiles {
  /** The bytes, null when there is no such file. */
  readFile(path: string): Promise<Buffer | null>;
  /**
   * Writes a whole file beside its place and moves it there, folders made as needed, readable only by the owner. `exclusive`: false
   * and nothing written when something is there already.
   */
  writeFile(path: string, bytes: Uint8Array, options?: { exclusive?: boolean }): Promise<boolean>;
  /** Renames; false when `from` is not there. */
  move(from: string, to: string): Promise<boolean>;
  /** Removes a file or a folder with all in it, never what a link points at. Nothing there is fine. */
  remove(path: string): Promise<void>;
}

/**
 * Where the workspace, its snapshots and git are (seed "In a sandbox"): this machine, or behind a command. Paths are those of that side.
 */
export interface Backend extends OwnFiles {
  readonly git: Git;
  /** What to call that side in a log; null for this machine. */
  readonly name: string | null;
  /** True when the path is an existing folder. */
  isFolder(path: string): Promise<boolean>;
  /**
   * A snapshot of the whole workspace into the store's own objects, raw bytes, without `.env` files and what `.gitignore` names: the id
   * of its tree. `indexFile` makes the next one fast. `onLeftOut` learns what git would not take. Throws GIT_FAILED; never a stale tree.
   */
  capture(o: {
    store: SnapshotStore;
    root: string;
    indexFile: string;
    signal?: AbortSignal | undefined;
    onLeftOut(paths: readonly TreePath[]): void;
  }): Promise<string>;
  /**
   * Puts workspace files as the entries say, with exactly the bytes of the store's blobs: removals first, then writes, each beside its
   * place and then renamed, no link followed. Folders that a removal empties go too. Throws WRITE_FAILED at the first path that fails.
   */
  putBack(o: { store: SnapshotStore; root: string; files: readonly PutBack[]; signal?: AbortSignal }): Promise<Skipped[]>;
}
