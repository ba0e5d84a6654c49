import type { TreePath } from '../../shared/tree-path.ts';
import { readDisk } from '../snapshots/disk.ts';
import { contentFor } from './choose.ts';
import { entryOfContent } from './content.ts';
import { prepare } from './prepare.ts';
import type { TravelContext } from './travel-context.ts';

/**
 * What a revert of the files to the stop would leave at the path, with the preselected choice; null where there would be no file.
 * A path that the revert would not touch is as it is on disk. Throws TREE_MISSING when the content is gone.
 */
export async function predictedFile(context: TravelContext, stop: number, path: TreePath): Promise<{ mode: string; bytes: Buffer } | null> {
  const prepared = await prepare(context, { kind: 'revert', stop, entry: null, scope: 'files' }, { only: new Set([path]) });
  try {
    const { draft, bench, world } = prepared;
    const file = draft?.files.find((one) => one.path === path);
    if (bench === null || world === null) return null;
    if (file === undefined || file.choice === 'keep') {
      const state = await world.disk(path);
      const bytes = await readDisk(bench.root, path);
      if (bytes === null || (state.kind !== 'file' && state.kind !== 'link')) return null;
      return { mode: state.kind === 'link' ? '120000' : state.mode & 0o100 ? '100755' : '100644', bytes };
    }
    const content = contentFor(file, file.choice);
    const entry = entryOfContent(content);
    return entry && { mode: entry.mode, bytes: await bench.blobs.read(entry.oid, path) };
  } finally {
    await prepared.close();
  }
}
