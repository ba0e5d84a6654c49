import { constants, type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnbackError } from '../../../shared/errors.ts';
import { openRegular } from '../../snapshots/regular-file.ts';
import { isSameUpTo, type LogPlace } from '../log-lines.ts';
import type { LogRecord } from '../source.ts';

const TRIES = 40;
const REST_MS = 30;

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
  const handle = await openRegular(file);
  try {
    return await endsAt(handle, place);
  } finally {
    await handle.close();
  }
}

async function holds(handle: FileHandle, bytes: Buffer, offset: number): Promise<boolean> {
  if (offset < 0) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, offset);
  return bytesRead === bytes.length && buffer.equals(bytes);
}

/**
 * Takes our own bytes away again once they are the very end of the file and it rests. Another one who wrote at the same
 * moment may take his away first, so this is tried for a while. False when somebody's bytes stay behind ours.
 */
async function takeBack(handle: FileHandle, ours: Buffer): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { size } = await handle.stat();
    await sleep(REST_MS);
    if ((await handle.stat()).size !== size || !(await holds(handle, ours, size - ours.length))) continue;
    await handle.truncate(size - ours.length);
    await handle.sync();
    return true;
  }
  return false;
}

/** A line that the disk does not promise to keep is no record: it goes again, as long as nobody wrote behind it. */
async function syncOrTakeBack(handle: FileHandle, line: Buffer): Promise<void> {
  try {
    await handle.sync();
  } catch (thrown) {
    await takeBack(handle, line);
    throw thrown;
  }
}

/**
 * Appends one batch behind the place: one write of one line, synced, then read back (`formats/tanstack.md`, safe outside
 * revert). Throws LOG_MOVED when the file does not end there any more, LOG_UNWRITABLE when the disk refuses; the file then
 * has nothing of the batch.
 */
export async function appendLine(file: string, place: LogPlace, batch: readonly LogRecord[]): Promise<void> {
  const line = lineOf(batch);
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, constants.O_RDWR | constants.O_APPEND);
    if (!(await endsAt(handle, place))) throw new TurnbackError('LOG_MOVED');
    const { bytesWritten } = await handle.write(line);
    // At its place it counts, whatever another one wrote behind it.
    if (bytesWritten === line.length && (await holds(handle, line, place.offset))) {
      await syncOrTakeBack(handle, line);
      return;
    }
    const back = await takeBack(handle, line.subarray(0, bytesWritten));
    if (back && bytesWritten === line.length) throw new TurnbackError('LOG_MOVED');
    const cause = back ? 'the disk took only a part of it' : 'another program wrote at the same moment, and a record of ours stays behind';
    throw new TurnbackError('LOG_UNWRITABLE', { path: file, cause });
  } catch (error) {
    if (error instanceof TurnbackError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new TurnbackError('LOG_UNWRITABLE', { path: file, cause }, { cause: error });
  } finally {
    await handle?.close();
  }
}

/**
 * Takes the beginning of the batch's line off the end of the file, where a crash in the middle of its append left one. Only what is
 * certainly ours goes: bytes at its place that its line begins with, up to the very end of the file, and fewer than the whole line.
 */
export async function withdrawPiece(
  file: string,
  place: Pick<LogPlace, 'identity' | 'offset'>,
  batch: readonly LogRecord[],
): Promise<void> {
  const line = lineOf(batch);
  const handle = await open(file, constants.O_RDWR);
  try {
    const stat = await handle.stat();
    const left = stat.size - place.offset;
    if (`${stat.dev}:${stat.ino}` !== place.identity || left <= 0 || left >= line.length) return;
    if (!(await holds(handle, line.subarray(0, left), place.offset)) || (await handle.stat()).size !== stat.size) return;
    await handle.truncate(place.offset);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
