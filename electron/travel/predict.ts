import { TurnbackError } from '../../shared/errors.ts';
import type { Choice } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { readDisk } from '../snapshots/disk.ts';
import { contentFor } from './choose.ts';
import { entryOfContent } from './content.ts';
import { prepare } from './prepare.ts';
import type { TravelContext, TravelRequest } from './travel-context.ts';

/** A file with its mode as a tree has it. */
export interface LeftFile {
  mode: string;
  bytes: Buffer;
}

/**
 * What a revert of the files to the stop would leave at the path, with the preselected choice; null where there would be no file.
 * A path that the revert would not touch is as it is on disk. Throws TREE_MISSING when the content is gone.
 */
export function predictedFile(context: TravelContext, stop: number, path: TreePath): Promise<LeftFile | null> {
  return leftBy(context, { kind: 'revert', stop, entry: null, scope: 'files' }, path, null);
}

/**
 * The same for any travel and a choice, null for the preselected one. Throws CHOICE_IMPOSSIBLE for one that its plan does not offer.
 */
export async function leftBy(
  context: TravelContext,
  request: TravelRequest,
  path: TreePath,
  choice: Choice | null,
): Promise<LeftFile | null> {
  const prepared = await prepare(context, request, { only: new Set([path]), withKin: choice === null });
  try {
    const { draft, bench, world } = prepared;
    const file = draft?.files.find((one) => one.path === path);
    if (bench === null || world === null) return null;
    const asked = choice ?? file?.choice ?? 'keep';
    // Seen alone, a file may be one that nobody else has to do with: then "overwrite" is plainly "write".
    const chosen = asked === 'overwrite' && file?.choices.includes('overwrite') === false ? 'write' : asked;
    if (file !== undefined && !file.choices.includes(chosen)) {
      throw new TurnbackError('CHOICE_IMPOSSIBLE', { path: showTreePath(path), choice: chosen === 'merge' ? 'merged' : 'written' });
    }
    if (file === undefined || chosen === 'keep') {
      const state = await world.disk(path);
      const bytes = await readDisk(bench.root, path);
      if (bytes === null || (state.kind !== 'file' && state.kind !== 'link')) return null;
      return { mode: state.kind === 'link' ? '120000' : state.mode & 0o100 ? '100755' : '100644', bytes };
    }
    const content = contentFor(file, chosen);
    const entry = entryOfContent(content);
    return entry && { mode: entry.mode, bytes: await bench.blobs.read(entry.oid, path) };
  } finally {
    await prepared.close();
  }
}
