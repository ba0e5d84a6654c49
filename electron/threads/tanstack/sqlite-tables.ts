import type { DatabaseSync } from 'node:sqlite';
import { isObject } from './record.ts';

/** Columns of the log table of the known layout (`formats/tanstack.md`, SQLite layout). */
const LOG_COLUMNS = ['thread_id', 'seq', 'record'];

export interface SqliteStore {
  /** Configured prefix of all table names; empty by default. */
  prefix: string;
  /** Columns of the log table that the known layout does not have: a newer store. */
  extraColumns: string[];
}

/** A name of a table or column as SQL text. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

type Row = Record<string, unknown>;

/** Rows of a query; values are not trusted to have any type. */
export function rowsOf(db: DatabaseSync, sql: string, ...values: (string | number)[]): Row[] {
  return db.prepare(sql).all(...values);
}

export function columnsOf(db: DatabaseSync, table: string): string[] {
  return rowsOf(db, 'select name from pragma_table_info(?)', table).map((row) => String(row['name']));
}

/** Real tables by their name; a view or a virtual table is another person's code and is not asked. */
function tableNames(db: DatabaseSync): string[] {
  const rows = rowsOf(
    db,
    "select name from sqlite_master where type = 'table' and sql not like 'create virtual%' and name not like 'sqlite_%'",
  );
  return rows.map((row) => String(row['name']));
}

/** The harness stores of a database: usually one, found by its log table whatever prefix the names carry. */
export function sqliteStores(db: DatabaseSync): SqliteStore[] {
  return tableNames(db).flatMap((name) => {
    if (!name.endsWith('tanstack_log')) return [];
    const columns = columnsOf(db, name);
    if (!LOG_COLUMNS.every((column) => columns.includes(column))) return [];
    return [{ prefix: name.slice(0, -'tanstack_log'.length), extraColumns: columns.filter((column) => !LOG_COLUMNS.includes(column)) }];
  });
}

/** True when the store has the table with all of the columns. */
export function hasColumns(db: DatabaseSync, table: string, columns: readonly string[]): boolean {
  const found = columnsOf(db, table);
  return columns.every((column) => found.includes(column));
}

/** JSON text as an object; null for anything else. */
export function jsonObject(value: unknown): Row | null {
  if (typeof value !== 'string') return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : null;
  } catch {
    // A damaged value of a side table counts as missing; the log itself is read with more care.
    return null;
  }
}
