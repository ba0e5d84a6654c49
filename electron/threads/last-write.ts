import { stat } from 'node:fs/promises';

/** A store that was written within this time is in use; milliseconds. */
export const MOVING_MS = 5_000;

/** When any of the files was last written; null when none is there. */
export async function lastWriteOf(files: readonly string[]): Promise<number | null> {
  let last: number | null = null;
  for (const file of files) {
    try {
      last = Math.max(last ?? 0, (await stat(file)).mtimeMs);
    } catch {
      // No such file: a log that is not there was not written.
    }
  }
  return last;
}

/** Words for a store that was written just now; null when it was not. */
export function writtenNow(last: number | null, now: number): string | null {
  if (last === null || Math.abs(now - last) >= MOVING_MS) return null;
  return `its store was written ${Math.max(0, Math.round((now - last) / 1000))} s ago`;
}
