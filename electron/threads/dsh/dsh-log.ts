import { causeOf } from '../../../shared/errors.ts';
import type { BadRecord } from '../../../shared/model.ts';
import { type DshEvent, type DshHeader, eventSchema, fields, headerSchema, integer } from './dsh-event.ts';
import { isKnownType } from './known-types.ts';
import { isPacked, unpackRow } from './packed-rows.ts';
import { framesOf } from './zstd-frames.ts';

/** What a log file holds, as far as it can be read. */
export interface DshLog {
  header: DshHeader;
  events: DshEvent[];
  /** How many events it has, also those that are not kept: the next one's number. */
  length: number;
  /** Bytes at the end that are an unfinished record or frame: somebody may be writing. */
  tornBytes: number;
  /** Why reading stopped before the end; null when everything was read. What comes before it is whole. */
  stopped: { line: number; why: string } | null;
  bad: BadRecord[];
}

/** The lines of the file and the bytes at its end that are no whole line yet. */
function linesOf(file: Buffer, zstd: boolean, most: number | undefined): { lines: Buffer[]; tornBytes: number; damaged: string | null } {
  if (!zstd) {
    const end = file.lastIndexOf(0x0a) + 1;
    return { lines: splitLines(file.subarray(0, end)), tornBytes: file.length - end, damaged: null };
  }
  const lines: Buffer[] = [];
  let end = 0;
  try {
    for (const frame of framesOf(file, 0, most)) {
      end = frame.end;
      if (frame.content === null) continue;
      if (frame.content.length > 0 && frame.content.at(-1) !== 0x0a)
        return { lines, tornBytes: 0, damaged: 'complete frame contains a torn JSONL record' };
      lines.push(...splitLines(frame.content));
    }
  } catch (thrown) {
    return { lines, tornBytes: 0, damaged: causeOf(thrown) };
  }
  return { lines, tornBytes: file.length - end, damaged: null };
}

/** The lines of bytes that are empty or end in a line feed. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    lines.push(bytes.subarray(at, end));
    at = end + 1;
  }
  return lines;
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What is kept of an event and the bytes of its line; null when nothing need be. */
export type Keep = (event: DshEvent, line: Buffer) => DshEvent | null;

/** How far an intake has come, to go back to. */
export interface Mark {
  lines: number;
  events: number;
  length: number;
  over: boolean;
}

/**
 * Takes the lines of a log one after the other (formats/dsh.md, lines). It is over with the first record that no reader can pass: a
 * gap in the numbering, a required type nobody knows.
 */
export class DshIntake {
  readonly #keep: Keep;
  #lines = 0;
  /** Null until the header came, and when the first line is none. */
  log: DshLog | null = null;
  /** No line is taken any more. */
  over = false;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** `line` without its line feed; only read during the call. */
  take(line: Buffer): void {
    this.#lines += 1;
    if (this.over) return;
    if (this.log === null) {
      const header = headerSchema.safeParse(parse(line));
      if (header.success) this.log = { header: header.data, events: [], length: 0, tornBytes: 0, stopped: null, bad: [] };
      else this.over = true;
      return;
    }
    const why = take(this.log, line, this.#lines, this.#keep);
    if (why !== null) this.#stopAt(why, line.length);
  }

  /** A line that is too long to be taken. */
  refuse(length: number): void {
    this.#lines += 1;
    if (!this.over) this.#stopAt('the line is too long to be read', length);
  }

  #stopAt(why: string, bytes: number): void {
    this.over = true;
    if (this.log === null) return;
    this.log.stopped = { line: this.#lines, why };
    this.log.bad.push({ line: this.#lines, bytes, why });
  }

  get mark(): Mark {
    return { lines: this.#lines, events: this.log?.events.length ?? -1, length: this.log?.length ?? 0, over: this.over };
  }

  /** What was taken since the mark is damaged, and so is all behind it. */
  damagedSince({ lines, events, length, over }: Mark, why: string): void {
    const { log } = this;
    if (log !== null && over === false) {
      log.events.length = Math.max(events, 0);
      Object.assign(log, { length, bad: [], stopped: { line: lines + 1, why } });
    }
    if (events < 0) this.log = null;
    this.over = true;
  }
}

/**
 * Reads a log of any format from 0 to 4. Null when the bytes are no DSH log. Reading stops at the first record that no reader can
 * pass, and at a frame that is damaged or unpacks to more than `most` bytes.
 */
export function readLog(file: Buffer, zstd: boolean, most?: number): DshLog | null {
  const { lines, tornBytes, damaged } = linesOf(file, zstd, most);
  const intake = new DshIntake((event) => event);
  for (const line of lines) {
    if (intake.over) break;
    intake.take(line);
  }
  const { log } = intake;
  if (log === null) return null;
  log.tornBytes = tornBytes;
  if (damaged !== null && log.stopped === null) log.stopped = { line: lines.length + 1, why: damaged };
  return log;
}

/** Adds the events of one line; says why it cannot. */
function take(log: DshLog, line: Buffer, number: number, keep: Keep): string | null {
  const row = fields(parse(line));
  const rows = isPacked(row['type']) && log.header.version === 0 ? unpackRow(row) : [row];
  if (rows === null) return 'the packed row is not whole';
  for (const one of rows) {
    const event = eventSchema.safeParse(one);
    if (!event.success) return 'it is no event';
    const expected = log.length;
    if (event.data.seq !== expected) return `${event.data.type} has seq gap (expected ${expected}, got ${integer(event.data.seq)})`;
    if (!isKnownType(event.data.type, log.header.version) && event.data.ignorable !== true)
      return unknownType(log.header.version, event.data);
    const kept = keep({ ...event.data, line: number }, line);
    if (kept !== null) log.events.push(kept);
    log.length += 1;
  }
  return null;
}

/** The sentence of the released reader; for format 3 it names the generation that it was migrated from. */
function unknownType(version: number, event: { type: string; seq: number }): string {
  return `format v${version >= 3 ? version - 1 : version} contains unknown event type "${event.type}" at seq ${event.seq}`;
}
