import { randomBytes } from 'node:crypto';
import { type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import { type GitCall, gitFailed } from '../snapshots/git.ts';
import type { SnapshotStore } from '../snapshots/store.ts';

/** As in snapshots/capture.ts: no snapshot holds `.env` and `.env.*`, at any depth. */
const WITHOUT_SECRETS = ['.', ':(exclude,glob)**/.env', ':(exclude,glob)**/.env.*'];

function pathsOf(output: Buffer): TreePath[] {
  const paths: TreePath[] = [];
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at))
    paths.push(treePathOfBytes(output.subarray(at, end)));
  return paths;
}

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
  const call: Omit<GitCall, 'name' | 'args'> = { gitDir, workTree: o.root, env: { GIT_INDEX_FILE: index }, signal: o.signal };
  try {
    await o.copyIndex(o.indexFile, index);
    const args = ['add', '--all', '--ignore-errors', '--', ...WITHOUT_SECRETS];
    const added = await git.run({ ...call, name: 'add', args, okExits: [0, 1, 128] });
    if (added.exit !== 0) {
      const asked = ['ls-files', '-z', '--others', '--modified', '--exclude-standard', '--', ...WITHOUT_SECRETS];
      const left = pathsOf((await git.run({ ...call, name: 'ls-files', args: asked })).stdout);
      // Git takes no repository without a commit; anything else that it would not take means that the snapshot is not whole.
      if (left.length === 0 || !left.every((path) => path.endsWith('/'))) throw gitFailed('add', added.exit, added.stderr);
      o.onLeftOut(left);
    }
    const { stdout } = await git.run({ ...call, name: 'write-tree', args: ['write-tree'] });
    await o.move(index, o.indexFile);
    return stdout.toString('latin1').trim();
  } catch (error) {
    await o.remove(index);
    await o.remove(`${index}.lock`);
    throw error;
  }
}
