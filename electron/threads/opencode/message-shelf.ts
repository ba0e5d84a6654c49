import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { BadRecord } from '../../../shared/model.ts';
import { asName, asNumber } from '../loose.ts';
import { TextPool } from '../text-pool.ts';
import { messageFromJson } from './message-rows.ts';
import { columnOr, numberOr, type Tables } from './opencode-database.ts';
import type { Pace } from './pace.ts';
import { latest, type MessageRow } from './rows.ts';

/** When a message was made and last written, and its bytes: another version of it has others. */
interface Mark {
  created: number | null;
  updated: number | null;
  size: number | null;
}

interface KnownMessage extends Mark {
  digest: string;
  row: MessageRow;
  bad: BadRecord | null;
}

/** Messages at the end that are read again each time: they may change twice within one tick of the clock. */
const NEWEST = 2;

/** The messages of a session without their parts; those that did not change are not parsed again. */
export class MessageShelf {
  readonly #session: string;
  readonly #texts = new TextPool();
  #kept = new Map<string, KnownMessage>();
  /** When one of them was last written. */
  updatedAt: number | null = null;

  constructor(session: string) {
    this.#session = session;
  }

  rows(): MessageRow[] {
    return [...this.#kept.values()].map((known) => known.row);
  }

  /** The id as its message has it, where there is one: parts need not each keep a text of their own for it. */
  sameId(id: string | null): string | null {
    return id === null ? null : (this.#kept.get(id)?.row.id ?? id);
  }

  /** Ids of the newest messages. */
  newest(): ReadonlySet<string> {
    return new Set([...this.#kept.keys()].slice(-NEWEST));
  }

  bad(): BadRecord[] {
    return [...this.#kept.values()].flatMap((known) => known.bad ?? []);
  }

  /** Reads what is new; true when any message came, changed or went. */
  async read(db: DatabaseSync, tables: Tables, pace: Pace): Promise<boolean> {
    const columns = tables.get('message');
    if (!columns) return false;
    const [at, updated] = [numberOr(columns, 'm', 'time_created'), numberOr(columns, 'm', 'time_updated')];
    const heads = db.prepare(
      `select m.id as id, ${at} as at, ${updated} as updated, octet_length(m.data) as size
       from message m where m.session_id = ? order by ${columnOr(columns, 'm', 'time_created')}, m.id`,
    );
    const one = db.prepare('select data from message where id = ?');
    const next = new Map<string, KnownMessage>();
    const newest = this.newest();
    let changed = false;
    for (const head of heads.iterate(this.#session)) {
      if (pace.due) await pace.rest();
      const id = asName(head['id']);
      if (id === null) continue;
      const mark = { created: asNumber(head['at']), updated: asNumber(head['updated']), size: asNumber(head['size']) };
      this.updatedAt = latest(this.updatedAt, mark.updated);
      const before = this.#kept.get(id);
      const same = before?.created === mark.created && before.updated === mark.updated && before.size === mark.size;
      // Without a time of its last change a row has to be read to be known.
      const reuse = same && mark.updated !== null && !newest.has(id);
      const known = reuse ? before : this.#known(id, mark, one.get(id)?.['data'], next.size + 1);
      if (!same || known.digest !== before.digest) changed = true;
      next.set(id, known);
    }
    changed ||= next.size !== this.#kept.size;
    this.#kept = next;
    return changed;
  }

  #known(id: string, { created, updated, size }: Mark, data: unknown, nth: number): KnownMessage {
    const bad: BadRecord[] = [];
    const row = messageFromJson({ id: this.#texts.same(id), at: created, json: data, nth }, bad);
    for (const name of ['parentId', 'root', 'cwd'] as const) row[name] = this.#texts.same(row[name]);
    const digest = typeof data === 'string' ? createHash('sha1').update(data).digest('base64') : '';
    return { created, updated, size, digest, row, bad: bad[0] ?? null };
  }
}
