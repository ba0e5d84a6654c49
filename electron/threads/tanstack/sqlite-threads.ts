import type { DatabaseSync } from 'node:sqlite';
import type { ThreadHead } from '../../../shared/model.ts';
import { sqliteFingerprint, withSqliteCopy } from '../sqlite-copy.ts';
import { LogFold } from './log-fold.ts';
import { parentOf } from './log-head.ts';
import { textField } from './record.ts';
import { rootsOf } from './sqlite-log.ts';
import { mayHaveTable } from './sqlite-schema.ts';
import { hasColumns, jsonObject, quoted, rowsOf, type SqliteStore, sqliteStores } from './sqlite-tables.ts';
import { titleOf } from './thread-model.ts';

const HEAD_RECORDS = 200;
const HEAD_CHARACTERS = 60_000;
const MOST_SHARED = 20_000;

interface Session {
  title: string | null;
  parent: string | null;
  updatedAt: number | null;
}

function sessionsOf(db: DatabaseSync, prefix: string): Map<string, Session> {
  const table = `${prefix}tanstack_session`;
  if (!hasColumns(db, table, ['thread_id', 'parent_thread_id', 'updated_at', 'entry'])) return new Map();
  // An integer beyond what a number holds is only given out as a real one.
  const updated = "case when typeof(updated_at) in ('integer', 'real') then cast(updated_at as real) end as updated_at";
  const rows = rowsOf(db, `select thread_id, parent_thread_id, ${updated}, entry from ${quoted(table)}`);
  return new Map(
    rows.map((row) => {
      const entry = jsonObject(row['entry']);
      const parent = row['parent_thread_id'];
      const updated = row['updated_at'];
      const session: Session = {
        title: entry && textField(entry, 'title'),
        parent: typeof parent === 'string' ? parent : null,
        updatedAt: typeof updated === 'number' ? updated : null,
      };
      return [String(row['thread_id']), session];
    }),
  );
}

/** The first prompt of a log: its first records are folded, as many as a list may read. */
function titleFrom(db: DatabaseSync, table: string, logId: string): string | null {
  const log = new LogFold({ threadId: logId, logId, root: null });
  let read = 0;
  for (const row of db.prepare(`select seq, record from ${table} where thread_id = ? order by seq limit ?`).iterate(logId, HEAD_RECORDS)) {
    const record = jsonObject(row['record']);
    read += typeof row['record'] === 'string' ? row['record'].length : 0;
    if (read > HEAD_CHARACTERS) break;
    if (record !== null) log.apply(record, { seq: Number(row['seq']), ref: { kind: 'row', seq: Number(row['seq']) } });
  }
  return titleOf(log.thread);
}

/** Threads that share a log: ids that its first records name, by the log's id. */
function sharedThreads(db: DatabaseSync, table: string): Map<string, string> {
  const owners = new Map<string, string>();
  const sql = `select thread_id, record from ${table} where record like '%"thread":"%' limit ${MOST_SHARED}`;
  for (const row of db.prepare(sql).iterate()) {
    const record = jsonObject(row['record']);
    const thread = record && textField(record, 'thread');
    if (thread !== null && thread !== row['thread_id']) owners.set(thread, String(row['thread_id']));
  }
  return owners;
}

function threadsOfStore(db: DatabaseSync, dbPath: string, { prefix }: SqliteStore): ThreadHead[] {
  const table = quoted(`${prefix}tanstack_log`);
  const sessions = sessionsOf(db, prefix);
  const roots = rootsOf(db, prefix);
  const logs = rowsOf(db, `select distinct thread_id from ${table}`).map((row) => String(row['thread_id']));
  const shared = sharedThreads(db, table);
  const head = (threadId: string, title: string | null, owner: string | null): ThreadHead => {
    const session = sessions.get(threadId);
    return {
      id: `tanstack:${threadId}`,
      source: 'tanstack',
      title: session?.title ?? title,
      root: roots.get(threadId) ?? (owner === null ? null : (roots.get(owner) ?? null)),
      log: dbPath,
      threadId,
      parent: session?.parent ?? parentOf(threadId) ?? owner,
      updatedAt: session?.updatedAt ?? null,
      size: null,
    };
  };
  const own = logs.map((id) => head(id, sessions.get(id)?.title ? null : titleFrom(db, table, id), null));
  return [...own, ...[...shared].filter(([id]) => !logs.includes(id)).map(([id, owner]) => head(id, null, owner))];
}

const known = new Map<string, { fingerprint: string; threads: ThreadHead[] }>();

/** The threads of a SQLite store; none when the database has no log table. Remembered until the database changes. */
export async function threadsOfDatabase(dbPath: string, tmpDir: string): Promise<ThreadHead[]> {
  if (!(await mayHaveTable(dbPath, 'tanstack_log'))) return [];
  const fingerprint = await sqliteFingerprint(dbPath);
  const before = known.get(dbPath);
  if (before?.fingerprint === fingerprint) return before.threads;
  const threads = await withSqliteCopy(dbPath, tmpDir, (db) => sqliteStores(db).flatMap((store) => threadsOfStore(db, dbPath, store)));
  known.set(dbPath, { fingerprint, threads });
  return threads;
}

/** The log that holds a thread: its own, or the one it shares. */
export async function logIdOfThread(dbPath: string, threadId: string, tmpDir: string): Promise<string> {
  return withSqliteCopy(dbPath, tmpDir, (db) => {
    for (const { prefix } of sqliteStores(db)) {
      const table = quoted(`${prefix}tanstack_log`);
      if (rowsOf(db, `select 1 from ${table} where thread_id = ? limit 1`, threadId).length > 0) return threadId;
      const owner = sharedThreads(db, table).get(threadId);
      if (owner !== undefined) return owner;
    }
    return threadId;
  });
}
