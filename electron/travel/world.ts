import type { TreePath } from '../../shared/tree-path.ts';
import type { DiskState } from '../snapshots/disk.ts';
import type { Content } from './content.ts';
import type { MergeText } from './merge-content.ts';

/** All that planning asks of disk and stores. Only reads. */
export interface World {
  readonly platform: string;
  disk(path: TreePath): Promise<DiskState>;
  /** False when the disk opens another file by this name: one that differs by case or Unicode form. */
  exactName(path: TreePath): Promise<boolean>;
  /** Files below a folder on disk, links and others too. */
  filesIn(folder: TreePath): Promise<TreePath[]>;
  /** Those of the paths that the workspace's `.gitignore` files name now. */
  ignored(paths: readonly TreePath[]): Promise<ReadonlySet<TreePath>>;
  /** Bytes of a content; null when no store has it any more. */
  size(content: Content, path: TreePath): Promise<number | null>;
  /** Folders that the agent's store borrows from and that are not there; what they hold is out of reach, not gone. */
  lendersGone?(): Promise<readonly string[]>;
  linkTarget(content: Content, path: TreePath): Promise<string>;
  merge(path: TreePath): MergeText;
  /** Words for who else changed the paths, where somebody knows. */
  others(paths: readonly TreePath[]): Promise<ReadonlyMap<TreePath, string>>;
}
