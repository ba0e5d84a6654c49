import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { TurnbackError } from '../../../shared/errors.ts';
import type { BytePattern } from '../byte-pattern.ts';
import type { OnBytes } from '../source.ts';
import { sqliteFingerprint, withSqliteCopy } from '../sqlite-copy.ts';
import type { LogInput, LogSink } from './log-input.ts';
import { METADATA_NAMESPACES, NO_METADATA, type ThreadMetadata, threadMetadata } from './metadata.ts';
import { isSkippedRecord } from './quick-lines.ts';
import { isObject, type JsonObject, type RecordRef } from './record.ts';
import { type SqliteSigns, sqliteSigns } from './sqlite-signs.ts';
import { columnsOf, hasColumns, jsonObject, quoted, rowsOf, type SqliteStore, sqliteStores } from './sqlite-tables.ts';

const SLICE = 25;
/** Neighbours of a record that are kept with it: reading one means copying the database. */
const AHEAD = 64;
const CACHE_BYTES = 8 << 20;

/** A row that has a place in the log: any program may have put text, bytes or numbers of any size there. */
const PLACED = `typeof(seq) = 'integer' and seq between 1 and ${Number.MAX_SAFE_INTEGER}`;

/** A log in the SQLite layout, read through private copies of the database (`formats/tanstack.md`, SQLite layout). */
export class SqliteLog implements LogInput {
  readonly path: string;
  readonly logId: string;
  readonly torn = 0;
  readonly size = null;
  modifiedMs: number | null = null;
  /** Last position that was read; 0 for none. */
  last = 0;
  store: SqliteStore | null = null;
  metadata: ThreadMetadata = NO_METADATA;
  signs: SqliteSigns = { busy: [], interrupts: null };
  /** Roots of the threads that the store knows, by thread. */
  roots = new Map<string, string>();
  /** The log table of the store, as SQL text. */
  #table = quoted('tanstack_log');
  readonly #threadId: string;
  readonly #tmpDir: string;
  #fingerprint: string | null = null;
  #anchor: string | null = null;
  #cache = new Map<number, string>();
  #cached = 0;

  constructor(options: { path: string; logId: string; threadId: string; tmpDir: string }) {
    this.path = options.path;
    this.logId = options.logId;
    this.#threadId = options.threadId;
    this.#tmpDir = options.tmpDir;
  }

  async read(sink: LogSink, signal?: AbortSignal): Promise<boolean> {
    const fingerprint = await sqliteFingerprint(this.path);
    if (fingerprint === this.#fingerprint) return false;
    const first = this.#fingerprint === null;
    this.#fingerprint = null;
    const changed = await withSqliteCopy(this.path, this.#tmpDir, (db) => this.#readCopy(db, first, sink, signal));
    this.#fingerprint = fingerprint;
    return changed;
  }

  async #readCopy(db: DatabaseSync, first: boolean, sink: LogSink, signal: AbortSignal | undefined): Promise<boolean> {
    this.#surroundings(db);
    const span = rowsOf(
      db,
      `select min(seq) as first, max(seq) as last from ${this.#table} where thread_id = ? and ${PLACED}`,
      this.logId,
    )[0];
    const last = Number(span?.['last'] ?? 0);
    const again = first || last < this.last || this.#recordText(db, this.last) !== this.#anchor;
    if (again) {
      this.#restart(sink);
      this.#countMisplaced(db, sink);
    }
    const known = this.last;
    await this.#feed(db, sink, signal);
    // Rows that were taken away since are gone from the log, although this fold still knows them.
    if (sink.fold.first !== null) sink.fold.first = Math.max(sink.fold.first, Number(span?.['first'] ?? 1));
    this.#anchor = this.#recordText(db, this.last);
    return again || this.last !== known;
  }

  #restart(sink: LogSink): void {
    sink.restart();
    this.last = 0;
    this.#anchor = null;
    this.#cache.clear();
    this.#cached = 0;
  }

