import type { HiddenReason } from '../../../shared/model.ts';
import { type Entry, entryContent, entryKey } from './message-entry.ts';
import { shortenedBytes } from './quick-message.ts';
import { type JsonObject, type RecordAt, textField } from './record.ts';

/** What one change of the transcript did. */
export interface TranscriptChange {
  /** Messages seen for the first time. */
  added: Entry[];
  /** Messages that were gone and are part of it again. */
  revived: Entry[];
  removed: Entry[];
}

/** Raw records of one type in a row that are told apart when they are looked at. */
const MOST_RAW = 50;

/**
 * The folded transcript and every message that ever was in it. `live` is the harness's list, which the positions in the log
 * count on; `rows` also has the removed messages at the place where they were (`formats/tanstack.md`, transcript and fold).
 */
export class Transcript {
  live: Entry[] = [];
  rows: Entry[] = [];
  #ordinal = 0;

  /** Replaces everything from position `keep` on by the messages. A message that is written again stays the same row. */
  replace(keep: number, add: readonly JsonObject[], at: RecordAt, root: string | null, why: HiddenReason): TranscriptChange {
    const from = this.#rowAfter(keep);
    const pool = new Pool(this.live.slice(keep), this.rows.slice(from));
    const next = add.map((message, index) => this.#entryFor(message, { ref: at.ref, field: 'add', index }, at.seq, root, pool));
    return this.#put(keep, from, next, why);
  }

  /** The compaction projection: `head` and what lies from `start` on. Messages before `start` become compacted rows. */
  compact(head: readonly JsonObject[], start: number, at: RecordAt, root: string | null): TranscriptChange {
    const pool = new Pool(this.live.slice(0, start), []);
    const fresh = head.map((message, index) => this.#entryFor(message, { ref: at.ref, field: 'head', index }, at.seq, root, pool));
    for (const entry of fresh) {
      if (entry.seq === at.seq) entry.head = true;
      entry.message = null;
    }
    const [first] = fresh;
    if (first !== undefined) first.divider = 'compaction';
    const change = this.#put(0, 0, [...fresh, ...this.live.slice(start)], 'compacted');
    for (const entry of change.removed) entry.message = null;
    return change;
  }

  /** A record that is no message, shown raw where it stands; one after another of the same type are one row. */
  raw(type: string, at: RecordAt): void {
    const last = this.rows.at(-1);
    if (last?.raw?.type === type) {
      last.raw.count += 1;
      if (last.raw.places.length < MOST_RAW) last.raw.places.push(at.ref);
      last.content = { ...last.content, excerpt: `${type} ×${last.raw.count}` };
      return;
    }
    const content = { ...entryContent({ role: 'system', content: type }, null), id: `record:${at.seq}` };
    const entry = this.#create(content, { ref: at.ref, field: 'add', index: 0 }, at.seq);
    entry.raw = { type, places: [at.ref], count: 1 };
    this.rows.push(entry);
  }

  /** Lets go of the JSON of all rows before `entry` (null: all); those that still have it stand together at the end. */
  forgetBefore(entry: Entry | null): void {
    const end = entry === null ? this.rows.length : this.rows.lastIndexOf(entry);
    for (let at = end - 1; at >= 0; at -= 1) {
      const row = this.rows[at];
      if (row === undefined || row.raw !== null) continue;
      if (row.message === null) return;
      row.message = null;
    }
  }

  #create(content: Entry['content'], place: Entry['place'], seq: number): Entry {
    this.#ordinal += 1;
    const divider = content.reset ? 'reset' : null;
    return {
      ordinal: this.#ordinal,
      key: entryKey(content),
      seq,
      content,
      place,
      message: null,
      turn: null,
      gone: null,
      head: false,
      divider,
      shown: '',
      stop: null,
      raw: null,
    };
  }

  #entryFor(message: JsonObject, place: Entry['place'], seq: number, root: string | null, pool: Pool): Entry {
    const content = entryContent(message, root);
    const entry = pool.take(entryKey(content)) ?? this.#create(content, place, seq);
    entry.content = { ...content, at: content.at ?? entry.content.at };
    entry.place = place;
    // What is only known by its beginning is read again when it is needed.
    entry.message = shortenedBytes(message) === null ? message : null;
    return entry;
  }

