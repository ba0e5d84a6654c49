import { type FileHandle, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { syncFolder, writeDurably } from '../snapshots/durable.ts';
import type { LogRecord } from './records.ts';

/** A record with its place in the log, counted from 1 over all lines (formats/tanstack.md 1.3). */
export interface LogEntry {
  seq: number;
  record: LogRecord;
}

const NEWLINE = 0x0a;

/** The batch in one line. */
function batchOf(line: Buffer, file: string, number: number): LogRecord[] | null {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
  const whole = Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && typeof item.type === 'string');
  if (!whole) throw new TurnbackError('NOT_A_LOG', { path: file, cause: `line ${number} is not a batch of records` });
  return value as LogRecord[];
}

/** A JSONL log, read from where the last read ended. One line is one batch; only a last line may be torn. */
export class LogFile {
  readonly file: string;
  /** Bytes that were read and understood; an append may only go there. */
  #end = 0;
  #lines = 0;
  #seq = 0;
  #made = false;

  constructor(file: string) {
    this.file = file;
  }

  /** Position of the last record that was read. */
  get seq(): number {
    return this.#seq;
  }

  /** What was appended since the last read. Throws LOG_BAD_LINE for a line that is no batch, LOG_MOVED when the file shrank. */
  async read(): Promise<LogEntry[]> {
    const handle = await this.#open('r');
    if (handle === null) return [];
    try {
      const bytes = await readFrom(handle, this.#end, this.file);
      return this.#take(bytes);
    } finally {
      await handle.close();
    }
  }

  /**
   * Ends a last line that is whole, and cuts one that is not, as the harness does: its batch counts as not written. Only for the
   * one writer of the log, right after a read. Returns what it gave back to the log.
   */
  async mend(): Promise<LogEntry[]> {
    const handle = await this.#open('r+');
    if (handle === null) return [];
    try {
      const rest = await readFrom(handle, this.#end, this.file);
      if (rest.length === 0) return [];
      const whole = !rest.includes(NEWLINE) && batchOf(rest, this.file, this.#lines + 1) !== null;
      if (whole) await handle.write('\n', this.#end + rest.length);
      else await handle.truncate(this.#end);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return this.read();
  }

  /**
   * Appends one batch as one line if the file still ends where the last read did, else throws LOG_MOVED. Durable when it resolves.
   * Returns the records as a reader will get them.
   */
  async append(batch: readonly LogRecord[]): Promise<LogEntry[]> {
    if (batch.length === 0) return [];
    const text = JSON.stringify(batch);
    const line = Buffer.from(`${text}\n`);
    const handle = await open(this.file, 'a', 0o600);
    try {
      if ((await handle.stat()).size !== this.#end) throw new TurnbackError('LOG_MOVED');
      try {
        await handle.appendFile(line);
        await handle.sync();
      } catch (error) {
        // A full disk may leave part of the line; no reader takes it for a batch, but the next line must not grow onto it.
        if ((await handle.stat()).size > this.#end) await handle.truncate(this.#end);
        throw new TurnbackError('LOG_UNWRITABLE', { path: this.file, cause: (error as Error).message }, { cause: error });
      }
      if ((await handle.stat()).size !== this.#end + line.length) throw new TurnbackError('LOG_MOVED');
    } finally {
      await handle.close();
    }
    if (!this.#made) await syncFolder(path.dirname(this.file));
    this.#made = true;
    this.#end += line.length;
    this.#lines += 1;
    return (JSON.parse(text) as LogRecord[]).map((record) => ({ seq: ++this.#seq, record }));
  }

  /**
   * Puts other records in the place of all, in one line, or throws and leaves the file as it was. Only for the one writer, right after a
   * read. Positions count from 1 again.
   */
  async replace(records: readonly LogRecord[]): Promise<void> {
    if ((await stat(this.file)).size !== this.#end) throw new TurnbackError('LOG_MOVED');
    const line = `${JSON.stringify(records)}\n`;
    await writeDurably(this.file, line);
    this.#end = Buffer.byteLength(line);
    this.#lines = 1;
    this.#seq = records.length;
  }

  #take(bytes: Buffer): LogEntry[] {
    const entries: LogEntry[] = [];
    for (let at = 0; at < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, at);
      const last = newline < 0 || newline === bytes.length - 1;
      const line = bytes.subarray(at, newline < 0 ? bytes.length : newline);
      const batch = line.length === 0 ? [] : newline < 0 ? null : batchOf(line, this.file, this.#lines + 1);
      if (batch === null) {
        if (!last) throw new TurnbackError('LOG_BAD_LINE', { line: this.#lines + 1 });
        break;
      }
      for (const record of batch) entries.push({ seq: ++this.#seq, record });
      this.#lines += 1;
      this.#end += newline + 1 - at;
      at = newline + 1;
    }
    return entries;
  }

  async #open(flags: 'r' | 'r+'): Promise<FileHandle | null> {
    try {
      return await open(this.file, flags);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new TurnbackError('LOG_UNREADABLE', { path: this.file, cause: (error as Error).message }, { cause: error });
    }
  }
}

async function readFrom(handle: FileHandle, start: number, file: string): Promise<Buffer> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new TurnbackError('LOG_UNREADABLE', { path: file, cause: 'it is no file' });
  const { size } = stat;
  if (size < start) throw new TurnbackError('LOG_MOVED');
  const bytes = Buffer.alloc(size - start);
  let read = 0;
  while (read < bytes.length) {
    const { bytesRead } = await handle.read(bytes, read, bytes.length - read, start + read);
    if (bytesRead === 0) throw new TurnbackError('LOG_UNREADABLE', { path: file, cause: 'it became shorter while it was read' });
    read += bytesRead;
  }
  return bytes;
}
