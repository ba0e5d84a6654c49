import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf, TurnbackError } from '../../shared/errors.ts';
import type { Problem, ThreadHead } from '../../shared/model.ts';
import type { Git } from '../snapshots/git.ts';
import { Memory, type Remembered } from './memory.ts';
import type { Listing, OnBytes, OpenOptions, Places, Preview, Source, ThreadReader } from './source.ts';
import { sources } from './sources.ts';

/** What the user named for a thread whose log does not say it. */
export interface Named {
  root?: string | null;
  data?: string | null;
  /** There is a way to another side. */
  via?: boolean;
}

/** How a thread is opened: what ends it, and what is told meanwhile. */
export interface Opening {
  signal?: AbortSignal | undefined;
  /** Nobody sees it opened: it is not remembered. */
  unseen?: boolean;
  onBytes?: OnBytes | undefined;
  /** The end of a large log, before the rest is read; the reader gives the bodies of its messages. */
  onPreview?: ((reader: ThreadReader, preview: Preview) => void) | undefined;
}

/** Which threads exist: in the known places, at a path, and those opened before. */
export class Catalog {
  readonly #places: Places;
  readonly #ownData: string;
  readonly #memory: Memory;
  readonly #sources: readonly Source[];

  readonly #folders: () => Promise<readonly string[]>;

  /** `folders`: more places in which threads are looked for. */
  constructor(options: {
    places: Places;
    ownData: string;
    sources?: readonly Source[];
    folders?: (() => Promise<readonly string[]>) | undefined;
  }) {
    this.#folders = options.folders ?? (async () => []);
    this.#places = options.places;
    this.#ownData = options.ownData;
    this.#memory = new Memory(options.ownData);
    this.#sources = options.sources ?? sources;
  }

