import { isRefusal, type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import { formatOfId } from './object-id.ts';
import { ObjectReader } from './objects.ts';
import type { SnapshotStore } from './store.ts';
import { MOST_DIFFERENT, TreeScale } from './tree-weight.ts';

interface Trees {
  from: string;
  to: string;
}

/** By the key of a pair: in how many files its trees differ, never less, or why git is not asked. */
export type Weights = ReadonlyMap<string, number | Reason>;

/** Milliseconds in which git may be done before any tree is weighed. */
export const MOMENT = 300;
/** Pairs that one process compares; a failure costs at most a second look at these. */
const PAIRS_A_PROCESS = 256;
/** Pairs that are weighed at once. */
const AT_ONCE = 64;

/** A pair as one line of `diff-tree --stdin`. */
export const keyOf = ({ from, to }: Trees): string => `${from} ${to}`;

/**
 * Weighs each pair before git compares any: its trees may be missing (TREE_MISSING), or a few objects may stand for more files than any
 * disk holds (TREE_TOO_LARGE). Pairs alike are weighed once. Throws CANCELLED.
 */
export async function weighPairs(store: SnapshotStore, pairs: readonly Trees[], signal: AbortSignal | undefined): Promise<Weights> {
  const weights = new Map<string, number | Reason>();
  const open = [...new Map(pairs.map((pair) => [keyOf(pair), pair]))];
  const objects = new ObjectReader(store);
  const scale = new TreeScale(objects);
  // A git that says nothing is not waited for.
  const leave = (): void => void objects.close();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    for (let at = 0; at < open.length; at += AT_ONCE) {
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
      const weigh = async ([key, pair]: readonly [string, Trees]): Promise<void> => {
        weights.set(key, unfit(store, pair) ?? (await weightOf(objects, scale, pair)));
      };
      await Promise.all(open.slice(at, at + AT_ONCE).map(weigh));
    }
    return weights;
  } finally {
    signal?.removeEventListener('abort', leave);
    await objects.close();
  }
}

/** The same for one pair: throws what is off. */
export async function weighPair(store: SnapshotStore, pair: Trees, signal: AbortSignal | undefined): Promise<number> {
  const weight = (await weighPairs(store, [pair], signal)).get(keyOf(pair)) ?? reason('TREE_MISSING', { tree: pair.to });
  if (typeof weight === 'number') return weight;
  throw TurnbackError.of(weight);
}

/** An id that is no tree of this store, or null when both may be. */
function unfit(store: SnapshotStore, { from, to }: Trees): Reason | null {
  if (from === '' || to === '') return reason('TREE_EMPTY');
  const odd = [from, to].find((id) => formatOfId(id) !== store.format);
  return odd === undefined ? null : reason('TREE_MISSING', { tree: odd });
}

async function weightOf(objects: ObjectReader, scale: TreeScale, { from, to }: Trees): Promise<number | Reason> {
  try {
    return await scale.weigh(from, to);
  } catch (thrown) {
    if (isRefusal(thrown, 'TREE_TOO_LARGE')) return thrown.reason;
    if (!isRefusal(thrown, 'TREE_MISSING')) throw thrown;
    return reason('TREE_MISSING', { tree: (await objects.hasTree(from)) ? to : from });
  }
}

/** Pairs in lots, each for one process: few enough, and together of no more files than one pair may have. */
export function inLots(keys: Iterable<string>, weights: Weights): string[][] {
  const lots: string[][] = [];
  let sum = 0;
  for (const key of keys) {
    const weight = Number(weights.get(key));
    const lot = lots.at(-1);
    if (lot === undefined || lot.length === PAIRS_A_PROCESS || sum + weight > MOST_DIFFERENT) {
      lots.push([key]);
      sum = weight;
    } else {
      lot.push(key);
      sum += weight;
    }
  }
  return lots;
}
