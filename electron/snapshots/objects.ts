import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { BatchProcess } from './batch-process.ts';
import { emptyTree, formatOfId } from './object-id.ts';
import { latin1OfPath, pathOfLatin1 } from './path-bytes.ts';
import type { SnapshotStore } from './store.ts';
import { parseTree, type TreeLine } from './tree-object.ts';

/** A file, link or submodule in a tree. */
export interface TreeEntry {
  mode: '100644' | '100755' | '120000' | '160000';
  oid: string;
}

type Tree = ReadonlyMap<string, TreeLine>;

/** Largest blob that is read at once, when the caller sets no limit. */
const MAX_BLOB = 512 * 1024 * 1024;
/** Largest tree object; a folder of a million files is about 40 MB. */
const MAX_TREE = 256 * 1024 * 1024;
/** Lines of parsed trees that are kept. */
const CACHED_LINES = 400_000;
/** Most files of one snapshot. Folders that repeat each other can name far more than any disk holds. */
const MAX_ENTRIES = 2_000_000;
const MAX_DEPTH = 4096;

/** The lines of a folder that was read before. */
function linesOf(folders: ReadonlyMap<string, Tree>, oid: string): MapIterator<TreeLine> {
  return (folders.get(oid) ?? new Map<string, TreeLine>()).values();
}

/**
 * Reads objects through one kept process each for contents and for facts. Ids that are not of the store's format, and
 * objects of another type, count as missing. Everything that is missing throws TREE_MISSING.
 */
export class ObjectReader {
  readonly store: SnapshotStore;
  readonly #contents: BatchProcess;
  readonly #facts: BatchProcess;
  readonly #empty: string;
  readonly #cache = new Map<string, Tree>();
  readonly #coming = new Map<string, Promise<Tree | null>>();
  readonly #counts = new Map<string, number>();
  #lines = 0;

  constructor(store: SnapshotStore) {
    this.store = store;
    this.#empty = emptyTree(store.format);
    const batch = (args: readonly string[]) => () =>
      store.git.start({ name: 'cat-file', args: ['cat-file', ...args], gitDir: store.gitDir });
    this.#contents = new BatchProcess(batch(['--batch']), true);
    this.#facts = new BatchProcess(batch(['--batch-check']), false);
  }

  /** Type and size in bytes, null when the store does not have it. */
  async info(oid: string): Promise<{ type: string; size: number } | null> {
    if (formatOfId(oid) !== this.store.format) return null;
    const answer = await this.#facts.ask(oid, 0);
    return answer && { type: answer.type, size: answer.size };
  }

  /** The bytes of a blob. Throws TOO_LARGE above `maxBytes` (default 512 MiB). */
  async blob(oid: string, maxBytes = MAX_BLOB): Promise<Buffer> {
    const answer = formatOfId(oid) === this.store.format ? await this.#contents.ask(oid, maxBytes) : null;
    if (answer?.type !== 'blob') throw new TurnbackError('TREE_MISSING', { tree: oid });
    return answer.content;
  }

  /** True when the store has this tree; the empty tree is always there. Its folders and files may still be missing. */
  async hasTree(tree: string): Promise<boolean> {
    return tree === this.#empty || (await this.info(tree))?.type === 'tree';
  }

  /** What stands at the path, null when nothing or a folder does. */
  async entry(tree: string, path: TreePath): Promise<TreeEntry | null> {
    const parts = latin1OfPath(path).split('/');
    let at = tree;
    for (const [depth, part] of parts.entries()) {
      const line = (await this.#tree(at, tree)).get(part);
      if (line === undefined) return null;
      if (line.mode !== '40000') return depth === parts.length - 1 ? { mode: line.mode, oid: line.oid } : null;
      at = line.oid;
    }
    return null;
  }

  /** Every file of the tree, in git's order. Throws TREE_TOO_LARGE above two million files, before one of them is listed. */
  async entries(tree: string): Promise<Map<TreePath, TreeEntry>> {
    const folders = await this.#folders(tree);
    if (this.#countIn(folders, tree) > MAX_ENTRIES) throw new TurnbackError('TREE_TOO_LARGE', { tree, count: MAX_ENTRIES });
    const found = new Map<TreePath, TreeEntry>();
    const stack = [{ prefix: '', lines: linesOf(folders, tree) }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.lines.next();
      if (next.done) stack.pop();
      else if (next.value.mode === '40000') {
        if (stack.length > MAX_DEPTH) throw new TurnbackError('TREE_TOO_LARGE', { tree, count: MAX_ENTRIES });
        stack.push({ prefix: `${top.prefix}${next.value.name}/`, lines: linesOf(folders, next.value.oid) });
      } else {
        found.set(pathOfLatin1(top.prefix + next.value.name), { mode: next.value.mode, oid: next.value.oid });
      }
    }
    return found;
  }

  /** How many files the tree holds; cheap for folders that were counted before. */
  async count(tree: string): Promise<number> {
    return this.#counts.get(tree) ?? this.#countIn(await this.#folders(tree), tree);
  }

  #countIn(folders: ReadonlyMap<string, Tree>, tree: string): number {
    const stack = [tree];
    let sum = 0;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      sum = 0;
      const missing: string[] = [];
      for (const line of linesOf(folders, top)) {
        const inner = line.mode === '40000' ? this.#counts.get(line.oid) : 1;
        if (inner === undefined) missing.push(line.oid);
        else sum = Math.min(sum + inner, Number.MAX_SAFE_INTEGER);
      }
      if (missing.length > 0) stack.push(...new Set(missing));
      else {
        this.#counts.set(top, sum);
        stack.pop();
      }
    }
    // The tree itself was counted last.
    return sum;
  }

