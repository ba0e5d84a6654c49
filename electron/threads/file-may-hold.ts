import type { FileHandle } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { openRegular } from '../snapshots/regular-file.ts';
import { BytePattern } from './byte-pattern.ts';
import { logError } from './log-lines.ts';

const WINDOW = 512 << 10;
/** A word that lies across two windows is whole in one of them: the longest takes less, written with escapes. */
const OVERLAP = 64 << 10;

/**
 * May the texts of a log hold every one of the words? Looks at the bytes only, so true may turn out wrong and false does not.
 * Throws NOT_FOUND, LOG_UNREADABLE, CANCELLED.
 */
export async function fileMayHold(file: string, words: readonly string[], signal?: AbortSignal): Promise<boolean> {
  let missing = words.map((word) => new BytePattern([word]));
  let handle: FileHandle | null = null;
  try {
    handle = await openRegular(file);
    const { size } = await handle.stat();
    for (let at = 0; at < size && missing.length > 0; at += WINDOW) {
      const length = Math.min(WINDOW + OVERLAP, size - at);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
      const bytes = buffer.subarray(0, bytesRead);
      missing = missing.filter((pattern) => !pattern.inBytes(bytes));
      await breathe();
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
    }
    return missing.length === 0;
  } catch (error) {
    throw logError(file, error);
  } finally {
    await handle?.close();
  }
}
