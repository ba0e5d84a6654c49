import type { FileHandle } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { openRegular } from '../snapshots/regular-file.ts';
import type { BytePattern } from './byte-pattern.ts';
import { logError } from './log-lines.ts';
import type { OnBytes } from './source.ts';

/** A piece of a file that belongs to something. */
export interface ScanPlace<T> {
  offset: number;
  length: number;
  of: T;
}

/** Looking through this much takes a millisecond or two. */
const WINDOW = 512 << 10;
/** Pieces that lie nearer to each other are read at once. */
const GAP = 64 << 10;

interface Window<T> {
  offset: number;
  end: number;
  places: ScanPlace<T>[];
}

function windowsOf<T>(places: readonly ScanPlace<T>[]): Window<T>[] {
  const windows: Window<T>[] = [];
  let last: Window<T> | null = null;
  for (const place of [...places].sort((a, b) => a.offset - b.offset)) {
    const end = place.offset + place.length;
    if (last !== null && place.offset - last.end < GAP && end - last.offset <= WINDOW) {
      last.places.push(place);
      last.end = Math.max(last.end, end);
      continue;
    }
    last = { offset: place.offset, end, places: [place] };
    windows.push(last);
  }
  return windows;
}

function* found<T>(window: Window<T>, bytes: Buffer, pattern: BytePattern): Generator<T> {
  const search = pattern.search(bytes);
  let at = search.next(0);
  for (const { offset, length, of } of window.places) {
    const [begin, end] = [offset - window.offset, offset - window.offset + length];
    if (at >= 0 && at < begin) at = search.next(begin);
    if (at < 0) return;
    if (at < end) yield of;
  }
}

/**
 * What the pieces of a file belong to whose bytes may hold a word, in the order of the file. Several pieces may be the same
 * bytes. Other work gets its turn after each window. Throws NOT_FOUND, LOG_UNREADABLE, CANCELLED.
 */
export async function* scanPlaces<T>(
  file: string,
  places: readonly ScanPlace<T>[],
  pattern: BytePattern,
  signal?: AbortSignal,
  onBytes?: OnBytes,
): AsyncGenerator<T> {
  const windows = windowsOf(places);
  const total = windows.reduce((sum, { offset, end }) => sum + end - offset, 0);
  let handle: FileHandle | null = null;
  try {
    handle = await openRegular(file);
    let done = 0;
    for (const window of windows) {
      const length = window.end - window.offset;
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, window.offset);
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
      yield* found(window, buffer.subarray(0, bytesRead), pattern);
      done += length;
      onBytes?.(done, total);
      await breathe();
    }
  } catch (error) {
    throw logError(file, error);
  } finally {
    await handle?.close();
  }
}
