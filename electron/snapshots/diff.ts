import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { FileChange } from '../../shared/model.ts';
import { type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import { emptyTree, formatOfId } from './object-id.ts';
import type { TreeEntry } from './objects.ts';
import type { SnapshotStore } from './store.ts';

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
}

/** Pairs that one process compares; a failure costs at most a second look at these. */
const PAIRS_A_PROCESS = 256;
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
function parseBlocks(output: Buffer, idLength: number): Map<string, Block> {
  const blocks = new Map<string, Block>();
  let block: Block = { changes: [], counts: new Map() };
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
      block = { changes: [], counts: new Map() };
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
  const wanted = only === null ? null : new Set(only);
  return block.changes
    .filter(({ path }) => wanted === null || wanted.has(path))
    .map((change) => {
      // Git counts nothing where only the mode changed.
      const { added, removed } = block.counts.get(change.path) ?? { added: 0, removed: 0 };
      return { path: change.path, change: changeOf(change), added, removed, binary: added === null };
    });
}

/** Which of the ids are trees that the store has. */
async function treesAmong(store: SnapshotStore, ids: readonly string[], signal: AbortSignal | undefined): Promise<Set<string>> {
  const stdin = Buffer.from(ids.map((id) => `${id}\n`).join(''));
  const { stdout } = await store.git.run({ name: 'cat-file', args: ['cat-file', '--batch-check'], gitDir: store.gitDir, stdin, signal });
  const found = new Set([emptyTree(store.format)]);
  for (const line of stdout.toString('latin1').split('\n')) {
    const [id, type] = line.split(' ');
    if (id !== undefined && type === 'tree') found.add(id);
  }
  return found;
}

/** The code with which git gives up on an object that it cannot read. */
const UNREADABLE = 128;

/** Compares pairs in one process; a pair whose tree is missing has no block. Null when a folder or file below one is missing or broken. */
async function compare(
  store: SnapshotStore,
  keys: readonly string[],
  o: { counts: boolean; signal: AbortSignal | undefined },
): Promise<Map<string, Block> | null> {
  const { exit, stdout } = await store.git.run({
    name: 'diff-tree',
    args: ['diff-tree', '--stdin', ...FLAGS, ...(o.counts ? ['--numstat'] : [])],
    gitDir: store.gitDir,
    stdin: Buffer.from(keys.map((key) => `${key}\n`).join('')),
    okExits: [0, UNREADABLE],
    maxBytes: MAX_OUTPUT,
    signal: o.signal,
  });
  return exit === 0 ? parseBlocks(stdout, store.format === 'sha1' ? 40 : 64) : null;
}

/** The same, but a pair that cannot be compared does not take the others with it: the halves are tried alone. */
async function compareEach(store: SnapshotStore, keys: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, Block>> {
  const blocks = await compare(store, keys, { counts: true, signal });
  if (blocks !== null) return blocks;
  if (keys.length <= 1) return new Map();
  const middle = Math.ceil(keys.length / 2);
  const first = await compareEach(store, keys.slice(0, middle), signal);
  return new Map([...first, ...(await compareEach(store, keys.slice(middle), signal))]);
}

/** The difference of two trees, renames off, in git's order. Throws TREE_MISSING. */
export async function rawChanges(store: SnapshotStore, from: string, to: string, signal?: AbortSignal): Promise<RawChange[]> {
  for (const tree of [from, to]) if (formatOfId(tree) !== store.format) throw new TurnbackError('TREE_MISSING', { tree });
  const key = `${from} ${to}`;
  const [there, compared] = await Promise.allSettled([
    treesAmong(store, [from, to], signal),
    compare(store, [key], { counts: false, signal }),
  ]);
  if (there.status === 'rejected') throw there.reason;
  const missing = [from, to].find((tree) => !there.value.has(tree));
  if (missing !== undefined) throw new TurnbackError('TREE_MISSING', { tree: missing });
  if (compared.status === 'rejected') throw compared.reason;
  const block = compared.value?.get(key);
  if (block === undefined) throw new TurnbackError('TREE_MISSING', { tree: to });
  return block.changes;
}

/** An id that is no tree of this store, or null when both may be. */
function unfit(store: SnapshotStore, { from, to }: Pair): Reason | null {
  if (from === '' || to === '') return reason('TREE_EMPTY');
  const odd = [from, to].find((id) => formatOfId(id) !== store.format);
  return odd === undefined ? null : reason('TREE_MISSING', { tree: odd });
}

/**
 * What each pair of trees changes, with the line counts of `git diff --numstat`. One process compares many pairs. A pair
 * whose trees, folders or files are missing gives its reason; the others are not touched by it. Order as in `pairs`.
 */
export async function changesOf(store: SnapshotStore, pairs: readonly Pair[], signal?: AbortSignal): Promise<(FileChange[] | Reason)[]> {
  const reasons = pairs.map((pair) => unfit(store, pair));
  const fit = pairs.filter((_, index) => reasons[index] === null);
  const ids = [...new Set(fit.flatMap(({ from, to }) => [from, to]))];
  const there = ids.length === 0 ? new Set<string>() : await treesAmong(store, ids, signal);
  const keys = [...new Set(fit.filter(({ from, to }) => there.has(from) && there.has(to)).map(({ from, to }) => `${from} ${to}`))];
  const blocks = new Map<string, Block>();
  for (let at = 0; at < keys.length; at += PAIRS_A_PROCESS) {
    for (const [key, block] of await compareEach(store, keys.slice(at, at + PAIRS_A_PROCESS), signal)) blocks.set(key, block);
  }
  return pairs.map((pair, index) => {
    const why = reasons[index];
    if (why != null) return why;
    const block = blocks.get(`${pair.from} ${pair.to}`);
    if (block !== undefined) return fileChanges(block, pair.only);
    return reason('TREE_MISSING', { tree: there.has(pair.from) ? pair.to : pair.from });
  });
}
