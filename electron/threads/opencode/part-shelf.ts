import type { BadRecord } from '../../../shared/model.ts';
import type { BytePattern } from '../byte-pattern.ts';
import { parseRecord } from '../loose.ts';
import type { PartSpool } from '../part-spool.ts';
import type { OnBytes } from '../source.ts';
import { TextPool } from '../text-pool.ts';
import { sizeOfCell } from './message-rows.ts';
import { type PartFacts, partFacts } from './part-facts.ts';
import type { RawPart } from './rows.ts';

/** Names one part and the version of it that the store has: another one has another `version` or `size`. */
export interface PartName {
  id: string;
  messageId: string;
  version: number | null;
  size: number | null;
}

/** Flat, and with numbers for marks and places: a session has tens of thousands. */
interface KnownPart extends PartName {
  facts: PartFacts;
  /** Where its text lies in the spool, in bytes. */
  offset: number;
  length: number;
  bad: BadRecord | null;
}

/** The parts of a session: their facts in memory, their texts in the spool; what did not change is not parsed again. */
export class PartShelf {
  readonly #spool: PartSpool;
  readonly #trees = new TextPool();
  #kept = new Map<string, KnownPart>();
  #next = new Map<string, KnownPart>();
  #byMessage = new Map<string, KnownPart[]>();
  #changed = false;

  constructor(spool: PartSpool) {
    this.#spool = spool;
  }

  /** Starts a new reading; the one before stays in force until `commit`. */
  begin(): void {
    this.#next = new Map();
    this.#changed = false;
  }

  /** Takes a part over from the reading before when it is the same version of it. */
  reuse({ id, messageId, version, size }: PartName): boolean {
    const before = this.#kept.get(id);
    if (before?.version !== version || before.size !== size || before.messageId !== messageId) return false;
    this.#next.set(id, before);
    return true;
  }

  /** Takes a part as the store has it; `nth` is its place in the store, for one that cannot be read. */
  async put({ id, messageId, version, size }: PartName, data: unknown, nth: number): Promise<void> {
    const json = typeof data === 'string' ? data : data instanceof Uint8Array ? new TextDecoder().decode(data) : '';
    const before = this.#kept.get(id);
    if (before && (await this.#spool.holds(before, json))) {
      this.#changed ||= before.messageId !== messageId;
      this.#next.set(id, { ...before, messageId, version, size });
      return;
    }
    this.#changed = true;
    const parsed = parseRecord(data);
    const bad = 'why' in parsed ? { line: nth, bytes: sizeOfCell(data), why: `part ${id}: ${parsed.why}` } : null;
    const facts: PartFacts = 'record' in parsed ? partFacts(parsed.record) : { kind: 'other' };
    if (facts.kind === 'start' || facts.kind === 'finish') facts.tree = this.#trees.same(facts.tree);
    const { offset, length } = this.#spool.add(json);
    this.#next.set(id, { id, messageId, version, size, facts, offset, length, bad });
    if (this.#spool.full) await this.#spool.flush();
  }

  /** Puts the new reading in force; true when any part came, changed or went. */
  async commit(): Promise<boolean> {
    await this.#spool.flush();
    const changed = this.#changed || this.#next.size !== this.#kept.size;
    this.#kept = this.#next;
    if (changed) this.#group();
    return changed;
  }

  #group(): void {
    this.#byMessage = new Map();
    // Parts sort by id: that is the order in which they were made (formats/opencode 1.2).
    for (const part of [...this.#kept.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))) {
      const group = this.#byMessage.get(part.messageId);
      if (group) group.push(part);
      else this.#byMessage.set(part.messageId, [part]);
    }
    // An array that was pushed to has room for many more.
    for (const [messageId, group] of this.#byMessage) this.#byMessage.set(messageId, [...group]);
  }

  facts(messageId: string): PartFacts[] {
    return (this.#byMessage.get(messageId) ?? []).map((part) => part.facts);
  }

  /** The parts that could not be read, of the messages that are there. */
  bad(): BadRecord[] {
    return [...this.#kept.values()].flatMap((part) => part.bad ?? []);
  }

  /** The messages one of whose parts may hold what the pattern finds. */
  matching(pattern: BytePattern, signal?: AbortSignal, onBytes?: OnBytes): AsyncIterable<string> {
    const places = [...this.#kept.values()].map(({ offset, length, messageId }) => ({ offset, length, of: messageId }));
    return this.#spool.matching(places, pattern, signal, onBytes);
  }

  /** The parts of a message in order, as they are stored. */
  async read(messageId: string): Promise<RawPart[]> {
    const parts = this.#byMessage.get(messageId) ?? [];
    const texts = await this.#spool.read(parts);
    return parts.map((part, at) => ({ id: part.id, json: texts[at] ?? '' }));
  }
}