  /** The row behind the last message that stays. */
  #rowAfter(keep: number): number {
    const last = this.live[keep - 1];
    return last === undefined ? 0 : this.rows.lastIndexOf(last) + 1;
  }

  #put(keep: number, from: number, next: readonly Entry[], why: HiddenReason): TranscriptChange {
    if (keep === this.live.length && from === this.rows.length) {
      for (const entry of next) {
        this.live.push(entry);
        this.rows.push(entry);
      }
      return { added: [...next], revived: [], removed: [] };
    }
    const old = this.live.slice(keep);
    const before = new Set(old);
    const after = new Set(next);
    const segment = this.rows.splice(from);
    const known = new Set(segment);
    const change: TranscriptChange = { added: [], revived: [], removed: old.filter((entry) => !after.has(entry)) };
    for (const entry of next) if (!before.has(entry)) (known.has(entry) ? change.revived : change.added).push(entry);
    for (const entry of change.removed) entry.gone = why;
    for (const entry of next) entry.gone = null;
    this.live.length = keep;
    for (const entry of next) this.live.push(entry);
    for (const entry of inPlace(segment, next)) this.rows.push(entry);
    return change;
  }
}

/** Messages that may be written again: those of the replaced tail first, then rows behind it that were removed before. */
class Pool {
  readonly #byKey = new Map<string, Entry[]>();

  constructor(live: readonly Entry[], rows: readonly Entry[]) {
    for (const entry of live) this.#add(entry);
    for (const entry of rows) if (entry.gone === 'undone' || entry.gone === 'dropped') this.#add(entry);
  }

  #add(entry: Entry): void {
    const list = this.#byKey.get(entry.key);
    if (list) list.push(entry);
    else this.#byKey.set(entry.key, [entry]);
  }

  take(key: string): Entry | null {
    return this.#byKey.get(key)?.shift() ?? null;
  }
}

/** The rows of a segment whose messages became `next`: in the order of `next`, removed rows at the place where they were. */
function inPlace(segment: readonly Entry[], next: readonly Entry[]): Entry[] {
  if (segment.length === 0) return [...next];
  const position = new Map(segment.map((entry, index) => [entry, index]));
  const wanted = new Set(next);
  // For each message the nearest old row at or behind it: rows before that one come first.
  const targets: number[] = [];
  let target = segment.length;
  for (let k = next.length - 1; k >= 0; k -= 1) {
    const entry = next[k];
    target = (entry && position.get(entry)) ?? target;
    targets[k] = target;
  }
  const rows: Entry[] = [];
  let done = 0;
  const removedUpTo = (end: number): void => {
    for (; done < end; done += 1) {
      const row = segment[done];
      if (row && !wanted.has(row)) rows.push(row);
    }
  };
  for (const [k, entry] of next.entries()) {
    removedUpTo(targets[k] ?? segment.length);
    rows.push(entry);
  }
  removedUpTo(segment.length);
  return rows;
}

/** The position of the first message with the id, or -1: how the harness finds a revert's target. */
export function positionOf(live: readonly Entry[], id: string): number {
  return live.findIndex((entry) => entry.content.id === id);
}

/** Where the compaction record cuts: null when the harness would change nothing (`formats/tanstack.md`, projection). */
export function compactionStart(record: JsonObject, live: readonly Entry[]): number | null {
  const firstKept = textField(record, 'firstKeptId');
  const start = firstKept === null ? record['from'] : positionOf(live, firstKept);
  return typeof start === 'number' && Number.isInteger(start) && start >= 0 && start <= live.length ? start : null;
}
