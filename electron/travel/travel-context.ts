import type { Piece, Scope, TravelKind } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { Git } from '../snapshots/git.ts';
import type { OpenThread } from '../threads/thread.ts';
import type { FileSystem } from './file-system.ts';

/** What every travel works with. */
export interface TravelContext {
  thread: OpenThread;
  ownData: string;
  git: Git;
  /** Epoch milliseconds. */
  now(): number;
  /** The file layer that travels write through; the machine's own unless a test brings one that fails. */
  fs?: FileSystem;
  /** Words for who else changed a path, where the host knows other threads of the folder. */
  others?(paths: readonly TreePath[]): Promise<ReadonlyMap<TreePath, string>>;
}

/** Where to travel. `stop` belongs to `revert`, `entry` to `restore`, `piece` to `partial`; the other kinds need none. */
export interface TravelRequest {
  kind: TravelKind;
  stop: number | null;
  entry: string | null;
  scope: Scope;
  piece?: Piece | null;
}
