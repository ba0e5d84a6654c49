import type { FileDiff } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';

export type DiffEntry =
  | { phase: 'none' | 'loading'; anyway: boolean }
  | { phase: 'ready'; diff: FileDiff; anyway: boolean }
  | { phase: 'failed'; error: Reason; anyway: boolean };

/** Loads the files of one selection, newest wish first. A loader is dropped with its selection, so late answers reach nobody. */
export interface DiffLoader {
  entry(path: string): DiffEntry;
  /** Asks for a file; `anyway` also for one over the size limit. Asking again for what is here or on its way changes nothing. */
  want(path: string, anyway?: boolean): void;
  /** Takes the wish back: a request that has not started is dropped, an answer on its way is not kept. */
  unwant(path: string): void;
  subscribe(path: string, listener: () => void): () => void;
  drop(): void;
}

const NOTHING: DiffEntry = { phase: 'none', anyway: false };
/** Characters of text that are kept; the oldest files that nobody looks at go first. */
const MOST_KEPT = 24_000_000;

const sizeOf = (entry: DiffEntry): number =>
  entry.phase === 'ready' ? (entry.diff.before?.text?.length ?? 0) + (entry.diff.after?.text?.length ?? 0) : 0;

export interface LoaderOptions {
  fetch(path: string, anyway: boolean): Promise<FileDiff>;
  /** What is here already, without asking. */
  known?(path: string): FileDiff | null;
  reasonOf(thrown: unknown): Reason;
  /** Requests at once. */
  limit?: number;
}

export function createDiffLoader({ fetch, known, reasonOf, limit = 3 }: LoaderOptions): DiffLoader {
  const entries = new Map<string, DiffEntry>();
  const listeners = new Map<string, Set<() => void>>();
  const queue: string[] = [];
  let running = 0;
  let kept = 0;
  let dropped = false;

  const put = (path: string, entry: DiffEntry | null): void => {
    kept -= sizeOf(entries.get(path) ?? NOTHING);
    entries.delete(path);
    if (entry !== null) entries.set(path, entry);
    kept += entry === null ? 0 : sizeOf(entry);
    for (const listener of listeners.get(path) ?? []) listener();
  };
  const trim = (): void => {
    for (const [path, entry] of entries) {
      if (kept <= MOST_KEPT) return;
      if (entry.phase !== 'ready' || (listeners.get(path)?.size ?? 0) > 0) continue;
      put(path, null);
    }
  };
  const load = async (path: string, wish: DiffEntry): Promise<void> => {
    let entry: DiffEntry;
    try {
      entry = { phase: 'ready', diff: await fetch(path, wish.anyway), anyway: wish.anyway };
    } catch (thrown) {
      entry = { phase: 'failed', error: reasonOf(thrown), anyway: wish.anyway };
    }
    running -= 1;
    if (dropped) return;
    if (entries.get(path) === wish) put(path, entry);
    trim();
    next();
  };
  const next = (): void => {
    while (running < limit) {
      const path = queue.pop();
      if (path === undefined) return;
      const wish = entries.get(path);
      if (wish === undefined || wish.phase !== 'loading') continue;
      running += 1;
      void load(path, wish);
    }
  };
  return {
    entry(path) {
      const entry = entries.get(path);
      const diff = entry === undefined ? known?.(path) : null;
      if (diff == null) return entry ?? NOTHING;
      const ready: DiffEntry = { phase: 'ready', diff, anyway: false };
      entries.set(path, ready);
      kept += sizeOf(ready);
      return ready;
    },
    want(path, anyway = false) {
      const old = entries.get(path);
      if (old !== undefined && old.phase !== 'failed' && (old.anyway || !anyway)) return;
      put(path, { phase: 'loading', anyway });
      queue.push(path);
      next();
    },
    unwant(path) {
      if (entries.get(path)?.phase === 'loading') put(path, null);
    },
    subscribe(path, listener) {
      const set = listeners.get(path) ?? new Set();
      listeners.set(path, set);
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(path);
      };
    },
    drop() {
      dropped = true;
      queue.length = 0;
    },
  };
}
