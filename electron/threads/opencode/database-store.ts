import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { TurnbackError } from '../../../shared/errors.ts';
import type { BadRecord } from '../../../shared/model.ts';
import type { BytePattern } from '../byte-pattern.ts';
import { asName, asNumber, jsonOf } from '../loose.ts';
import { PartSpool } from '../part-spool.ts';
import type { OnBytes } from '../source.ts';
import { SqliteCopy, sqliteFingerprint } from '../sqlite-copy.ts';
import { DroppedMessages } from './dropped-messages.ts';
import { withParts } from './message-rows.ts';
import { MessageShelf } from './message-shelf.ts';
import { isOpencode, numberOr, type Tables, tablesOf } from './opencode-database.ts';
import { Pace } from './pace.ts';
import { PartShelf } from './part-shelf.ts';
import { inOrder, latest, type MessageRow, type RawPart, type SessionData, type SessionRow, type SessionStore } from './rows.ts';
import { runtimeMessages } from './runtime-messages.ts';
import { sessionRows } from './session-rows.ts';

/** The size of a part that an event tells: no row of the table has it. */
const OF_EVENT = -1;

/** A session in one of OpenCode's databases, read through a private copy of it (formats/opencode 1.3). */
export class DatabaseStore implements SessionStore {
  readonly #file: string;
  readonly #id: string;
  readonly #copy: SqliteCopy;
  readonly #spool: PartSpool;
  readonly #shelf: PartShelf;
  readonly #messages: MessageShelf;
  readonly #dropped: DroppedMessages;
  #mark: string | null = null;
  #sessions: { fingerprint: string; rows: SessionRow[] } | null = null;
  #fingerprint: string | null = null;

  constructor(options: { file: string; id: string; ownData: string }) {
    this.#file = options.file;
    this.#id = options.id;
    const tmpDir = path.join(options.ownData, 'tmp');
    this.#copy = new SqliteCopy(options.file, tmpDir);
    this.#spool = new PartSpool(tmpDir);
    this.#shelf = new PartShelf(this.#spool);
    this.#messages = new MessageShelf(options.id);
    this.#dropped = new DroppedMessages(options.id);
  }

  async read(signal?: AbortSignal): Promise<SessionData | null> {
    const fingerprint = await sqliteFingerprint(this.#file);
    if (fingerprint === this.#fingerprint) return null;
    const data = await this.#copy.use((db) => this.#load(db, new Pace(signal)));
    this.#fingerprint = fingerprint;
    return data;
  }

  parts(messageId: string): Promise<RawPart[]> {
    return this.#shelf.read(messageId);
  }

  matching(pattern: BytePattern, signal?: AbortSignal, onBytes?: OnBytes): AsyncIterable<string> {
    return this.#shelf.matching(pattern, signal, onBytes);
  }

  watch(): string[] {
    return [this.#file, `${this.#file}-wal`];
  }

  restMs(): number {
    return this.#copy.restMs;
  }

  /** All sessions of the database as they are now. */
  async sessions(): Promise<SessionRow[]> {
    const fingerprint = await sqliteFingerprint(this.#file);
    if (this.#sessions?.fingerprint !== fingerprint) {
      this.#sessions = { fingerprint, rows: await this.#copy.use((db) => sessionRows(db, tablesOf(db))) };
    }
    return this.#sessions.rows;
  }

  async close(): Promise<void> {
    await this.#copy.close();
    await this.#spool.close();
  }

  async #load(db: DatabaseSync, pace: Pace): Promise<SessionData | null> {
    const tables = tablesOf(db);
    const session = isOpencode(tables) ? sessionRows(db, tables, this.#id)[0] : undefined;
    if (!session) throw new TurnbackError('LOG_UNREADABLE', { path: this.#file, cause: `the session ${this.#id} is not in it` });
    const runtimeBad: BadRecord[] = [];
    // A reading that fails half-way must not look like the whole one the next time.
    const before = this.#mark;
    this.#mark = null;
    this.#shelf.begin();
    const messagesChanged = await this.#messages.read(db, tables, pace);
    const rows = this.#messages.rows();
    const partsAt = await this.#parts(db, tables, pace);
    const dropped = await this.#dropped.read(db, tables, pace, new Set(rows.map((row) => row.id)));
    for (const part of dropped.parts) {
      const name = { id: part.id, messageId: part.messageId, version: part.seq, size: OF_EVENT };
      if (!this.#shelf.reuse(name)) await this.#shelf.put(name, this.#dropped.partAt(db, part.seq), part.seq);
    }
    const classic = [...rows, ...dropped.messages];
    // The new runtime keeps its rows elsewhere and leaves the classic tables empty for the session.
    const runtime = classic.length === 0 ? await this.#runtime(db, tables, pace, runtimeBad) : null;
    const partsChanged = await this.#shelf.commit();
    const children = childrenOf(db, this.#id, tables);
    const mark = jsonOf([session, [...children], dropped.messages.length, runtime]);
    // Other sessions write to the same database all the time.
    const changed = messagesChanged || partsChanged || mark === null || mark !== before;
    this.#mark = mark;
    if (!changed) return null;
    const filled = (row: MessageRow): MessageRow => withParts(row, this.#shelf.facts(row.id), dropped.born.get(row.id));
    const messages = runtime === null ? inOrder(classic.map(filled)) : runtime.map(filled);
    const updatedAt = latest(session.updatedAt, this.#messages.updatedAt, partsAt);
    return { session, messages, children, updatedAt, bad: [...this.#messages.bad(), ...runtimeBad, ...this.#shelf.bad()] };
  }

  /** Takes up the parts; gives when one of them was last written. */
  async #parts(db: DatabaseSync, tables: Tables, pace: Pace): Promise<number | null> {
    const columns = tables.get('part');
    if (!columns) return null;
    const heads = db.prepare(
      `select p.id as id, p.message_id as message, ${numberOr(columns, 'p', 'time_updated')} as updated, octet_length(p.data) as size
       from part p where p.session_id = ?`,
    );
    const one = db.prepare('select data from part where id = ?');
    const newest = this.#messages.newest();
    let updatedAt: number | null = null;
    let nth = 0;
    for (const head of heads.iterate(this.#id)) {
      if (pace.due) await pace.rest();
      nth += 1;
      const [id, messageId] = [asName(head['id']), this.#messages.sameId(asName(head['message']))];
      if (id === null || messageId === null) continue;
      const version = asNumber(head['updated']);
      updatedAt = latest(updatedAt, version);
      const name = { id, messageId, version, size: asNumber(head['size']) };
      if (newest.has(messageId) || version === null || !this.#shelf.reuse(name)) await this.#shelf.put(name, one.get(id)?.['data'], nth);
    }
    return updatedAt;
  }

  async #runtime(db: DatabaseSync, tables: Tables, pace: Pace, bad: BadRecord[]): Promise<MessageRow[]> {
    const messages = await runtimeMessages(db, tables, this.#id, pace, bad);
    for (const [at, { row, parts }] of messages.entries()) {
      for (const [nth, part] of parts.entries()) {
        const id = `${row.id}:${String(nth).padStart(6, '0')}`;
        await this.#shelf.put({ id, messageId: row.id, version: null, size: null }, part, at + 1);
      }
    }
    return messages.map(({ row }) => row);
  }
}

function childrenOf(db: DatabaseSync, id: string, tables: Tables): Set<string> {
  if (!tables.get('session')?.has('parent_id')) return new Set();
  const found = db.prepare('select id from session where parent_id = ? order by id').all(id);
  return new Set(found.flatMap((row) => asName(row['id']) ?? []));
}
