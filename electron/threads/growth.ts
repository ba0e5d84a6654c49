import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Files that rest longer than this are not looked at a second time. */
const RESTING_MS = 10_000;
/** Agents write at least this often while they work: DSH batches live events for 200 ms, others write as they go. */
const LOOK_MS = 900;
const EVERY_MS = 100;

/** Size and time of each file, as one text; a file that is not there is part of it. */
async function markOf(files: readonly string[]): Promise<{ mark: string; newest: number }> {
  let newest = 0;
  const marks = await Promise.all(
    files.map(async (file) => {
      try {
        const found = await stat(file, { bigint: true });
        newest = Math.max(newest, Number(found.mtimeMs));
        return `${found.ino}:${found.size}:${found.mtimeNs}`;
      } catch {
        return 'none';
      }
    }),
  );
  return { mark: marks.join('|'), newest };
}

/**
 * Do these files grow right now? A fresh time alone says little: a log that was copied or just ended has one too. So a fresh file is
 * watched for a moment (under a second), a resting one answers at once.
 */
export async function grows(files: readonly string[], signal?: AbortSignal): Promise<boolean> {
  const first = await markOf(files);
  if (Math.abs(Date.now() - first.newest) > RESTING_MS) return false;
  for (let waited = 0; waited < LOOK_MS; waited += EVERY_MS) {
    await sleep(EVERY_MS, undefined, signal ? { signal } : {});
    if ((await markOf(files)).mark !== first.mark) return true;
  }
  return false;
}