  #countMisplaced(db: DatabaseSync, sink: LogSink): void {
    const rows = Number(
      rowsOf(db, `select count(*) as rows from ${this.#table} where thread_id = ? and not (${PLACED})`, this.logId)[0]?.['rows'],
    );
    if (rows > 0) sink.fold.addBad({ line: 0, bytes: 0, why: `${rows} records have no place in the log` });
  }

  /** The store around the log: its shape, leases, questions, the thread's metadata, workspaces. */
  #surroundings(db: DatabaseSync): void {
    const stores = sqliteStores(db);
    const holds = (store: SqliteStore): boolean =>
      rowsOf(db, `select 1 from ${quoted(`${store.prefix}tanstack_log`)} where thread_id = ? limit 1`, this.logId).length > 0;
    this.store = stores.find(holds) ?? stores[0] ?? null;
    if (this.store === null) throw new TurnbackError('NOT_A_LOG', { path: this.path, cause: 'it has no tanstack_log table' });
    const { prefix } = this.store;
    this.#table = quoted(`${prefix}tanstack_log`);
    this.signs = sqliteSigns(db, prefix);
    this.metadata = metadataOf(db, prefix, this.#threadId);
    this.roots = rootsOf(db, prefix);
  }

  #recordText(db: DatabaseSync, seq: number): string | null {
    if (seq === 0) return null;
    const row = rowsOf(db, `select record from ${this.#table} where thread_id = ? and seq = ?`, this.logId, seq)[0];
    return typeof row?.['record'] === 'string' ? row['record'].slice(0, 4096) : null;
  }

  async #feed(db: DatabaseSync, sink: LogSink, signal: AbortSignal | undefined): Promise<void> {
    const statement = db.prepare(`select seq, record from ${this.#table} where thread_id = ? and seq > ? and ${PLACED} order by seq`);
    let until = performance.now() + SLICE;
    for (const row of statement.iterate(this.logId, this.last)) {
      this.#row(Number(row['seq']), row['record'], sink);
      if (performance.now() <= until) continue;
      await breathe();
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
      until = performance.now() + SLICE;
    }
  }

  #row(seq: number, text: unknown, sink: LogSink): void {
    if (this.last > 0 && seq !== this.last + 1) {
      sink.fold.addBad({ line: seq, bytes: 0, why: `the records ${this.last + 1} to ${seq - 1} are missing` });
    }
    this.last = seq;
    if (typeof text === 'string' && isSkippedRecord(text)) {
      sink.fold.count(seq, 1);
      return;
    }
    const record = jsonObject(text);
    if (record !== null) sink.fold.apply(record, { seq, ref: { kind: 'row', seq } });
    else {
      sink.fold.count(seq, 1);
      sink.fold.addBad({ line: seq, bytes: typeof text === 'string' ? Buffer.byteLength(text) : 0, why: 'it is not a record' });
    }
  }

  async record(ref: RecordRef): Promise<JsonObject | null> {
    if (ref.kind !== 'row') return null;
    if (!this.#cache.has(ref.seq)) await withSqliteCopy(this.path, this.#tmpDir, (db) => this.#fetch(db, ref.seq));
    return jsonObject(this.#cache.get(ref.seq));
  }

  /** One copy of the database serves all records; the first ones that match stay at hand for being read. */
  async *matching<T>(
    places: readonly { ref: RecordRef; of: T }[],
    pattern: BytePattern,
    signal?: AbortSignal,
    onBytes?: OnBytes,
  ): AsyncGenerator<T> {
    const bySeq = Map.groupBy(places, ({ ref }) => (ref.kind === 'row' ? ref.seq : 0));
    const found: T[] = [];
    await withSqliteCopy(this.path, this.#tmpDir, async (db) => {
      const rows = db.prepare(`select seq, record from ${this.#table} where thread_id = ? and ${PLACED} order by seq`);
      let until = performance.now() + SLICE;
      for (const row of rows.iterate(this.logId)) {
        const [seq, text] = [Number(row['seq']), row['record']];
        const wanted = bySeq.get(seq);
        if (wanted !== undefined && typeof text === 'string' && pattern.inBytes(Buffer.from(text))) {
          for (const { of } of wanted) found.push(of);
          this.#keep(seq, text);
        }
        if (performance.now() <= until) continue;
        onBytes?.(seq, this.last);
        await breathe();
        if (signal?.aborted) throw new TurnbackError('CANCELLED');
        until = performance.now() + SLICE;
      }
    });
    yield* found;
  }

  #keep(seq: number, text: string): void {
    if (this.#cached > CACHE_BYTES) return;
    this.#cache.set(seq, text);
    this.#cached += text.length * 2;
  }

  #fetch(db: DatabaseSync, seq: number): void {
    if (this.#cached > CACHE_BYTES) {
      this.#cache.clear();
      this.#cached = 0;
    }
    const sql = `select seq, record from ${this.#table} where thread_id = ? and seq >= ? and seq < ? order by seq`;
    for (const row of db.prepare(sql).iterate(this.logId, seq, seq + AHEAD)) {
      const text = row['record'];
      if (typeof text !== 'string' || isSkippedRecord(text)) continue;
      this.#cache.set(Number(row['seq']), text);
      this.#cached += text.length * 2;
      if (this.#cached > CACHE_BYTES) return;
    }
  }
}

function metadataOf(db: DatabaseSync, prefix: string, threadId: string): ThreadMetadata {
  const table = `${prefix}tanstack_metadata`;
  if (!hasColumns(db, table, ['namespace', 'key', 'value'])) return NO_METADATA;
  const places = METADATA_NAMESPACES.map(() => '?').join(', ');
  const sql = `select namespace, value from ${quoted(table)} where key = ? and namespace in (${places})`;
  const values = new Map<string, unknown>();
  for (const row of rowsOf(db, sql, threadId, ...METADATA_NAMESPACES)) {
    values.set(String(row['namespace']), jsonValue(row['value']));
  }
  return threadMetadata(threadId, (namespace) => values.get(namespace));
}

function jsonValue(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A damaged value counts as missing.
    return undefined;
  }
}

/** Workspaces by thread: from the settings, and in the opencode fork from its own session table. */
export function rootsOf(db: DatabaseSync, prefix: string): Map<string, string> {
  const roots = new Map<string, string>();
  const columns = columnsOf(db, 'session');
  if (columns.includes('id') && columns.includes('directory')) {
    for (const row of rowsOf(db, 'select id, directory from session')) {
      if (typeof row['id'] === 'string' && typeof row['directory'] === 'string') roots.set(row['id'], row['directory']);
    }
  }
  const table = `${prefix}tanstack_metadata`;
  if (!hasColumns(db, table, ['namespace', 'key', 'value'])) return roots;
  for (const row of rowsOf(db, `select key, value from ${quoted(table)} where namespace = 'harness:settings'`)) {
    const settings = jsonValue(row['value']);
    const { root } = threadMetadata('', (namespace) => (namespace === 'harness:settings' && isObject(settings) ? settings : undefined));
    if (root !== null && typeof row['key'] === 'string') roots.set(row['key'], root);
  }
  return roots;
}
