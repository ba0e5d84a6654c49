import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { cutRecords } from './cut-log.ts';
import { Lease } from './lease.ts';
import { type LogEntry, LogFile } from './log-file.ts';
import { ownFiles } from './own-files.ts';
import type { LogRecord } from './records.ts';

/** A log that is open for its one writer. */
export interface ThreadLog {
  /** Absolute path of the file. */
  readonly path: string;
  /** Position of the last record that was read or written. */
  readonly seq: number;
  /** What others appended since the last read; everything at first. */
  read(): Promise<LogEntry[]>;
  /**
   * Appends one batch at the position after the last that was read: all of it or nothing. Throws LOG_MOVED when the file ends elsewhere,
   * RECORDING_LOST when another writer took over. Durable when it resolves; returns the records as a reader gets them.
   */
  append(batch: readonly LogRecord[]): Promise<LogEntry[]>;
  close(): Promise<void>;
}

export interface LogStore {
  /** The records of a log after a position; empty when there is no such log. */
  read(o: { logId: string; after?: number }): Promise<LogEntry[]>;
  /** Takes the log for writing. Throws RECORDING_HELD while another process writes it. */
  open(o: { logId: string }): Promise<ThreadLog>;
}

/** The id of a thread's log; leave out `tenantId` for the default tenant. Opaque. */
export function logIdOf(o: { tenantId?: string | undefined; logId: string }): string {
  return o.tenantId === undefined ? o.logId : `${o.tenantId}\0${o.logId}`;
}

function encoded(name: string, id: string): string {
  if (id === '' || id.includes('\0') || !id.isWellFormed())
    throw new TurnbackError('BAD_OPTION', { name, cause: 'it must be plain text and not empty' });
  const word = encodeURIComponent(id);
  if (word.length > 200) throw new TurnbackError('BAD_OPTION', { name, cause: 'it is too long for the name of a file' });
  return /^\.+$/.test(word) ? word.replaceAll('.', '%2E') : word;
}

/**
 * Where a log is below the save folder: `sessions/<encodeURIComponent(threadId)>.jsonl` as the harness's own file store has it
 * (formats/tanstack.md 1.3). Another tenant's logs are below `tenants/<encodeURIComponent(tenantId)>/`, a save folder of the same form.
 */
export function logPath(folder: string, logId: string): string {
  const parts = logId.split('\0');
  const threadId = parts.at(-1) ?? '';
  const base = parts.length > 1 ? path.join(folder, 'tenants', encoded('tenantId', parts.slice(0, -1).join('\0'))) : folder;
  return path.join(base, 'sessions', `${encoded('threadId', threadId)}.jsonl`);
}

class OwnedLog implements ThreadLog {
  readonly #file: LogFile;
  readonly #lease: Lease;
  readonly #threadId: string;
  readonly #cutAbove: number;
  #mended = false;

  constructor(file: LogFile, lease: Lease, o: { threadId: string; cutAbove: number }) {
    this.#file = file;
    this.#lease = lease;
    this.#threadId = o.threadId;
    this.#cutAbove = o.cutAbove;
  }

  get path(): string {
    return this.#file.file;
  }

  get seq(): number {
    return this.#file.seq;
  }

  async read(): Promise<LogEntry[]> {
    const entries = await this.#file.read();
    if (this.#mended) return entries;
    // What a writer before us left unfinished can only be told from one that still writes while we hold the lease, so once is enough.
    await this.#lease.check(true);
    this.#mended = true;
    return [...entries, ...(await this.#file.mend())];
  }

  async append(batch: readonly LogRecord[]): Promise<LogEntry[]> {
    await this.#lease.check(true);
    return this.#file.append(batch);
  }

  async close(): Promise<void> {
    try {
      if (this.#file.seq > this.#cutAbove) await this.#cut();
    } finally {
      await this.#lease.release();
    }
  }

  async #cut(): Promise<void> {
    await this.#lease.check(true);
    const entries = await new LogFile(this.#file.file).read();
    await this.#file.read();
    const records = cutRecords(
      this.#threadId,
      entries.map(({ record }) => record),
      Date.now(),
    );
    if (records !== null) await this.#file.replace(records);
  }
}

export interface JsonlLogOptions {
  /** The save folder, absolute. */
  folder: string;
  /** Milliseconds after which a silent owner of a log may be followed by another; default 30 s. */
  leaseTtl?: number;
  /**
   * `since-snapshot`: when a session closes, older history is cut from a log that has grown (see `cutRecords`); default `all`. At least the
   * last 500 steps stay, so undo, redo, revert and unrevert work as before.
   */
  keepLogRecords?: 'all' | 'since-snapshot';
  /** How many records a log may have before it is cut; default 5000. */
  cutAbove?: number;
}

/** Logs as JSONL files in the harness's own form: one line is one batch. */
export function jsonlLog(options: JsonlLogOptions): LogStore {
  if (!path.isAbsolute(options.folder)) throw new TurnbackError('BAD_OPTION', { name: 'folder', cause: 'it must be an absolute path' });
  return {
    async read({ logId, after = 0 }) {
      const entries = await new LogFile(logPath(options.folder, logId)).read();
      return entries.filter((entry) => entry.seq > after);
    },
    async open({ logId }) {
      const file = logPath(options.folder, logId);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const threadId = logId.split('\0').at(-1) ?? '';
      const ttl = options.leaseTtl === undefined ? {} : { ttl: options.leaseTtl };
      const lease = await Lease.take(ownFiles, file, { what: `The thread ${threadId}`, ...ttl });
      const cutAbove = options.keepLogRecords === 'since-snapshot' ? (options.cutAbove ?? 5000) : Number.POSITIVE_INFINITY;
      return new OwnedLog(new LogFile(file), lease, { threadId, cutAbove });
    },
  };
}
