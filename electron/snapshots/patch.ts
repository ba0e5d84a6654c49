import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { treeWith } from './capture.ts';
import { gitFailed } from './git.ts';
import { formatOfId } from './object-id.ts';
import { ObjectReader, type TreeEntry } from './objects.ts';
import type { SnapshotStore } from './store.ts';
import { MOMENT, weighPair } from './weigh-pairs.ts';

/** The form of every patch, independent of any config: the one that `git apply` takes on any machine (cases C-19). */
const FORM = [
  '--binary',
  '--full-index',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--unified=3',
  '--inter-hunk-context=0',
  '--diff-algorithm=default',
  '--indent-heuristic',
  '--submodule=short',
];

/** A few bytes of a hostile store can stand for a patch that no memory holds. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** What is held of git's answer until the trees are weighed. */
const HELD_BYTES = 8 * 1024 * 1024;

/** The tree that has `to`'s state at the listed paths and `from`'s everywhere else. */
async function onlyThese(store: SnapshotStore, from: string, to: string, only: readonly TreePath[]): Promise<string> {
  const objects = new ObjectReader(store);
  try {
    const changes = new Map<TreePath, TreeEntry | null>();
    for (const path of only) changes.set(path, await objects.entry(to, path));
    return await treeWith(store, { base: from, changes });
  } finally {
    await objects.close();
  }
}

/**
 * The patch from one tree to another, as it comes out of git: byte for byte `git diff --binary --full-index --no-renames
 * --no-ext-diff --no-textconv`. `only` limits it to some paths; null for all. Empty when nothing differs. Throws TREE_MISSING
 * or TREE_TOO_LARGE before the first piece, CANCELLED, TOO_LARGE above 1 GiB, or GIT_FAILED after some.
 */
export async function* patchOf(
  store: SnapshotStore,
  o: { from: string; to: string; only: readonly TreePath[] | null; signal?: AbortSignal | undefined },
): AsyncIterable<Buffer> {
  for (const tree of [o.from, o.to]) if (formatOfId(tree) !== store.format) throw new TurnbackError('TREE_MISSING', { tree });
  const to = o.only === null ? o.to : await onlyThese(store, o.from, o.to, o.only);
  // Names as git quotes them by default: a patch then holds no byte that a mail or a clipboard would change.
  const args = ['-c', 'core.quotePath=true', 'diff', ...FORM, o.from, to, '--'];
  const call = { name: 'diff', args, gitDir: store.gitDir, signal: o.signal };
  const process = store.git.start(call);
  let ended = false;
  process.end();
  let fit: Promise<number> | null = null;
  // Weighed while git compares, unless it is done in a moment: a few objects that stand for more files than any disk holds would keep it
  // busy, and fill its memory, for ever.
  const weigh = (): Promise<number> => {
    if (fit !== null) return fit;
    fit = weighPair(store, { from: o.from, to }, o.signal);
    fit.catch(() => process.kill());
    return fit;
  };
  const timer = setTimeout(() => void weigh(), MOMENT);
  try {
    const held: Buffer[] = [];
    let bytes = 0;
    for await (const piece of process.stdout) {
      bytes += piece.length;
      if (bytes > MOST_BYTES) throw new TurnbackError('TOO_LARGE', { path: 'The patch', bytes });
      held.push(piece);
      if (fit === null && bytes <= HELD_BYTES) continue;
      await weigh();
      yield* held.splice(0);
    }
    const exit = await process.done;
    ended = true;
    if (o.signal?.aborted) throw new TurnbackError('CANCELLED');
    if (fit !== null || exit !== 0) await weigh();
    if (exit !== 0) throw gitFailed('diff', exit, process.stderr());
    yield* held;
  } catch (error) {
    // A process that was ended with its pipes leaves a stream that did not come to its end.
    if (o.signal?.aborted) throw new TurnbackError('CANCELLED', {}, { cause: error });
    await fit;
    throw error;
  } finally {
    clearTimeout(timer);
    if (!ended) process.kill();
  }
}
