import { constants } from 'node:fs';
import { access, type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { constants as zlib, zstdCompressSync } from 'node:zlib';
import { causeOf, TurnbackError } from '../../../shared/errors.ts';
import type { RecallBatch } from '../source.ts';
import type { DshEvent } from './dsh-event.ts';
import type { Generation } from './dsh-layout.ts';
import { type DshLog, readLog } from './dsh-log.ts';
import { validateLog } from './validator.ts';

/** Windows has no O_NOFOLLOW; what is undefined adds nothing to the flags. */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;

const lineOf = ({ line: _line, ...event }: DshEvent): string => `${JSON.stringify(event)}\n`;

/** The bytes that one append batch adds: lines, or one checksummed frame of them (formats/dsh.md, encoding). */
function bytesOf(events: readonly DshEvent[], zstd: boolean): Buffer {
  const lines = Buffer.from(events.map(lineOf).join(''));
  return zstd ? zstdCompressSync(lines, { params: { [zlib.ZSTD_c_checksumFlag]: 1, [zlib.ZSTD_c_contentSizeFlag]: 0 } }) : lines;
}

const identityOf = async (file: string): Promise<string> => {
  const found = await stat(file, { bigint: true });
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
};

function refuseInvalid(log: DshLog | null): asserts log is DshLog {
  if (log === null) throw new TurnbackError('LOG_INVALID', { seq: 0, cause: 'it has no header' });
  if (log.stopped) throw new TurnbackError('LOG_STOPPED', { line: log.stopped.line, cause: log.stopped.why });
  if (log.tornBytes > 0) throw new TurnbackError('LOG_TORN', { bytes: log.tornBytes });
  const broken = validateLog(log.header, log.events);
  if (broken) throw new TurnbackError('LOG_INVALID', { seq: broken.seq, cause: broken.message });
}

/**
 * The bytes that would add events to a log, the log validated in memory before and after. Writes nothing. `build` gives the events
 * for the log as it stands on disk now, and may throw. Throws LOG_TORN, LOG_STOPPED or LOG_INVALID for a log that is not whole.
 */
export async function prepareAppend({ file, zstd }: Generation, build: (log: DshLog) => readonly DshEvent[]): Promise<RecallBatch> {
  const before = await readFile(file);
  const log = readLog(before, zstd);
  refuseInvalid(log);
  const bytes = bytesOf(build(log), zstd);
  refuseInvalid(readLog(Buffer.concat([before, bytes]), zstd));
  return { length: before.length, bytes };
}

/** How much of a prepared batch stands at its place in the file; `other` when something else does. */
export function heldOf(file: Buffer, { length, bytes }: RecallBatch): 'none' | 'part' | 'all' | 'other' {
  if (file.length < length) return 'other';
  const tail = file.subarray(length);
  if (tail.length === 0) return 'none';
  if (tail.length < bytes.length) return bytes.subarray(0, tail.length).equals(tail) ? 'part' : 'other';
  return tail.subarray(0, bytes.length).equals(bytes) ? 'all' : 'other';
}

/**
 * Appends a prepared batch to a log that no process has open, or what is missing of it after a crash: the whole log is validated
 * with it once more, the file's identity compared, then one write with O_APPEND and fsync, and the file is read back. On any
 * failure the file ends where it ended before. The bytes before it are never touched. LOG_MOVED when somebody else wrote.
 */
export async function appendPrepared({ file, zstd }: Generation, batch: RecallBatch): Promise<void> {
  const identity = await identityOf(file);
  const there = await readFile(file);
  const held = heldOf(there, batch);
  if (held === 'all') return;
  if (held === 'other') throw new TurnbackError('LOG_MOVED');
  refuseInvalid(readLog(Buffer.concat([there.subarray(0, batch.length), batch.bytes]), zstd));
  if ((await identityOf(file)) !== identity) throw new TurnbackError('LOG_MOVED');
  const handle = await open(file, APPENDING);
  try {
    await writeRest(handle, batch, there.length);
    const after = await readFile(file);
    if (after.subarray(0, there.length).equals(there) && heldOf(after, batch) === 'all') return;
    // Somebody wrote between the last look and ours: what we added behind it would fork the numbering, so it goes again.
    const rest = batch.bytes.subarray(there.length - batch.length);
    if (after.subarray(-rest.length).equals(rest)) await handle.truncate(after.length - rest.length);
    await handle.sync();
    throw new TurnbackError('LOG_MOVED');
  } finally {
    await handle.close();
  }
}

async function writeRest(handle: FileHandle, batch: RecallBatch, length: number): Promise<void> {
  const rest = batch.bytes.subarray(length - batch.length);
  try {
    const { bytesWritten } = await handle.write(rest);
    if (bytesWritten !== rest.length) throw new Error(`only ${bytesWritten} of ${rest.length} bytes were written`);
    await handle.sync();
  } catch (thrown) {
    await takeOff(handle, batch);
    throw new TurnbackError('WRITE_FAILED', { path: 'the session log', cause: causeOf(thrown) });
  }
}

/** Half a record would be read as damage: the log gets back exactly the end it had, unless it holds anything that is not ours. */
async function takeOff(handle: FileHandle, batch: RecallBatch): Promise<void> {
  const { size } = await handle.stat();
  const tail = Buffer.alloc(Math.max(0, size - batch.length));
  if (tail.length === 0 || tail.length > batch.bytes.length) return;
  const { bytesRead } = await handle.read(tail, 0, tail.length, batch.length);
  if (bytesRead !== tail.length || !batch.bytes.subarray(0, tail.length).equals(tail)) return;
  await handle.truncate(batch.length);
  await handle.sync();
}

/** Takes an unfinished piece of a batch off the end of the file; anything else stays. */
export async function withdrawPart({ file }: Generation, batch: RecallBatch): Promise<void> {
  if (heldOf(await readFile(file), batch) !== 'part') return;
  const handle = await open(file, APPENDING);
  try {
    await takeOff(handle, batch);
  } finally {
    await handle.close();
  }
}

/** Why the file may not be written to; null when it may. */
export async function notWritable(file: string): Promise<string | null> {
  try {
    await access(file, constants.W_OK);
    return null;
  } catch (thrown) {
    return causeOf(thrown);
  }
}
