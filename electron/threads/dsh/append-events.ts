import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { constants as zlib, zstdCompressSync } from 'node:zlib';
import { TurnbackError } from '../../../shared/errors.ts';
import type { DshEvent } from './dsh-event.ts';
import type { Generation } from './dsh-layout.ts';
import { type DshLog, readLog } from './dsh-log.ts';
import { validateLog } from './validator.ts';

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
 * Appends events to a log that no process has open: validates the log before and after in memory, compares the file's identity,
 * writes once with O_APPEND, fsyncs, and reads it back. On any failure the file ends where it ended before. The bytes before the
 * append are never touched. `build` gives the events for the log as it stands now; LOG_MOVED when somebody wrote in between.
 */
export async function appendEvents(generation: Generation, build: (log: DshLog) => readonly DshEvent[]): Promise<void> {
  const { file, zstd } = generation;
  const identity = await identityOf(file);
  const before = await readFile(file);
  const log = readLog(before, zstd);
  refuseInvalid(log);
  const added = bytesOf(build(log), zstd);
  refuseInvalid(readLog(Buffer.concat([before, added]), zstd));
  if ((await identityOf(file)) !== identity) throw new TurnbackError('LOG_MOVED');
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  try {
    await writeOnce(handle, added, before.length);
  } finally {
    await handle.close();
  }
  const after = await readFile(file);
  if (!after.subarray(0, before.length).equals(before) || !after.subarray(before.length).equals(added))
    throw new TurnbackError('LOG_MOVED');
}

async function writeOnce(handle: FileHandle, added: Buffer, length: number): Promise<void> {
  try {
    const { bytesWritten } = await handle.write(added);
    if (bytesWritten !== added.length) throw new Error(`only ${bytesWritten} of ${added.length} bytes were written`);
    await handle.sync();
  } catch (thrown) {
    // Half a record would be read as damage: the log gets back exactly the end it had, unless it holds more than what is ours.
    if ((await handle.stat()).size <= length + added.length) await handle.truncate(length);
    await handle.sync();
    throw new TurnbackError('WRITE_FAILED', { path: 'the session log', cause: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}
