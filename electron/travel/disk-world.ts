import { lstat, readdir } from 'node:fs/promises';
import { bytesOfTreePath, type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import { diskPath, diskState } from '../snapshots/disk.ts';
import type { Git } from '../snapshots/git.ts';
import { lendersGone } from '../snapshots/lenders.ts';
import type { Blobs } from './blobs.ts';
import type { Content } from './content.ts';
import { lineMerge } from './merge-lines.ts';
import type { TravelContext } from './travel-context.ts';
import type { World } from './world.ts';

/** A folder is not searched for files beyond this many: a group that large stays whatever it holds. */
const MOST_FILES = 20_000;

/** The world of a real workspace. `gitDir` is a repository of ours, for asking what is ignored. */
export function diskWorld(o: {
  context: TravelContext;
  git: Git;
  root: string;
  blobs: Blobs;
  gitDir: string;
  tmp: string;
  signal?: AbortSignal | undefined;
}): World {
  const { context, git, root, blobs, gitDir, tmp, signal } = o;
  const names = new Map<string, Promise<Set<string>>>();
  const namesIn = (folder: string): Promise<Set<string>> => {
    let found = names.get(folder);
    if (found === undefined) {
      const full = folder === '' ? Buffer.from(root) : diskPath(root, folder);
      found = readdir(full, { encoding: 'latin1' }).then((list) => new Set(list));
      names.set(folder, found);
    }
    return found;
  };
  return {
    platform: process.platform,
    async disk(path) {
      const state = await diskState(root, path, blobs.format);
      if (state.kind === 'file') blobs.knows(state.oid, state.size);
      return state;
    },
    async exactName(path) {
      const slash = path.lastIndexOf('/');
      const name = Buffer.from(bytesOfTreePath(path.slice(slash + 1))).toString('latin1');
      return (await namesIn(slash < 0 ? '' : path.slice(0, slash))).has(name);
    },
    filesIn: (folder) => filesBelow(root, folder),
    ignored: (paths) => ignoredOf(git, { gitDir, root, paths, signal }),
    async size(content: Content, path) {
      return content.kind === 'absent' ? 0 : blobs.size(content.oid, path);
    },
    lendersGone: () => lendersGone(context.thread.store?.objectFolders ?? []),
    async linkTarget(content, path) {
      return content.kind === 'absent' ? '' : treePathOfBytes(await blobs.read(content.oid, path));
    },
    merge: (path) => lineMerge(git, blobs, path, tmp, signal),
    others: async (paths) => (await context.others?.(paths)) ?? new Map(),
  };
}

/** Every path below a folder that is no folder itself; empty folders do not count. Links are not followed. */
async function filesBelow(root: string, folder: TreePath): Promise<TreePath[]> {
  const found: TreePath[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined && found.length < MOST_FILES; at = waiting.pop()) {
    for (const name of await readdir(diskPath(root, at), { encoding: 'buffer' })) {
      const path = `${at}/${treePathOfBytes(name)}`;
      if ((await lstat(diskPath(root, path))).isDirectory()) waiting.push(path);
      else found.push(path);
    }
  }
  return found;
}

/** Asks git with a repository of ours: the workspace's `.gitignore` files count, its own config and excludes do not. */
async function ignoredOf(
  git: Git,
  o: { gitDir: string; root: string; paths: readonly TreePath[]; signal: AbortSignal | undefined },
): Promise<Set<TreePath>> {
  const stdin = Buffer.concat(o.paths.flatMap((path) => [Buffer.from(bytesOfTreePath(path)), Buffer.from([0])]));
  const { stdout } = await git.run({
    name: 'check-ignore',
    args: ['check-ignore', '--no-index', '-z', '--stdin'],
    gitDir: o.gitDir,
    workTree: o.root,
    stdin,
    okExits: [0, 1],
    signal: o.signal,
  });
  const ignored = new Set<TreePath>();
  for (let at = 0, end = stdout.indexOf(0); end >= 0; at = end + 1, end = stdout.indexOf(0, at)) {
    ignored.add(treePathOfBytes(stdout.subarray(at, end)));
  }
  return ignored;
}
