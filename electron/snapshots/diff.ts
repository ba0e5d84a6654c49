import { isRefusal, type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { FileChange } from '../../shared/model.ts';
import { type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import { formatOfId } from './object-id.ts';
import type { TreeEntry } from './objects.ts';
import type { SnapshotStore } from './store.ts';
import { inLots, keyOf, MOMENT, weighPair, weighPairs } from './weigh-pairs.ts';

/** One path that two trees hold differently. */
export interface RawChange {
  path: TreePath;
  before: TreeEntry | null;
  after: TreeEntry | null;
}

export interface Pair {
  from: string;
  to: string;
  /** Only these paths; null for all. */
  only: readonly TreePath[] | null;
}

interface Counts {
  added: number | null;
  removed: number | null;
}

interface Block {
  changes: RawChange[];
  counts: Map<TreePath, Counts>;
  /** False when the lines of its files were not counted at all. */
  counted: boolean;
  /** Where each path stands among the changes. */
  places?: Map<TreePath, number>;
}

const UNCOUNTED: Counts = { added: null, removed: null };

/** Changed files that one answer lists at most: beyond them a pair is refused, since a log may name one large pair again and again. */
const MOST_LISTED = 2_000_000;
/** Milliseconds that may be lost to files whose lines take too long to count, in one answer. */
const PATIENCE = 60_000;
/** Milliseconds that each pair adds to the moment that git has. */
const MOMENT_A_PAIR = 5;
/** Pairs, and bytes of an answer, of which that may come true. */
const FEW = 256;
const SHORT_OUTPUT = 32 * 1024 * 1024;
const MAX_OUTPUT = 1024 * 1024 * 1024;
const FLAGS = ['-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--no-ext-diff', '--no-textconv'];

const MODES: readonly string[] = ['100644', '100755', '120000', '160000'] satisfies TreeEntry['mode'][];

function entryOf(mode: string, oid: string): TreeEntry | null {
  if (mode === '000000') return null;
  if (MODES.includes(mode)) return { mode: mode as TreeEntry['mode'], oid };
  // Trees of very old tools hold modes such as 100664.
  return { mode: (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755', oid };
}

/** Reads `diff-tree --stdin -z --raw --numstat`: after each `from to` line its raw records, then its counts. */
function parseBlocks(output: Buffer, idLength: number, counted: boolean): Map<string, Block> {
  const blocks = new Map<string, Block>();
  let block: Block = { changes: [], counts: new Map(), counted };
  const until = (byte: number, at: number): number => {
    const end = output.indexOf(byte, at);
    if (end < 0) throw new TurnbackError('GIT_FAILED', { command: 'diff-tree', exit: 0, cause: 'its answer was cut off' });
    return end;
  };
  for (let at = 0; at < output.length; ) {
    if (output[at] === 0x3a) {
      const end = until(0, at);
      const [before = '', after = '', from = '', to = ''] = output.toString('latin1', at + 1, end).split(' ');
      const next = until(0, end + 1);
      const path = treePathOfBytes(output.subarray(end + 1, next));
      block.changes.push({ path, before: entryOf(before, from), after: entryOf(after, to) });
      at = next + 1;
    } else if (output[at + idLength] === 0x20 && output[at + 2 * idLength + 1] === 0x0a) {
      block = { changes: [], counts: new Map(), counted };
      blocks.set(output.toString('latin1', at, at + 2 * idLength + 1), block);
      at += 2 * idLength + 2;
    } else {
      const tab = until(0x09, at);
      const second = until(0x09, tab + 1);
      const end = until(0, second + 1);
      const number = (text: string): number | null => (text === '-' ? null : Number(text));
      block.counts.set(treePathOfBytes(output.subarray(second + 1, end)), {
        added: number(output.toString('latin1', at, tab)),
        removed: number(output.toString('latin1', tab + 1, second)),
      });
      at = end + 1;
    }
  }
  return blocks;
}

const kindOf = (entry: TreeEntry): string => (entry.mode === '100755' ? '100644' : entry.mode);

/** What happened to the path; a change of content and exec bit together is `modified`. */
export function changeOf({ before, after }: RawChange): FileChange['change'] {
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  if (kindOf(before) !== kindOf(after)) return 'kind';
  return before.oid === after.oid ? 'mode' : 'modified';
}

function fileChanges(block: Block, only: readonly TreePath[] | null): FileChange[] {
  const changes = only === null ? block.changes : only.length < block.changes.length ? picked(block, only) : amongThem(block, only);
  return changes.map((change) => {
    // Git counts nothing where only the mode changed.
    const none = block.counted ? { added: 0, removed: 0 } : UNCOUNTED;
    const { added, removed } = block.counts.get(change.path) ?? none;
    return { path: change.path, change: changeOf(change), added, removed, binary: added === null && block.counted };
  });
}

const amongThem = ({ changes }: Block, only: readonly TreePath[]): RawChange[] => {
  const wanted = new Set(only);
  return changes.filter(({ path }) => wanted.has(path));
};

/** A few of many: one large pair may be asked for with other paths again and again. */
function picked(block: Block, only: readonly TreePath[]): RawChange[] {
  block.places ??= new Map(block.changes.map(({ path }, at) => [path, at]));
  const places = [...new Set(only)].flatMap((path) => block.places?.get(path) ?? []);
  return places.sort((a, b) => a - b).flatMap((at) => block.changes[at] ?? []);
}

/** The code with which git gives up on an object that it cannot read. */
const UNREADABLE = 128;

/** Compares pairs in one process; a pair whose tree is missing has no block. Null when a folder or file below one is missing or broken. */
async function compare(
  store: SnapshotStore,
  keys: readonly string[],
  o: { counts: boolean; signal: AbortSignal | undefined; maxBytes?: number },
): Promise<Map<string, Block> | null> {
  const { exit, stdout } = await store.git.run({
    name: 'diff-tree',
    args: ['diff-tree', '--stdin', ...FLAGS, ...(o.counts ? ['--numstat'] : [])],
    gitDir: store.gitDir,
    stdin: Buffer.from(keys.map((key) => `${key}\n`).join('')),
    okExits: [0, UNREADABLE],
    maxBytes: o.maxBytes ?? MAX_OUTPUT,
    signal: o.signal,
  });
  return exit === 0 ? parseBlocks(stdout, store.format === 'sha1' ? 40 : 64, o.counts) : null;
}

/**
 * The same, but a pair that cannot be compared does not take the others with it: the halves are tried alone. So are they where the lines
 * of some files take too long to count; once the time for that is spent, the rest is named without counts.
 */
async function compareEach(
  store: SnapshotStore,
  keys: readonly string[],
  patience: { left: number; atOnce: number },
  signal: AbortSignal | undefined,
): Promise<Map<string, Block>> {
  const started = performance.now();
  const counts = patience.left > 0;
  const late = counts ? AbortSignal.timeout(Math.ceil(Math.min(patience.left, patience.atOnce))) : undefined;
  const either = AbortSignal.any([late, signal].filter((one) => one !== undefined));
  try {
    const blocks = await compare(store, keys, { counts, signal: either });
    if (blocks !== null) return blocks;
    if (keys.length <= 1) return new Map();
  } catch (thrown) {
    if (signal?.aborted || !late?.aborted || !isRefusal(thrown, 'CANCELLED')) throw thrown;
    patience.left -= performance.now() - started;
  }
  if (keys.length <= 1) return compareEach(store, keys, { left: 0, atOnce: 0 }, signal);
  const middle = Math.ceil(keys.length / 2);
  const first = await compareEach(store, keys.slice(0, middle), patience, signal);
  return new Map([...first, ...(await compareEach(store, keys.slice(middle), patience, signal))]);
}

/** The difference of two trees, renames off, in git's order. Throws TREE_MISSING, or TREE_TOO_LARGE for more files than any step changes. */
export async function rawChanges(store: SnapshotStore, from: string, to: string, signal?: AbortSignal): Promise<RawChange[]> {
  const key = keyOf({ from, to });
  const refused = new AbortController();
  const weighed = weighPair(store, { from, to }, signal).catch((thrown: unknown) => {
    refused.abort();
    throw thrown;
  });
  // Both at once: who records waits for this at each step.
  const either = signal === undefined ? refused.signal : AbortSignal.any([signal, refused.signal]);
  const [fit, compared] = await Promise.allSettled([weighed, compare(store, [key], { counts: false, signal: either })]);
  if (fit.status === 'rejected') throw fit.reason;
  if (compared.status === 'rejected') throw compared.reason;
  const block = compared.value?.get(key);
  if (block === undefined) throw new TurnbackError('TREE_MISSING', { tree: to });
  return block.changes;
}

function put(open: Map<string, number[]>, key: string, at: number): void {
  const list = open.get(key);
  if (list) list.push(at);
  else open.set(key, [at]);
}

/**
 * The answer of a git that is done in a moment, as for all that real agents do: what explodes never is. Null where it is not, or where
 * anything is off: then the trees are weighed, and whatever it is is told there.
 */
async function changesInAMoment(
  store: SnapshotStore,
  pairs: readonly Pair[],
  signal: AbortSignal | undefined,
): Promise<FileChange[][] | null> {
  const keys = [...new Set(pairs.map(keyOf))];
  const fit = pairs.every(({ from, to }) => from !== to && formatOfId(from) === store.format && formatOfId(to) === store.format);
  if (!fit || keys.length === 0 || keys.length > FEW || signal?.aborted) return null;
  const over = new AbortController();
  const give = (): void => over.abort();
  const timer = setTimeout(give, MOMENT + MOMENT_A_PAIR * keys.length);
  signal?.addEventListener('abort', give, { once: true });
  try {
    const blocks = await compare(store, keys, { counts: true, signal: over.signal, maxBytes: SHORT_OUTPUT });
    if (blocks === null) return null;
    let listed = 0;
    const answers: FileChange[][] = [];
    for (const pair of pairs) {
      const block = blocks.get(keyOf(pair));
      listed += Math.min(block?.changes.length ?? 0, pair.only?.length ?? Number.POSITIVE_INFINITY);
      if (block === undefined || listed > MOST_LISTED) return null;
      answers.push(fileChanges(block, pair.only));
    }
    return answers;
  } catch (thrown) {
    if (thrown instanceof TurnbackError) return null;
    throw thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', give);
  }
}

/**
 * What each pair of trees changes, with the line counts of `git diff --numstat`. One process compares many pairs. A pair whose trees,
 * folders or files are missing, or that differ in more files than any step changes, gives its reason; the others are not touched by it.
 * Order as in `pairs`. `patienceMs`: how much time may be lost to files whose lines take too long to count; then they have no counts.
 */
export async function changesOf(
  store: SnapshotStore,
  pairs: readonly Pair[],
  signal?: AbortSignal,
  patienceMs = PATIENCE,
): Promise<(FileChange[] | Reason)[]> {
  const early = await changesInAMoment(store, pairs, signal);
  if (early !== null) return early;
  const weights = await weighPairs(store, pairs, signal);
  let listed = 0;
  const answers = pairs.map((pair): Reason | null => {
    const weight = weights.get(keyOf(pair)) ?? reason('TREE_MISSING', { tree: pair.to });
    if (typeof weight !== 'number') return weight;
    listed += Math.min(weight, pair.only?.length ?? weight);
    return listed > MOST_LISTED ? reason('TREE_TOO_LARGE', { tree: pair.from, other: pair.to, together: MOST_LISTED }) : null;
  });
  const changes = answers.map((answer): FileChange[] | Reason => answer ?? []);
  const open = new Map<string, number[]>();
  for (const [at, pair] of pairs.entries()) {
    const key = keyOf(pair);
    // What differs in nothing is answered.
    if (answers[at] === null && weights.get(key) !== 0) put(open, key, at);
  }
  const patience = { left: patienceMs, atOnce: patienceMs / 2 };
  for (const lot of inLots([...open.keys()], weights)) {
    const blocks = await compareEach(store, lot, patience, signal);
    for (const [key, at] of lot.flatMap((one) => (open.get(one) ?? []).map((index) => [one, index] as const))) {
      const [block, pair] = [blocks.get(key), pairs[at]];
      changes[at] = block && pair ? fileChanges(block, pair.only) : reason('TREE_MISSING', { tree: key.slice(key.indexOf(' ') + 1) });
    }
  }
  return changes;
}
