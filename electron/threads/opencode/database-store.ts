import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { TurnbackError } from '../../../shared/errors.ts';
import type { BadRecord } from '../../../shared/model.ts';
import { sqliteFingerprint, withSqliteCopy } from '../sqlite-copy.ts';
import { DroppedMessages } from './dropped-messages.ts';
import { asName, asNumber } from './loose.ts';
import { messageFromJson, withParts } from './message-rows.ts';
import { numberOr, tablesOf } from './opencode-database.ts';
import { Pace } from './pace.ts';
import { PartShelf } from './part-shelf.ts';
import { PartSpool } from './part-spool.ts';
import { inOrder, latest, type MessageRow, type RawPart, type SessionData, type SessionStore } from './rows.ts';
import { runtimeMessages } from './runtime-messages.ts';
import { sessionRows } from './session-rows.ts';

/** Messages at the end whose parts are read again each time: they may change twice within one tick of the clock. */
const NEWEST = 2;

/** A session in one of OpenCode's databases, read through a private copy of it (formats/opencode 1.3). */
export class DatabaseStore implements SessionStore {
  readonly #file: string;
  readonly #id: string;
  readonly #tmpDir: string;
  readonly #spool: PartSpool;
  readonly #shelf: PartShelf;
  readonly #dropped: DroppedMessages;
  #fingerprint: string | null = null;

  constructor(options: { file: string; id: string; ownData: string }) {
    this.#file = options.file;
    this.#id = options.id;
    this.#tmpDir = path.join(options.ownData, 'tmp');
    this.#spool = new PartSpool(this.#tmpDir);
    this.#shelf = new PartShelf(this.#spool);
    this.#dropped = new DroppedMessages(options.id);
  }

  async read(signal?: AbortSignal): Promise<SessionData | null> {
    const fingerprint = await sqliteFingerprint(this.#file);
    if (fingerprint === this.#fingerprint) return null;
    const data = await withSqliteCopy(this.#file, this.#tmpDir, (db) => this.#load(db, new Pace(signal)));
    this.#fingerprint = fingerprint;
    return data;
  }

  parts(messageId: string): Promise<RawPart[]> {
    return this.#shelf.read(messageId);
  }

  watch(): string[] {
    return [this.#file, `${this.#file}-wal`];
  }

  close(): Promise<void> {
    return this.#spool.close();
  }

  async #load(db: DatabaseSync, pace: Pace): Promise<SessionData> {
    const session = sessionRows(db, this.#id)[0];
    if (!session) throw new TurnbackError('LOG_UNREADABLE', { path: this.#file, cause: `the session ${this.#id} is not in it` });
    const bad: BadRecord[] = [];
    this.#shelf.begin();
    const rows = await this.#messages(db, pace, bad);
    await this.#parts(db, pace, new Set(rows.slice(-NEWEST).map((row) => row.id)));
    const dropped = await this.#dropped.read(db, pace, new Set(rows.map((row) => row.id)));
    for (const part of dropped.parts) {
      const name = { id: part.id, messageId: part.messageId, mark: `event ${part.seq}` };
      if (!this.#shelf.reuse(name)) await this.#shelf.put(name, this.#dropped.partAt(db, part.seq), part.seq);
    }
    const classic = [...rows, ...dropped.messages];
    // The new runtime keeps its rows elsewhere and leaves the classic tables empty for the session.
    const runtime = classic.length === 0 ? await this.#runtime(db, pace, bad) : [];
    await this.#shelf.commit();
    const filled = (row: MessageRow): MessageRow =>
      withParts({ ...row, born: dropped.born.get(row.id) ?? row.born }, this.#shelf.facts(row.id));
    const messages = classic.length === 0 ? runtime.map(filled) : inOrder(classic.map(filled));
    const updatedAt = latest(session.updatedAt, ...['message', 'part', 'session_message'].map((table) => newestIn(db, table, this.#id)));
    return { session, messages, children: childrenOf(db, this.#id), updatedAt, bad: [...bad, ...this.#shelf.bad()] };
  }

  async #messages(db: DatabaseSync, pace: Pace, bad: BadRecord[]): Promise<MessageRow[]> {
    const columns = tablesOf(db).get('message');
    if (!columns) return [];
    const found = db.prepare(
      `select m.id as id, ${numberOr(columns, 'm', 'time_created')} as at, m.data as data
       from message m where m.session_id = ? order by m.time_created, m.id`,
    );
    const rows: MessageRow[] = [];
    for (const row of found.iterate(this.#id)) {
      if (pace.due) await pace.rest();
      const nth = rows.length + 1;
      rows.push(messageFromJson({ id: asName(row['id']) ?? `#${nth}`, at: asNumber(row['at']), json: row['data'], nth }, bad));
    }
    return rows;
  }

  async #parts(db: DatabaseSync, pace: Pace, newest: ReadonlySet<string>): Promise<void> {
    const columns = tablesOf(db).get('part');
    if (!columns) return;
    const heads = db
      .prepare(
        `select p.id as id, p.message_id as message, ${numberOr(columns, 'p', 'time_updated')} as updated, length(p.data) as size
         from part p where p.session_id = ? order by p.id`,
      )
      .all(this.#id);
    const one = db.prepare('select data from part where id = ?');
    for (const [at, head] of heads.entries()) {
      if (pace.due) await pace.rest();
      const [id, messageId] = [asName(head['id']), asName(head['message'])];
      if (id === null || messageId === null) continue;
      const name = { id, messageId, mark: `${head['updated']} ${head['size']}` };
      if (newest.has(messageId) || !this.#shelf.reuse(name)) await this.#shelf.put(name, one.get(id)?.['data'], at + 1);
    }
  }

  async #runtime(db: DatabaseSync, pace: Pace, bad: BadRecord[]): Promise<MessageRow[]> {
    const messages = await runtimeMessages(db, this.#id, pace, bad);
    for (const [at, { row, parts }] of messages.entries()) {
      for (const [nth, part] of parts.entries()) {
        const id = `${row.id}:${String(nth).padStart(6, '0')}`;
        await this.#shelf.put({ id, messageId: row.id, mark: 'runtime' }, part, at + 1);
      }
    }
    return messages.map(({ row }) => row);
  }
}

function childrenOf(db: DatabaseSync, id: string): Set<string> {
  if (!tablesOf(db).get('session')?.has('parent_id')) return new Set();
  return new Set(
    db
      .prepare('select id from session where parent_id = ?')
      .all(id)
      .flatMap((row) => asName(row['id']) ?? []),
  );
}

function newestIn(db: DatabaseSync, table: string, id: string): number | null {
  const columns = tablesOf(db).get(table);
  if (!columns?.has('time_updated')) return null;
  return asNumber(db.prepare(`select max(cast(time_updated as real)) as newest from ${table} where session_id = ?`).get(id)?.['newest']);
}
