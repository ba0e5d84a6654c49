import { isRefusal } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { Git } from '../snapshots/git.ts';
import { isBinary, mergeText } from '../snapshots/merge.ts';
import type { Blobs } from './blobs.ts';
import { Budget } from './budget.ts';
import type { MergeText } from './merge-content.ts';

/** A larger file is not merged by lines: it would take longer than anybody waits for a preview. */
const MOST_MERGED = 16 * 1024 * 1024;

/** Each merge is a process of git; more at once would only wait for each other. */
const merges = new Budget(4);

/** Merging by lines for one path, with git's own merge; what comes out is kept in `blobs`. `tmp` is a folder of ours. */
export function lineMerge(git: Git, blobs: Blobs, path: TreePath, tmp: string, signal?: AbortSignal): MergeText {
  // What a cleaned travel left, or an expired snapshot, is no reason to refuse every other path.
  const read = async (oid: string): Promise<Buffer | null> => {
    try {
      return await blobs.read(oid, path);
    } catch (thrown) {
      if (isRefusal(thrown, 'TREE_MISSING')) return null;
      throw thrown;
    }
  };
  const merge: MergeText = async (base, ours, theirs) => {
    const [baseBytes, oursBytes, theirsBytes] = [await read(base), await read(ours), await read(theirs)];
    if (baseBytes === null || theirsBytes === null) return { clean: false, why: 'gone' };
    // What others left is on disk, or was made by a merge before this one.
    if (oursBytes === null) return { clean: false, why: 'moving' };
    const all = [baseBytes, oursBytes, theirsBytes];
    if (all.some(isBinary)) return { clean: false, why: 'binary' };
    if (all.some((bytes) => bytes.length > MOST_MERGED)) return { clean: false, why: 'large' };
    const merged = await mergeText(git, { base: baseBytes, ours: oursBytes, theirs: theirsBytes, tmp, signal });
    return merged.clean ? { clean: true, oid: blobs.add(merged.bytes) } : { clean: false, why: 'conflict' };
  };
  return (base, ours, theirs) => merges.spend(1, () => merge(base, ours, theirs));
}
