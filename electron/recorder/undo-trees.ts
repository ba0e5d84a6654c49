import type { TreePath } from '../../shared/tree-path.ts';
import type { UndoPoint } from '../../shared/undo-point.ts';
import type { TreeEntry } from '../snapshots/objects.ts';
import type { StepRecord } from './records.ts';
import type { Repository } from './repository.ts';

/** Replaces the entries of paths whose state is told by another tree than `base`. */
async function adjusted(repository: Repository, base: string, sources: ReadonlyMap<TreePath, string>): Promise<string> {
  const changes = new Map<TreePath, TreeEntry | null>();
  for (const [path, tree] of sources) {
    if (tree === base) continue;
    const [wanted, there] = [await repository.entry(tree, path), await repository.entry(base, path)];
    if (wanted?.oid !== there?.oid || wanted?.mode !== there?.mode) changes.set(path, wanted);
  }
  return repository.compose(base, changes);
}

/**
 * What an undo point says about files: the paths that the turn's steps list, a tree with each of them as it was before the first step
 * that changed it, and one with each as the last such step left it. What others did to those files in between stays out of both.
 */
export async function undoTrees(
  repository: Repository | null,
  steps: readonly StepRecord[],
): Promise<Pick<UndoPoint, 'from' | 'to' | 'files'>> {
  const first = steps[0];
  const last = steps.at(-1);
  if (repository === null || first === undefined || last === undefined) return { from: null, to: null, files: [] };
  const before = firstStates(steps);
  const after = new Map<TreePath, string>();
  for (const step of steps) for (const path of step.files) after.set(path, step.to);
  return {
    from: await adjusted(repository, first.from, before),
    to: await adjusted(repository, last.to, after),
    files: [...before.keys()],
  };
}

/** For each listed path, in first-seen order, the tree before the first step that lists it. */
export function firstStates(steps: readonly StepRecord[]): Map<TreePath, string> {
  const before = new Map<TreePath, string>();
  for (const step of steps) for (const path of step.files) if (!before.has(path)) before.set(path, step.from);
  return before;
}