  /** The bytes of a tree object. Throws TOO_LARGE above `maxBytes` (default 256 MiB). */
  async raw(tree: string, maxBytes = MAX_TREE): Promise<Buffer> {
    if (tree === this.#empty) return Buffer.alloc(0);
    const answer = formatOfId(tree) === this.store.format ? await this.#contents.ask(tree, maxBytes) : null;
    if (answer?.type !== 'tree') throw new TurnbackError('TREE_MISSING', { tree });
    return answer.content;
  }

  /** The lines of one folder by its id, name bytes as latin1; for building a changed tree. */
  async lines(tree: string): Promise<TreeLine[]> {
    return [...(await this.#tree(tree, tree)).values()];
  }

  /** For a call that was cancelled: whoever waits for a git that says nothing is told CANCELLED; one that answers goes on. */
  async leaveSilent(): Promise<void> {
    await Promise.all([this.#contents.leaveSilent(), this.#facts.leaveSilent()]);
  }

  /** Ends both processes. Questions that are open are rejected as cancelled. */
  async close(): Promise<void> {
    await Promise.all([this.#contents.close(), this.#facts.close()]);
  }

  /** All folders below a tree by id, each once; asked a level at a time. */
  async #folders(tree: string): Promise<Map<string, Tree>> {
    const folders = new Map<string, Tree>();
    let level = [tree];
    let lines = 0;
    while (level.length > 0) {
      const trees = await Promise.all(level.map(async (oid) => [oid, await this.#tree(oid, tree)] as const));
      const next = new Set<string>();
      for (const [oid, parsed] of trees) {
        folders.set(oid, parsed);
        lines += parsed.size;
        for (const line of parsed.values()) if (line.mode === '40000' && !folders.has(line.oid)) next.add(line.oid);
      }
      if (lines > MAX_ENTRIES * 2) throw new TurnbackError('TREE_TOO_LARGE', { tree, count: MAX_ENTRIES });
      level = [...next].filter((oid) => !folders.has(oid));
    }
    return folders;
  }

  async #tree(oid: string, root: string): Promise<Tree> {
    const cached = this.#cache.get(oid);
    if (cached !== undefined) {
      this.#cache.delete(oid);
      this.#cache.set(oid, cached);
      return cached;
    }
    let coming = this.#coming.get(oid);
    if (coming === undefined) {
      coming = this.#fetch(oid).finally(() => this.#coming.delete(oid));
      this.#coming.set(oid, coming);
    }
    const tree = await coming;
    if (tree === null) throw new TurnbackError('TREE_MISSING', { tree: root });
    return tree;
  }

  async #fetch(oid: string): Promise<Tree | null> {
    if (oid === this.#empty) return new Map();
    if (formatOfId(oid) !== this.store.format) return null;
    const answer = await this.#contents.ask(oid, MAX_TREE);
    const lines = answer?.type === 'tree' ? parseTree(answer.content, this.store.format) : null;
    if (lines === null) return null;
    const tree = new Map<string, TreeLine>();
    // Git takes the first of two lines with one name.
    for (const line of lines) if (!tree.has(line.name)) tree.set(line.name, line);
    this.#keep(oid, tree);
    return tree;
  }

  #keep(oid: string, tree: Tree): void {
    this.#cache.set(oid, tree);
    this.#lines += tree.size;
    for (const [oldest, dropped] of this.#cache) {
      if (this.#lines <= CACHED_LINES || oldest === oid) break;
      this.#cache.delete(oldest);
      this.#lines -= dropped.size;
    }
  }
}
