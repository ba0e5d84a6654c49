import type { FileChange } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { nameOf } from './file-tree.ts';

/** Shorter files look alike by chance. */
const FEWEST_LINES = 3;
/** A file that was moved may have been edited a little on the way. */
const MOST_DIFFERENCE = 0.2;

const endingOf = (path: TreePath): string => {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot);
};

function pairUnique(
  deleted: readonly FileChange[],
  created: readonly FileChange[],
  key: (file: FileChange, lines: number) => string | null,
  fits: (from: number, to: number) => boolean,
  moved: Map<TreePath, TreePath>,
): void {
  const index = (files: readonly FileChange[], lines: (file: FileChange) => number | null): Map<string, FileChange[]> => {
    const map = new Map<string, FileChange[]>();
    for (const file of files) {
      const count = lines(file);
      const name = count === null || moved.has(file.path) ? null : key(file, count);
      if (name !== null) map.set(name, [...(map.get(name) ?? []), file]);
    }
    return map;
  };
  const from = index(deleted, (file) => file.removed);
  const to = index(created, (file) => file.added);
  for (const [name, olds] of from) {
    const news = to.get(name);
    const [old] = olds;
    const now = news?.[0];
    if (olds.length !== 1 || news?.length !== 1 || old === undefined || now === undefined) continue;
    if (!fits(old.removed ?? 0, now.added ?? 0)) continue;
    moved.set(old.path, now.path);
    moved.set(now.path, old.path);
  }
}

/**
 * Pairs of a deleted and a created file that look like one that moved, both ways: path -> the other path. No log says that a file was
 * moved, so this goes by names and line counts alone and pairs only what is beyond doubt unique.
 */
export function looksMoved(files: readonly FileChange[]): ReadonlyMap<TreePath, TreePath> {
  const deleted = files.filter((file) => file.change === 'deleted' && !file.binary);
  const created = files.filter((file) => file.change === 'created' && !file.binary);
  const moved = new Map<TreePath, TreePath>();
  const near = (from: number, to: number): boolean => Math.abs(from - to) <= Math.max(from, to) * MOST_DIFFERENCE;
  pairUnique(deleted, created, (file, lines) => (lines < FEWEST_LINES ? null : nameOf(file.path)), near, moved);
  const alike = (file: FileChange, lines: number): string | null => (lines < FEWEST_LINES * 3 ? null : `${lines} ${endingOf(file.path)}`);
  pairUnique(deleted, created, alike, () => true, moved);
  return moved;
}
