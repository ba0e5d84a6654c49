import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnbackError } from '../../../shared/errors.ts';
import { isSameUpTo, type LogPlace } from '../log-lines.ts';
import type { LogRecord } from '../source.ts';

/** The batch as a line of the store. */
function lineOf(batch: readonly LogRecord[]): Buffer {
  try {
    return Buffer.from(`${JSON.stringify(batch)}\n`);
  } catch (error) {
    throw new TurnbackError('LOG_UNWRITABLE', { path: 'The batch', cause: String(error) }, { cause: error });
  }
}

/** True while the file ends exactly at the place, with a whole line. */
async function endsAt(handle: FileHandle, place: LogPlace): Promise<boolean> {
  const stat = await handle.stat();
  return !place.open && stat.size === place.offset && (await isSameUpTo(handle, place, `${stat.dev}:${stat.ino}`, stat.size));
}

/** True while nobody appended to the file since it was read up to the place. */
export async function isUnmoved(file: string, place: LogPlace): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    return await endsAt(handle, place);
  } finally {
    await handle.close();
  }
}

/** Takes our own bytes away again when they are the very end of the file, and it rests. False when somebody wrote behind them. */
async function takeBack(handle: FileHandle, ours: Buffer): Promise<boolean> {
  const before = (await handle.stat()).size;
  await sleep(50);
  const { size } = await handle.stat();
  if (size !== before || size < ours.length) return false;
  const { buffer } = await handle.read(Buffer.alloc(ours.length), 0, ours.length, size - ours.length);
  if (!buffer.equals(ours)) return false;
  await handle.truncate(size - ours.length);
  await handle.sync();
  return true;
}

/**
 * Appends one batch behind the place: one write of one line, synced, then read back (`formats/tanstack.md`, safe outside
 * revert). Throws LOG_MOVED when the file does not end there any more, LOG_UNWRITABLE when the disk refuses; the file is
 * then as it was.
 */
export async function appendLine(file: string, place: LogPlace, batch: readonly LogRecord[]): Promise<void> {
  const line = lineOf(batch);
  const handle = await open(file, 'a+');
  try {
    if (!(await endsAt(handle, place))) throw new TurnbackError('LOG_MOVED');
    const { bytesWritten } = await handle.write(line);
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(line.length), 0, line.length, place.offset);
    if (bytesWritten === line.length && size === place.offset + line.length && buffer.equals(line)) {
      await handle.sync();
      return;
    }
    const short = bytesWritten < line.length;
    const back = await takeBack(handle, line.subarray(0, bytesWritten));
    if (back && !short) throw new TurnbackError('LOG_MOVED');
    throw new TurnbackError('LOG_UNWRITABLE', {
      path: file,
      cause: short ? 'only a part could be written' : 'somebody wrote at the same moment',
    });
  } catch (error) {
    if (error instanceof TurnbackError) throw error;
    throw new TurnbackError(
      'LOG_UNWRITABLE',
      { path: file, cause: error instanceof Error ? error.message : String(error) },
      { cause: error },
    );
  } finally {
    await handle.close();
  }
}
