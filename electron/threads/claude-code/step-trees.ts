import type { TreePath } from '../../../shared/tree-path.ts';
import { breathe } from '../../snapshots/disk.ts';
import type { TreeEntry } from '../../snapshots/objects.ts';
import type { ClaudeObjects } from './claude-objects.ts';
import type { FileSamples } from './file-samples.ts';
import { type Happening, type Known, knownFiles } from './known-files.ts';

/** The trees around one step, and what its tools say they wrote. */
export interface StepTrees {
  from: string;
  to: string;
  listed: readonly TreePath[];
  unknown: readonly TreePath[];
}

/** Makes the trees of all steps from what the log tells about files; they are on disk when it resolves. */
export async function stepTrees(
  happenings: readonly Happening[],
  o: { objects: ClaudeObjects; samples: FileSamples },
): Promise<Map<string, StepTrees>> {
  const { first, steps } = knownFiles(happenings);
  const modes = new Map<TreePath, TreeEntry['mode']>();
  const entries = async (states: ReadonlyMap<TreePath, Known>): Promise<Map<TreePath, TreeEntry | null>> => {
    const made = new Map<TreePath, TreeEntry | null>();
    for (const [path, oid] of states) {
      if (oid !== null && !modes.has(path)) modes.set(path, await o.samples.mode(path));
      made.set(path, oid === null ? null : { mode: modes.get(path) ?? '100644', oid });
    }
    return made;
  };
  const trees = new Map<string, StepTrees>();
  let tree = await o.objects.tree(null, await entries(new Map([...first].filter(([, state]) => state !== null))));
  for (const [step, states] of steps) {
    await breathe();
    const from = states.from.size === 0 ? tree : await o.objects.tree(tree, await entries(states.from));
    tree = states.to.size === 0 ? from : await o.objects.tree(from, await entries(states.to));
    await o.objects.ease();
    trees.set(step, { from, to: tree, listed: states.listed, unknown: states.unknown });
  }
  await o.objects.flush();
  return trees;
}
