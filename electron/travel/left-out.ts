import { isRefusal } from '../../shared/errors.ts';
import type { Thread } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import { type Scoped, stepsAfter } from './chains.ts';
import { wroteIn } from './sources-of-change.ts';
import type { World } from './world.ts';

/**
 * Files that tools after the stop say they wrote and that no snapshot of those steps holds, though they are on disk: ignored ones,
 * or too large ones. A revert cannot put them back, so it has to say so.
 */
export async function leftOut(
  thread: Thread,
  stop: number,
  scoped: Scoped,
  objects: ObjectReader | null,
  world: World,
): Promise<{ path: TreePath; why: string }[]> {
  const found = new Map<TreePath, string>();
  for (const step of stepsAfter(thread, stop)) {
    const { from, to } = step;
    if (from === null || to === null || objects === null || step.captured !== true) continue;
    for (const path of wroteIn(thread, step)) {
      if (scoped.paths.has(path) || found.has(path)) continue;
      // A write that changed nothing is in both trees, one that was undone at once in neither, and not on disk.
      if ((await held(objects, from, path)) || (await held(objects, to, path))) continue;
      if ((await world.disk(path)).kind === 'file') found.set(path, `A tool wrote it in step ${step.index}, but no snapshot holds it.`);
    }
  }
  return [...found].map(([path, why]) => ({ path, why }));
}

async function held(objects: ObjectReader, tree: string, path: TreePath): Promise<boolean> {
  try {
    return (await objects.entry(tree, path)) !== null;
  } catch (thrown) {
    // The step itself says that its tree is gone.
    if (isRefusal(thrown, 'TREE_MISSING')) return true;
    throw thrown;
  }
}
