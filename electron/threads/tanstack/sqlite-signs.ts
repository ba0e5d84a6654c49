import type { DatabaseSync } from 'node:sqlite';
import { numberField, textField } from './record.ts';
import { hasColumns, jsonObject, quoted, rowsOf } from './sqlite-tables.ts';

/** A sign that some process works on a thread until a moment (`formats/tanstack.md`, signs of a live process). */
export interface BusySign {
  threadId: string;
  what: string;
  until: number;
}

export interface SqliteSigns {
  busy: BusySign[];
  /** Questions that wait, by thread; null when the store has no table of them. */
  interrupts: Map<string, Map<string, string | null>> | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
/** A time as SQL: a number of any size, for an integer beyond what a number holds is not given out at all. */
const timeOf = (column: string): string => `cast(${column} as real)`;

function leases(db: DatabaseSync, prefix: string): BusySign[] {
  const table = `${prefix}tanstack_lease`;
  if (!hasColumns(db, table, ['thread_id', 'expires_at'])) return [];
  const rows = rowsOf(db, `select thread_id, max(${timeOf('expires_at')}) as until from ${quoted(table)} group by thread_id`);
  return rows.map((row) => ({ threadId: text(row['thread_id']), what: 'a turn is running', until: number(row['until']) }));
}

function claims(db: DatabaseSync, prefix: string): BusySign[] {
  const table = `${prefix}tanstack_work_claim`;
  if (!hasColumns(db, table, ['thread_id', 'until'])) return [];
  const rows = rowsOf(db, `select thread_id, ${timeOf('until')} as until from ${quoted(table)}`);
  return rows.map((row) => ({ threadId: text(row['thread_id']), what: 'the thread has work', until: number(row['until']) }));
}

function runs(db: DatabaseSync, prefix: string): BusySign[] {
  const table = `${prefix}tanstack_run`;
  if (!hasColumns(db, table, ['thread_id', 'status', 'record'])) return [];
  const rows = rowsOf(db, `select thread_id, record from ${quoted(table)} where status = 'running'`);
  return rows.flatMap((row) => {
    const record = jsonObject(row['record']);
    const until = record && numberField(record, 'leaseExpiresAt');
    return typeof until === 'number' ? [{ threadId: text(row['thread_id']), what: 'a run is going on', until }] : [];
  });
}

function interrupts(db: DatabaseSync, prefix: string): SqliteSigns['interrupts'] {
  const table = `${prefix}tanstack_interrupt`;
  if (!hasColumns(db, table, ['interrupt_id', 'thread_id', 'status', 'payload'])) return null;
  const rows = rowsOf(db, `select interrupt_id, thread_id, payload from ${quoted(table)} where status = 'pending'`);
  const byThread = new Map<string, Map<string, string | null>>();
  for (const row of rows) {
    const own = byThread.get(text(row['thread_id'])) ?? new Map<string, string | null>();
    const payload = jsonObject(row['payload']);
    own.set(text(row['interrupt_id']), payload && textField(payload, 'toolCallId'));
    byThread.set(text(row['thread_id']), own);
  }
  return byThread;
}

/** Leases, runs, claims and waiting questions of a store. */
export function sqliteSigns(db: DatabaseSync, prefix: string): SqliteSigns {
  return { busy: [...leases(db, prefix), ...claims(db, prefix), ...runs(db, prefix)], interrupts: interrupts(db, prefix) };
}
