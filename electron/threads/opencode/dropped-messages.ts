import type { DatabaseSync } from 'node:sqlite';
import { asName, asNumber, parseRecord } from '../loose.ts';
import { messageRow } from './message-rows.ts';
import type { Tables } from './opencode-database.ts';
import type { Pace } from './pace.ts';
import type { MessageRow } from './rows.ts';

/** Messages that a revert removed for good, as the event log still has them. */
export interface Dropped {
  messages: MessageRow[];
  /** The latest version of each of their parts: its place in the event log. */
  parts: { id: string; messageId: string; seq: number }[];
  /** Where in the event log each message of the session first appears. */
  born: ReadonlyMap<string, number>;
}

const NOTHING: Dropped = { messages: [], parts: [], born: new Map() };

/** Rebuilds dropped branches from table `event` (formats/opencode 1.6). Nothing is read but one index while none was dropped. */
export class DroppedMessages {
  readonly #session: string;
  #known: { mark: string; dropped: Dropped } = { mark: '', dropped: NOTHING };

  constructor(session: string) {
    this.#session = session;
  }

  /** The dropped messages; `present` are those that are (again) in the conversation. */
  async read(db: DatabaseSync, tables: Tables, pace: Pace, present: ReadonlySet<string>): Promise<Dropped> {
    if (!tables.get('event')?.has('aggregate_id')) return NOTHING;
    const gone = new Map<string, number>();
    for (const row of this.#events(db, `json_extract(data, '$.messageID') as id`, 'message.removed').iterate(this.#session)) {
      const [id, seq] = [asName(row['id']), asNumber(row['seq'])];
      if (id !== null && seq !== null && !present.has(id)) gone.set(id, seq);
    }
    const mark = [...gone].flat().join(' ');
    if (mark !== this.#known.mark) this.#known = { mark, dropped: gone.size === 0 ? NOTHING : await this.#rebuild(db, pace, gone) };
    return this.#known.dropped;
  }

  /** The part that one event holds, as JSON text. */
  partAt(db: DatabaseSync, seq: number): unknown {
    return db
      .prepare(`select json_extract(data, '$.part') as part from event where aggregate_id = ? and seq = ? and json_valid(data)`)
      .get(this.#session, seq)?.['part'];
  }

  async #rebuild(db: DatabaseSync, pace: Pace, gone: ReadonlyMap<string, number>): Promise<Dropped> {
    const born = new Map<string, number>();
    const latest = new Map<string, number>();
    for (const row of this.#events(db, `json_extract(data, '$.info.id') as id`, 'message.updated').iterate(this.#session)) {
      if (pace.due) await pace.rest();
      const [id, seq] = [asName(row['id']), asNumber(row['seq'])];
      if (id === null || seq === null) continue;
      if (!born.has(id)) born.set(id, seq);
      if (seq < (gone.get(id) ?? -1)) latest.set(id, seq);
    }
    const parts = new Map<string, Dropped['parts'][number]>();
    const columns = `json_extract(data, '$.part.id') as id, json_extract(data, '$.part.messageID') as message`;
    for (const row of this.#events(db, columns, 'message.part.updated').iterate(this.#session)) {
      if (pace.due) await pace.rest();
      const [id, messageId, seq] = [asName(row['id']), asName(row['message']), asNumber(row['seq'])];
      if (id !== null && messageId !== null && seq !== null && seq < (gone.get(messageId) ?? -1)) parts.set(id, { id, messageId, seq });
    }
    const info = db.prepare(
      `select json_extract(data, '$.info') as info from event where aggregate_id = ? and seq = ? and json_valid(data)`,
    );
    const messages = [...latest].flatMap(([id, seq]) => {
      const parsed = parseRecord(info.get(this.#session, seq)?.['info']);
      if (!('record' in parsed)) return [];
      return [{ ...messageRow(id, null, parsed.record), gone: gone.get(id) ?? null }];
    });
    return { messages, parts: [...parts.values()], born };
  }

  /** Events of one type, whatever its version, in order. Rows that are not JSON are passed over. */
  #events(db: DatabaseSync, columns: string, type: string) {
    return db.prepare(
      `select cast(seq as real) as seq, ${columns} from event
       where aggregate_id = ? and type glob '${type}.[0-9]*' and json_valid(data) order by event.seq`,
    );
  }
}
