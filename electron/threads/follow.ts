import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

/** How often the files are looked at when the system reports nothing (network disks, Windows). */
const POLL_MS = 800;
/** Appends come in bursts: the first is looked at at once, those that follow it not more often than this. */
const BURST_MS = 200;

const lookAt = async (files: readonly string[]): Promise<string> => {
  const marks = await Promise.all(
    files.map(async (file) => {
      try {
        const found = await stat(file);
        return `${found.ino}:${found.size}:${found.mtimeMs}`;
      } catch {
        // A log that is gone for a moment (a rewrite by its owner) is a change like any other.
        return 'gone';
      }
    }),
  );
  return marks.join('|');
};

/**
 * Calls back whenever one of the files changed its size, time or identity. Holds no lock and no handle on the files;
 * on Windows not even one on their folder. `rest` says how many milliseconds there must be between two calls. The result ends it.
 */
export function follow(files: () => readonly string[], onChange: () => void, rest: () => number = () => 0): () => void {
  let ended = false;
  let last: string | null = null;
  let looking = false;
  let again = false;
  let coming: NodeJS.Timeout | null = null;
  let telling: NodeJS.Timeout | null = null;
  let changedAt = Number.NEGATIVE_INFINITY;
  let toldAt = 0;
  const tell = (): void => {
    telling = null;
    toldAt = performance.now();
    onChange();
  };
  /** Changes during a rest are told of once, at its end. */
  const changedNow = (): void => {
    const wait = toldAt === 0 ? 0 : toldAt + rest() - performance.now();
    if (wait <= 0 && telling === null) tell();
    else telling ??= setTimeout(tell, wait);
  };
  const look = async (): Promise<void> => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    const mark = await lookAt(files());
    looking = false;
    if (ended) return;
    const changed = last !== null && mark !== last;
    last = mark;
    if (changed) {
      changedAt = performance.now();
      changedNow();
    }
    if (again) {
      again = false;
      void look();
    }
  };
  const soon = (): void => {
    if (coming !== null) return;
    // A look that found nothing, as the poll's, does not hold back the one that will.
    const since = performance.now() - changedAt;
    if (since > BURST_MS) void look();
    coming = setTimeout(
      () => {
        coming = null;
        void look();
      },
      since > BURST_MS ? BURST_MS : BURST_MS - since,
    );
  };
  const watchers: FSWatcher[] = [];
  if (process.platform !== 'win32') {
    for (const folder of new Set(files().map((file) => path.dirname(file)))) {
      try {
        const watcher = watch(folder, { persistent: false }, soon);
        watcher.on('error', () => watcher.close());
        watchers.push(watcher);
      } catch {
        // No watch here (limit reached, odd file system): the poll sees it a moment later.
      }
    }
  }
  const poll = setInterval(() => void look(), POLL_MS);
  poll.unref();
  void look();
  return () => {
    ended = true;
    clearInterval(poll);
    for (const timer of [coming, telling]) if (timer !== null) clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
