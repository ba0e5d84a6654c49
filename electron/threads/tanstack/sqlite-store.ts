import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Reason, reason, TurnbackError } from '../../../shared/errors.ts';
import type { LogRecord } from '../source.ts';
import { loadSqlite, withSqliteCopy } from '../sqlite-copy.ts';
import type { ThreadMetadata } from './metadata.ts';
import { SqliteLog } from './sqlite-log.ts';
import { sqliteSigns } from './sqlite-signs.ts';
import { quoted, rowsOf } from './sqlite-tables.ts';
import type { TanstackStore } from './store.ts';

const BUSY_MS = 5000;

/** A thread in the SQLite layout. */
export class SqliteStore implements TanstackStore {
  readonly input: SqliteLog;
  readonly writable = true;
  readonly #threadId: string;
  readonly #tmpDir: string;

  constructor(options: { path: string; logId: string; threadId: string; tmpDir: string }) {
    this.input = new SqliteLog(options);
    this.#threadId = options.threadId;
    this.#tmpDir = options.tmpDir;
  }

  get metadata(): ThreadMetadata {
    return this.input.metadata;
  }

  get root(): string | null {
    return this.input.roots.get(this.#threadId) ?? this.input.roots.get(this.input.logId) ?? null;
  }

  get interrupts(): ReadonlyMap<string, string | null> | null {
    const { interrupts } = this.input.signs;
    return interrupts === null ? null : (interrupts.get(this.#threadId) ?? new Map());
  }

  get leased(): boolean {
    return this.input.signs.busy.some((sign) => sign.threadId === this.#threadId && sign.until > Date.now());
  }

  get snapshotFolders(): string[] {
    const folder = path.dirname(this.input.path);
    return [path.join(folder, 'snapshot', 'tanstack'), path.join(folder, 'snapshots'), path.join(folder, 'snapshot')];
  }

  async prepare(): Promise<void> {
    // All of it lies in the database and comes with the log.
  }

  watch(): string[] {
    return [this.input.path, `${this.input.path}-wal`];
  }

  async liveSign(root: string | null): Promise<string | null> {
    const prefix = this.input.store?.prefix ?? '';
    const { busy, last } = await withSqliteCopy(this.input.path, this.#tmpDir, (db) => ({
      busy: sqliteSigns(db, prefix).busy,
      last: this.#lastIn(db),
    }));
    const now = Date.now();
    const sign = busy.find((one) => one.until > now && this.#concerns(one.threadId, root));
    if (sign) {
      // A lease may be one that never ends: then its number is no time that a calendar has.
      const until = new Date(sign.until);
      return `${sign.what} in the thread ${sign.threadId}${Number.isNaN(until.getTime()) ? '' : `, until ${until.toISOString()}`}`;
    }
    return last !== this.input.last ? 'the log grows' : null;
  }

  /** Another thread counts when it works in the same folder, or nobody knows where. */
  #concerns(threadId: string, root: string | null): boolean {
    if (threadId === this.#threadId || threadId === this.input.logId) return true;
    const theirs = this.input.roots.get(threadId);
    return theirs === undefined || root === null || path.resolve(theirs) === path.resolve(root);
  }

  #table(): string {
    return quoted(`${this.input.store?.prefix ?? ''}tanstack_log`);
  }

  #lastIn(db: DatabaseSync): number {
    return Number(rowsOf(db, `select max(seq) as last from ${this.#table()} where thread_id = ?`, this.input.logId)[0]?.['last'] ?? 0);
  }

  async refusals(): Promise<Reason[]> {
    const extra = this.input.store?.extraColumns ?? [];
    return extra.length === 0 ? [] : [reason('LOG_OWNED', { what: `columns ${extra.join(', ')}` })];
  }

  position(): string {
    return String(this.input.last);
  }

  async unmoved(): Promise<boolean> {
    return (await withSqliteCopy(this.input.path, this.#tmpDir, (db) => this.#lastIn(db))) === this.input.last;
  }

  /** The store's own compare-and-append: one transaction that takes the write lock, looks at the last position, and inserts. */
  async append(batch: readonly LogRecord[]): Promise<void> {
    const sqlite = await loadSqlite();
    const deadline = Date.now() + BUSY_MS;
    try {
      while (!this.#appendNow(sqlite, batch)) {
        if (Date.now() > deadline)
          throw new TurnbackError('LOG_UNWRITABLE', { path: this.input.path, cause: 'another program keeps it locked' });
        // The lock is waited for here and not inside SQLite, which would hold up the whole process.
        await sleep(50);
      }
    } catch (error) {
      if (error instanceof TurnbackError) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      throw new TurnbackError('LOG_UNWRITABLE', { path: this.input.path, cause }, { cause: error });
    }
  }

  /** False when somebody else holds the write lock. */
  /** A transaction is there whole or not at all. */
  async withdraw(): Promise<void> {
    return undefined;
  }

  #appendNow(sqlite: typeof import('node:sqlite'), batch: readonly LogRecord[]): boolean {
    // A database that is gone must not be made anew.
    const url = pathToFileURL(this.input.path);
    url.searchParams.set('mode', 'rw');
    const db = new sqlite.DatabaseSync(url, { timeout: 10 });
    try {
      db.exec('pragma trusted_schema = off; pragma synchronous = full; begin immediate');
      if (this.#lastIn(db) !== this.input.last) throw new TurnbackError('LOG_MOVED');
      const insert = db.prepare(`insert into ${this.#table()} (thread_id, seq, record) values (?, ?, ?)`);
      for (const [index, record] of batch.entries()) insert.run(this.input.logId, this.input.last + 1 + index, JSON.stringify(record));
      db.exec('commit');
      return true;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      if (isBusy(error)) return false;
      throw error;
    } finally {
      db.close();
    }
  }
}

/** SQLITE_BUSY, whatever its extended form. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5;
}
