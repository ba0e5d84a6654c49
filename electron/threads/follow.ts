import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

/** How often the files are looked at when the system reports nothing (network disks, Windows). */
const POLL_MS = 800;
/** Appends come in bursts; one look a burst is enough. */
const SETTLE_MS = 40;

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
 * on Windows not even one on their folder. The result ends it.
 */
export function follow(files: () => readonly string[], onChange: () => void): () => void {
  let ended = false;
  let last: string | null = null;
  let looking = false;
  let again = false;
  let settle: NodeJS.Timeout | null = null;
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
    if (changed) onChange();
    if (again) {
      again = false;
      void look();
    }
  };
  const soon = (): void => {
    if (settle) clearTimeout(settle);
    settle = setTimeout(() => void look(), SETTLE_MS);
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
    if (settle) clearTimeout(settle);
    for (const watcher of watchers) watcher.close();
  };
}