  /** The threads in the known places and those opened by path before, newest first. One broken store never hides the others. */
  async list(): Promise<Listing> {
    const threads: ThreadHead[] = [];
    const problems: Problem[] = [];
    await Promise.all(
      this.#sources.map(async (source) => {
        try {
          const found = await source.list(this.#places);
          threads.push(...found.threads);
          problems.push(...found.problems);
        } catch (thrown) {
          problems.push({ path: source.kind, message: thrown instanceof Error ? thrown.message : String(thrown) });
        }
      }),
    );
    for (const folder of await this.#folders()) await this.#listFolder(folder, threads, problems);
    const known = await this.#memory.all();
    const listed = new Set(threads.map(keyOf));
    for (const { source, log, threadId } of known) {
      if (listed.has(keyOf({ log, threadId }))) continue;
      const again = await this.#again(source, log, threadId);
      if (again) threads.push(again);
    }
    const once = [...new Map(threads.map((head) => [keyOf(head), head])).values()];
    const heads = await withRoots(withMemory(unique(once, known), known));
    return { threads: heads.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0)), problems };
  }

  /** The threads of a folder that the user added to the known places. */
  async #listFolder(folder: string, threads: ThreadHead[], problems: Problem[]): Promise<void> {
    try {
      if ((await statOrNull(folder)) === null) throw new TurnbackError('NOT_FOUND', { path: folder });
      for (const source of this.#sources) threads.push(...(await source.locate(folder, this.#places)));
    } catch (thrown) {
      problems.push({ path: folder, message: reasonOf(thrown).message });
    }
  }

  /** Keeps what was counted in a thread when all of it was read, for the list. */
  async count(head: ThreadHead, counted: { turns: number; files: number | null }): Promise<void> {
    const known = await this.#memory.of(head.id);
    if (known) await this.#memory.keep({ ...known, counted: { mark: markOf(head), ...counted } });
  }

  /** The threads at a path: a log, a store, or a workspace. NOT_FOUND, LOG_EMPTY or NOT_A_LOG say why there are none. */
  async locate(named: string): Promise<ThreadHead[]> {
    const { file, wanted } = await splitPath(named);
    const found = await statOrNull(file);
    if (found === null) throw new TurnbackError('NOT_FOUND', { path: file });
    for (const source of this.#sources) {
      const heads = unique(await source.locate(file, this.#places), await this.#memory.all());
      if (heads.length === 0) continue;
      if (wanted === null) return heads;
      const one = heads.find((head) => head.threadId === wanted || head.id === wanted);
      if (one) return [one];
    }
    if (found.isDirectory()) {
      const root = await realpath(file);
      const here = (await this.list()).threads.filter((head) => head.root !== null && path.resolve(head.root) === root);
      if (here.length > 0) return here;
      throw new TurnbackError('NOT_A_LOG', { path: file, cause: 'it is a folder in which no thread was found' });
    }
    if (found.size === 0) throw new TurnbackError('LOG_EMPTY', { path: file });
    throw new TurnbackError('NOT_A_LOG', { path: file, cause: 'it has no record of a form that is known' });
  }

  /** The one thread that an id or a path names; AMBIGUOUS lists the ids when a path holds several. */
  async find(idOrPath: string): Promise<ThreadHead> {
    const known = await this.#memory.of(idOrPath);
    const remembered = known && (await this.#again(known.source, known.log, known.threadId));
    if (remembered) return { ...remembered, id: idOrPath };
    const isId = this.#sources.some((source) => idOrPath.startsWith(`${source.kind}:`));
    if (!isId && (await statOrNull((await splitPath(idOrPath)).file))) return only(idOrPath, await this.locate(idOrPath));
    const { threads } = await this.list();
    const byId = threads.find((head) => head.id === idOrPath);
    if (byId) return byId;
    const byThread = threads.filter((head) => head.threadId === idOrPath);
    if (byThread.length > 0) return only(idOrPath, byThread);
    if (!isId && looksLikePath(idOrPath)) throw new TurnbackError('NOT_FOUND', { path: idOrPath });
    throw new TurnbackError('UNKNOWN_THREAD', { id: idOrPath });
  }

  /** Opens a reader on a thread and reads it once. What the user named is remembered for the next time. */
  async open(head: ThreadHead, named: Named = {}, opening: Opening = {}): Promise<ThreadReader> {
    const before = await this.#memory.of(head.id);
    const root = (await workspaceNamed(absolute(named.root), head.root)) ?? before?.root ?? null;
    const data = absolute(named.data) ?? before?.data ?? null;
    const reader = await this.#reader(head, { root, data, via: named.via ?? false, wordsOnly: opening.unseen ?? false });
    const { signal, onBytes, onPreview } = opening;
    try {
      const preview = onPreview === undefined ? null : ((await reader.preview?.(signal)) ?? null);
      if (preview !== null) onPreview?.(reader, preview);
      await reader.read(signal, onBytes);
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
    } catch (thrown) {
      await reader.close();
      throw thrown;
    }
    if (opening.unseen !== true)
      await this.#memory.keep({ id: head.id, source: head.source, log: head.log, threadId: head.threadId, root, data });
    return reader;
  }

  /** Names a folder as the workspace of threads, for this and every later time. NO_WORKSPACE when it is no folder. */
  async relocate(ids: readonly string[], named: string): Promise<void> {
    const root = path.resolve(named);
    const found = await statOrNull(root);
    if (!found?.isDirectory()) throw new TurnbackError('NO_WORKSPACE', { path: root });
    for (const id of ids) {
      const { source, log, threadId } = await this.find(id);
      const data = (await this.#memory.of(id))?.data ?? null;
      await this.#memory.keep({ id, source, log, threadId, root, data });
    }
  }

  /** Those of some threads that may hold every one of the words, as far as the bytes of their logs tell. */
  async mayHold(heads: readonly ThreadHead[], words: readonly string[], signal?: AbortSignal): Promise<ThreadHead[]> {
    const [first] = heads;
    const source = this.#sources.find((one) => one.kind === first?.source);
    const held = first === undefined ? false : ((await source?.mayHold?.(first.log, words, signal)) ?? true);
    return typeof held === 'boolean' ? (held ? [...heads] : []) : heads.filter(({ threadId }) => held.has(threadId));
  }

  /** What is remembered of a thread; null when it was never opened. */
  remembered(id: string): Promise<Remembered | null> {
    return this.#memory.of(id);
  }

  /** The same by what the user calls it: its id, or the path of its log where that held no other thread. */
  async rememberedAs(idOrPath: string): Promise<Remembered | null> {
    const [file, threadId] = idOrPath.split('#');
    const log = path.resolve(file ?? '');
    const all = await this.#memory.all();
    const byPath = all.filter((one) => one.log === log && (threadId === undefined || one.threadId === threadId));
    return all.find(({ id }) => id === idOrPath) ?? (byPath.length === 1 ? (byPath[0] ?? null) : null);
  }

  /** Was the log of a thread that was opened before removed? One whose folder is not there, either, may lie on a disk that is away. */
  async isGone(id: string): Promise<boolean> {
    const known = await this.#memory.of(id);
    if (known === null || (await statOrNull(known.log)) !== null) return false;
    return (await statOrNull(path.dirname(known.log))) !== null;
  }

  /** Forgets where a thread was found, what the user named for it, and what its source keeps of it in our data folder. */
  async forget(id: string, o: { git: Git; log: string | null }): Promise<void> {
    const known = await this.#memory.of(id);
    const source = this.#sources.find(({ kind }) => id.startsWith(`${kind}:`));
    const log = o.log ?? known?.log ?? null;
    if (log !== null) await source?.forget?.({ git: o.git, ownData: this.#ownData, log, now: Date.now() });
    await this.#memory.forget(id);
  }

  /** A reader on a thread that nobody opened, for a look; nothing is remembered. */
  async peek(head: ThreadHead): Promise<ThreadReader> {
    const before = await this.#memory.of(head.id);
    const reader = await this.#reader(head, { root: before?.root ?? null, data: before?.data ?? null, via: false });
    try {
      await reader.read();
      return reader;
    } catch (thrown) {
      await reader.close();
      throw thrown;
    }
  }

  #reader(head: ThreadHead, named: Pick<OpenOptions, 'root' | 'data' | 'via' | 'wordsOnly'>): Promise<ThreadReader> {
    const source = this.#sources.find((one) => one.kind === head.source);
    if (!source) throw new TurnbackError('NOT_SUPPORTED', { what: `Opening a ${head.source} thread` });
    return source.open(head, { ...named, places: this.#places, ownData: this.#ownData });
  }

  async #again(kind: string, log: string, threadId: string): Promise<ThreadHead | null> {
    const source = this.#sources.find((one) => one.kind === kind);
    if (!source || (await statOrNull(log)) === null) return null;
    try {
      if (source.head) return await source.head(log, threadId, this.#places);
      return (await source.locate(log, this.#places)).find((head) => head.threadId === threadId) ?? null;
    } catch {
      // A log that was readable once and is not now: opening it by its path says why.
      return null;
    }
  }
}

const keyOf = ({ log, threadId }: { log: string; threadId: string }): string => `${log}\0${threadId}`;

/** The state of a log that a count is true of. All sessions of OpenCode share one file, so there its size says nothing. */
const markOf = ({ source, size, updatedAt }: ThreadHead): string => `${source === 'opencode' ? '' : size} ${updatedAt}`;

/** The workspace that the user named, and what was counted when a log was read that has not changed since. */
function withMemory(heads: readonly ThreadHead[], known: readonly Remembered[]): ThreadHead[] {
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  return heads.map((head) => {
    const one = byKey.get(keyOf(head));
    const counted = one?.counted?.mark === markOf(head) ? one.counted : null;
    const counts = counted === null ? {} : { turns: counted.turns, files: counted.files };
    return { ...head, root: one?.root ?? head.root, ...counts };
  });
}

/** Marks the threads whose workspace folder is not there. */
async function withRoots(heads: readonly ThreadHead[]): Promise<ThreadHead[]> {
  const gone = new Map<string, boolean>();
  for (const { root } of heads) {
    if (root === null || gone.has(root)) continue;
    gone.set(
      root,
      await stat(root).then(
        (found) => !found.isDirectory(),
        () => true,
      ),
    );
  }
  return heads.map((head) => (head.root !== null && gone.get(head.root) ? { ...head, rootGone: true } : head));
}

const absolute = (named: string | null | undefined): string | null => (named ? path.resolve(named) : null);

/**
 * The workspace that the user named for a thread. A folder of the one that the log names is a way to name that one: its trees cover
 * all of it (case C-04).
 */
async function workspaceNamed(named: string | null, own: string | null): Promise<string | null> {
  if (named === null || own === null) return named;
  const [inner, outer] = await Promise.all([named, own].map((folder) => realpath(folder).catch(() => null)));
  if (inner == null || outer == null) return named;
  return inner === outer || inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep) ? own : named;
}

const looksLikePath = (text: string): boolean => text.includes('/') || text.includes('\\') || text.startsWith('.');

/** `store.db#thread` names one thread of a store; a file that really has the `#` in its name wins. */
async function splitPath(named: string): Promise<{ file: string; wanted: string | null }> {
  const at = named.lastIndexOf('#');
  if (at <= 0 || (await statOrNull(path.resolve(named)))) return { file: path.resolve(named), wanted: null };
  return { file: path.resolve(named.slice(0, at)), wanted: named.slice(at + 1) || null };
}

function only(named: string, heads: readonly ThreadHead[]): ThreadHead {
  const roots = heads.filter((head) => head.parent === null);
  const one = roots.length === 1 ? roots[0] : heads.length === 1 ? heads[0] : undefined;
  if (one) return one;
  const ids = (roots.length > 0 ? roots : heads).map((head) => head.id);
  throw new TurnbackError('AMBIGUOUS', { path: named, count: ids.length, ids: ids.slice(0, 10).join(', ') });
}

/**
 * Two stores may hold the same thread id. A thread keeps the id it was opened under; of the others all but the first by path
 * get a suffix, so that an id names one thread.
 */
function unique(heads: readonly ThreadHead[], known: readonly Remembered[]): ThreadHead[] {
  const ids = new Map(known.map((thread) => [keyOf(thread), thread.id]));
  const taken = new Set(ids.values());
  return [...heads]
    .sort((a, b) => (a.log < b.log ? -1 : a.log > b.log ? 1 : 0))
    .map((head) => {
      const before = ids.get(keyOf(head));
      if (before !== undefined) return { ...head, id: before };
      const id = taken.has(head.id) ? `${head.id}~${createHash('sha256').update(head.log).digest('hex').slice(0, 8)}` : head.id;
      taken.add(id);
      return { ...head, id };
    });
}

async function statOrNull(file: string): Promise<Awaited<ReturnType<typeof stat>> | null> {
  try {
    return await stat(file);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')) return null;
    throw new TurnbackError('LOG_UNREADABLE', { path: file, cause: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}
