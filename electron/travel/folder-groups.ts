import type { TreePath } from '../../shared/tree-path.ts';

/** A path that shall be written or deleted, or where a file stands that stays. */
export interface Move {
  path: TreePath;
  act: 'write' | 'delete' | 'stay';
  /** A folder stands at the path now. */
  folderThere: boolean;
}

/** Paths that stay together because a file and a folder want the same place. */
export interface Group {
  /** The place that both want. */
  at: TreePath;
  paths: TreePath[];
  /** A path in the way that no part of the travel takes away. */
  blocker: TreePath;
}

/** Every folder above a path, nearest last. */
export function foldersAbove(path: TreePath): TreePath[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/**
 * Files and folders that exchange places (case C-10): a file can only come where a folder stands when everything in the folder
 * goes, and below a file only when that file goes. What cannot be done whole is not done at all. `filesIn` lists what lies
 * below a folder on disk. Gives the groups that must stay; a path is in one at most.
 */
export async function groupsThatStay(moves: readonly Move[], filesIn: (folder: TreePath) => Promise<TreePath[]>): Promise<Group[]> {
  const asked = new Map(moves.map((move) => [move.path, move] as const));
  const live = new Map([...asked].filter(([, move]) => move.act !== 'stay'));
  const inside = new Map<TreePath, TreePath[]>();
  for (const move of moves) {
    for (const above of foldersAbove(move.path)) {
      const known = inside.get(above);
      if (known) known.push(move.path);
      else inside.set(above, [move.path]);
    }
  }
  const groups: Group[] = [];
  const keep = (at: TreePath, blocker: TreePath): void => {
    const paths = [at, ...(inside.get(at) ?? [])].filter((path) => live.delete(path));
    if (paths.length > 0) groups.push({ at, paths, blocker });
  };
  const folders = new Map<TreePath, TreePath[]>();
  for (const move of moves) if (move.act === 'write' && move.folderThere) folders.set(move.path, await filesIn(move.path));
  // A group that stays may be what another one waited for: look again until nothing changes.
  for (let before = -1; before !== live.size; ) {
    before = live.size;
    for (const [path, standing] of folders) {
      const blocker =
        standing.find((file) => live.get(file)?.act !== 'delete') ?? inside.get(path)?.find((file) => live.get(file)?.act === 'write');
      if (blocker !== undefined) keep(path, blocker);
    }
    for (const [above, below] of inside) {
      const file = asked.get(above);
      if (file === undefined || file.folderThere) continue;
      // A file stands, or shall stand, where these paths need a folder.
      const written = below.find((path) => live.get(path)?.act === 'write');
      if (written !== undefined && live.get(above)?.act !== 'delete') keep(above, above);
    }
  }
  return groups;
}
