import { randomBytes } from 'node:crypto';
import type { TreePath } from '../../shared/tree-path.ts';
import { addWorkspace } from '../snapshots/add-workspace.ts';
import type { SnapshotStore } from '../snapshots/store.ts';

/**
 * A snapshot of a workspace on another side, where only git and a few file operations reach: what `captureWorkspace` does here. The index
 * is a copy each time, so that one which a crash left locked is in nobody's way, and it is replaced only when all went well.
 */
export async function captureThrough(o: {
  store: SnapshotStore;
  root: string;
  indexFile: string;
  signal?: AbortSignal | undefined;
  onLeftOut(paths: readonly TreePath[]): void;
  copyIndex(from: string, to: string): Promise<void>;
  move(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
}): Promise<string> {
  const { git, gitDir } = o.store;
  const index = `${o.indexFile}.${randomBytes(6).toString('hex')}`;
  try {
    await o.copyIndex(o.indexFile, index);
    const call = { gitDir, workTree: o.root, env: { GIT_INDEX_FILE: index }, signal: o.signal };
    const tree = await addWorkspace(git, call, { config: [], onLeftOut: o.onLeftOut });
    await o.move(index, o.indexFile);
    return tree;
  } catch (error) {
    await o.remove(index);
    await o.remove(`${index}.lock`);
    throw error;
  }
}
