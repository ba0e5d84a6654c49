import { realpath, stat } from 'node:fs/promises';
import type { Thread, ThreadHead } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { grows } from './growth.ts';
import type { ThreadReader } from './source.ts';

/** The threads that are known, and a look into one that nobody opened. */
interface Others {
  list(): Promise<{ threads: ThreadHead[] }>;
  peek(head: ThreadHead): Promise<ThreadReader>;
}

/** Threads of one folder that are looked into for a file's other writer: the newest. */
const MOST_THREADS = 12;
/** Logs beyond this size are not read for that alone. */
const MOST_BYTES = 64 * 1024 * 1024;
/** An agent that works writes at least this often. */
const AT_WORK_MS = 30_000;
/** A list of all threads is good for as long: previews come many a second. */
const LIST_MS = 5_000;

/** The name of a thread in a sentence. */
function nameOf({ title, threadId }: ThreadHead): string {
  const words = (title ?? threadId).replace(/[\s\p{C}]+/gu, ' ').trim();
  return `“${words.length > 60 ? `${words.slice(0, 59)}…` : words}”`;
}

/** When a log was written last; 0 for one that is gone. */
const timeOf = (log: string): Promise<number> =>
  stat(log).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** Every path that the tools of a thread say they wrote. */
function writtenIn(thread: Thread): Set<TreePath> {
  const calls = thread.messages.flatMap((message) => message.tools.filter((call) => call.status !== 'failed'));
  return new Set([...calls.flatMap((call) => call.wrote ?? []), ...thread.steps.flatMap((step) => step.listed ?? [])]);
}

/** Other threads that work in the same folder (case C-07): what they wrote, and whether one is at it now. Only reads. */
export class Neighbours {
  readonly #others: Others;
  /** What a thread wrote, as long as its log is the same. */
  readonly #written = new Map<string, { mark: string; paths: ReadonlySet<TreePath> }>();
  #listed: { at: number; threads: Promise<ThreadHead[]> } | null = null;

  constructor(others: Others) {
    this.#others = others;
  }

  #threads(fresh: boolean): Promise<ThreadHead[]> {
    const now = performance.now();
    if (fresh || this.#listed === null || now - this.#listed.at > LIST_MS) {
      this.#listed = { at: now, threads: this.#others.list().then(({ threads }) => threads) };
    }
    return this.#listed.threads;
  }

  /** The other threads of the folder, newest first. */
  async #of(own: ThreadHead, root: string, fresh: boolean): Promise<ThreadHead[]> {
    const threads = await this.#threads(fresh);
    const here: ThreadHead[] = [];
    const real = new Map<string, string>();
    for (const head of threads) {
      if (head.root === null || (head.log === own.log && head.threadId === own.threadId)) continue;
      // A folder that is gone is not the one that we stand in.
      const folder = real.get(head.root) ?? (await realpath(head.root).catch(() => ''));
      real.set(head.root, folder);
      if (folder === root) here.push(head);
    }
    return here.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
  }

  /** Words for which other thread wrote the paths, where one says so. */
  async wrote(own: ThreadHead, root: string, paths: readonly TreePath[]): Promise<Map<TreePath, string>> {
    const words = new Map<TreePath, string>();
    for (const head of (await this.#of(own, root, false)).slice(0, MOST_THREADS)) {
      const written = await this.#writtenBy(head);
      for (const path of paths) {
        if (written.has(path) && !words.has(path)) words.set(path, `The thread ${nameOf(head)} changed it, too.`);
      }
    }
    return words;
  }

  async #writtenBy(head: ThreadHead): Promise<ReadonlySet<TreePath>> {
    if ((head.size ?? 0) > MOST_BYTES) return new Set();
    const mark = `${head.updatedAt}:${head.size}`;
    const known = this.#written.get(head.id);
    if (known?.mark === mark) return known.paths;
    const paths = await this.#look(head);
    this.#written.set(head.id, { mark, paths });
    return paths;
  }

  async #look(head: ThreadHead): Promise<ReadonlySet<TreePath>> {
    try {
      const reader = await this.#others.peek(head);
      try {
        return writtenIn(reader.thread());
      } finally {
        await reader.close();
      }
    } catch {
      // Who else wrote a file is good to know; a log that cannot be read says so where it is opened.
      return new Set();
    }
  }

  /** The name of a thread that is being written right now: its agent is at work in the folder. Null when there is none. `fresh`: list anew. */
  async atWork(own: ThreadHead, root: string, fresh: boolean): Promise<string | null> {
    const threads = await this.#of(own, root, fresh);
    for (const head of threads) {
      if (head.log === own.log || head.updatedAt === null) continue;
      // A log of its own tells by its time what the list may not know yet; a store of many threads does not.
      const shared = threads.some((other) => other !== head && other.log === head.log);
      const moved = shared ? head.updatedAt : Math.max(head.updatedAt, await timeOf(head.log));
      if (Math.abs(Date.now() - moved) <= AT_WORK_MS && (await grows([head.log, `${head.log}-wal`]))) return nameOf(head);
    }
    return null;
  }
}
