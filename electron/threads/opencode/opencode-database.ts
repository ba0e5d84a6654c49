import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { openRegular } from '../../snapshots/regular-file.ts';

export type SqlRow = Readonly<Record<string, SQLOutputValue>>;

/** Columns by table. */
export type Tables = ReadonlyMap<string, ReadonlySet<string>>;

const MAGIC = 'SQLite format 3\0';

/** True when a file begins as a SQLite database does. */
export async function looksLikeSqlite(file: string): Promise<boolean> {
  const handle = await openRegular(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === MAGIC;
  } finally {
    await handle.close();
  }
}

/**
 * Columns of the tables of OpenCode that Turnback reads. Real tables only: a view or a virtual table of a stranger could run
 * anything. Tables that hold secrets are not in the list, so nothing can ask for them (formats/opencode 1.3).
 */
export function tablesOf(db: DatabaseSync): Tables {
  const found = db
    .prepare(
      `select m.name as name, c.name as col from sqlite_master m, pragma_table_info(m.name) c
       where m.type = 'table' and m.sql not like 'create virtual%'
       and m.name in ('project', 'session', 'message', 'part', 'event', 'session_message')`,
    )
    .all();
  const tables = new Map<string, Set<string>>();
  for (const { name, col } of found) {
    const columns = tables.get(String(name)) ?? new Set<string>();
    tables.set(String(name), columns.add(String(col)));
  }
  return tables;
}

/** True for a database with the tables of OpenCode's sessions. */
export function isOpencode(tables: Tables): boolean {
  return tables.get('session')?.has('directory') === true && tables.get('project')?.has('worktree') === true;
}

/** `alias.column` when the table has it, else `null`: the tables grow with each version. */
export function columnOr(columns: ReadonlySet<string> | undefined, alias: string, column: string): string {
  return columns?.has(column) ? `${alias}.${column}` : `null`;
}

/** A number column that cannot overflow on its way into JavaScript. */
export function numberOr(columns: ReadonlySet<string> | undefined, alias: string, column: string): string {
  return columns?.has(column) ? `cast(${alias}.${column} as real)` : `null`;
}
