import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Json = Record<string, unknown>;

const TABLES = {
  log: 'thread_id text, seq integer, record text, primary key (thread_id, seq)',
  metadata:
    'namespace text, key text, value text, revision integer, time_created integer, time_updated integer, primary key (namespace, key)',
  session:
    'thread_id text primary key, parent_thread_id text, principal_id text, tenant_id text, harness text, title_lower text, updated_at integer, entry text',
  lease:
    'thread_id text, input_id text, operation_id text, attempt integer, owner_id text, expires_at integer, primary key (thread_id, input_id, operation_id, attempt)',
  work_claim: 'thread_id text primary key, harness text, owner_id text, until integer',
  run: 'run_id text primary key, thread_id text, parent_run_id text, status text, started_at integer, detached_since integer, record text',
  interrupt:
    'interrupt_id text primary key, run_id text, thread_id text, status text, requested_at integer, resolved_at integer, payload text, response text',
  credential: 'id text primary key, secret text',
};

/** A database in the layout of the opencode fork, held open by its owner as that app does. */
export class TanstackDatabase {
  readonly file: string;
  readonly db: DatabaseSync;
  readonly #prefix: string;

  constructor(file: string, prefix = '') {
    this.file = file;
    this.#prefix = prefix;
    this.db = new DatabaseSync(file);
    this.db.exec('pragma journal_mode = wal; pragma busy_timeout = 5000; pragma wal_autocheckpoint = 0');
    for (const [name, columns] of Object.entries(TABLES)) this.db.exec(`create table ${this.table(name)} (${columns})`);
  }

  table(name: string): string {
    return `"${this.#prefix.replaceAll('"', '""')}tanstack_${name}"`;
  }

  last(logId: string): number {
    return Number(this.db.prepare(`select max(seq) as last from ${this.table('log')} where thread_id = ?`).get(logId)?.['last'] ?? 0);
  }

  /** One batch, in one transaction. */
  append(logId: string, ...records: Json[]): void {
    this.db.exec('begin immediate');
    const seq = this.last(logId);
    const insert = this.db.prepare(`insert into ${this.table('log')} values (?, ?, ?)`);
    for (const [index, record] of records.entries()) insert.run(logId, seq + 1 + index, JSON.stringify(record));
    this.db.exec('commit');
  }

  metadata(namespace: string, key: string, value: unknown): void {
    const sql = `insert or replace into ${this.table('metadata')} values (?, ?, ?, 1, 0, 0)`;
    this.db.prepare(sql).run(namespace, key, JSON.stringify(value));
  }

  records(logId: string): Json[] {
    const rows = this.db.prepare(`select record from ${this.table('log')} where thread_id = ? order by seq`).all(logId);
    return rows.map((row) => JSON.parse(String(row['record'])) as Json);
  }

  run(sql: string, ...values: (string | number | null)[]): void {
    this.db.prepare(sql).run(...values);
  }

  close(): void {
    this.db.close();
  }
}

export async function tanstackDatabase(folder: string, name = 'agent.db', prefix = ''): Promise<TanstackDatabase> {
  await mkdir(folder, { recursive: true });
  return new TanstackDatabase(path.join(folder, name), prefix);
}
