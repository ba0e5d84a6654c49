import { safePath } from '../../shared/safe-path.ts';
import { type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import { type Git, type GitCall, gitFailed } from './git.ts';

/** What git works with: whose objects, which files, and an index that nobody else uses. */
export type WorkspaceCall = Omit<GitCall, 'name' | 'args'>;

/** What no snapshot of a workspace holds: `.env` and every `.env.*`, an example file too, at any depth. */
const WITHOUT_SECRETS = ['.', ':(exclude,glob)**/.env', ':(exclude,glob)**/.env.*'];

/** The paths of an answer that parts them by zero bytes. */
function pathsOf(output: Buffer): TreePath[] {
  const paths: TreePath[] = [];
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at))
    paths.push(treePathOfBytes(output.subarray(at, end)));
  return paths;
}

/** The files that git would take or has not taken yet; a repository inside ends in a slash. */
export async function listFiles(git: Git, which: readonly string[], call: WorkspaceCall): Promise<TreePath[]> {
  const args = ['ls-files', '-z', ...which, '--exclude-standard', '--', ...WITHOUT_SECRETS];
  return pathsOf((await git.run({ ...call, name: 'ls-files', args })).stdout);
}

/**
 * Git's own way to a tree of a whole workspace, on this side or another: `add`, then `write-tree`. What git will not take (a repository
 * without a commit, a name such as `git~1`) is left out and told; anything else that it would not take means that the snapshot is not
 * whole, and throws GIT_FAILED. `config`: settings for both, as `-c` arguments.
 */
export async function addWorkspace(
  git: Git,
  call: WorkspaceCall,
  o: { config: readonly string[]; onLeftOut?: ((paths: TreePath[]) => void) | undefined },
): Promise<string> {
  const args = [...o.config, 'add', '--all', '--ignore-errors', '--', ...WITHOUT_SECRETS];
  const added = await git.run({ ...call, name: 'add', args, okExits: [0, 1, 128] });
  if (added.exit !== 0) {
    const left = await listFiles(git, ['--others', '--modified'], call);
    const expected = (path: TreePath): boolean => path.endsWith('/') || safePath(path, 'linux') !== true;
    if (left.length === 0 || !left.every(expected)) throw gitFailed('add', added.exit, added.stderr);
    o.onLeftOut?.(left);
  }
  const { stdout } = await git.run({ ...call, name: 'write-tree', args: [...o.config, 'write-tree'] });
  return stdout.toString('latin1').trim();
}
