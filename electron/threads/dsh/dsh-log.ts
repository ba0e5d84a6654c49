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
  /** Bytes at the end that are an unfinished record or frame: somebody may be writing. */
  tornBytes: number;
  /** Why reading stopped before the end; null when everything was read. What comes before it is whole. */
  stopped: { line: number; why: string } | null;
  bad: BadRecord[];
}

/** The lines of the file and the bytes at its end that are no whole line yet. */
function linesOf(file: Buffer, zstd: boolean): { lines: Buffer[]; tornBytes: number; damaged: string | null } {
  if (!zstd) {
    const end = file.lastIndexOf(0x0a) + 1;
    return { lines: splitLines(file.subarray(0, end)), tornBytes: file.length - end, damaged: null };
  }
  const lines: Buffer[] = [];
  let end = 0;
  try {
    for (const frame of framesOf(file)) {
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

/**
 * Reads a log of any format from 0 to 4 (formats/dsh.md, lines). Null when the bytes are no DSH log. Reading stops at the first
 * record that no reader can pass: a gap in the numbering, a required type nobody knows, a damaged frame.
 */
export function readLog(file: Buffer, zstd: boolean): DshLog | null {
  const { lines, tornBytes, damaged } = linesOf(file, zstd);
  const header = headerSchema.safeParse(lines[0] && parse(lines[0]));
  if (!header.success) return null;
  const log: DshLog = { header: header.data, events: [], tornBytes, stopped: null, bad: [] };
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue;
    const why = take(log, line, at + 1);
    if (why === null) continue;
    log.stopped = { line: at + 1, why };
    log.bad.push({ line: at + 1, bytes: line.length, why });
    return log;
  }
  if (damaged !== null) log.stopped = { line: lines.length + 1, why: damaged };
  return log;
}

/** Adds the events of one line; says why it cannot. */
function take(log: DshLog, line: Buffer, number: number): string | null {
  const row = fields(parse(line));
  const rows = isPacked(row['type']) && log.header.version === 0 ? unpackRow(row) : [row];
  if (rows === null) return 'the packed row is not whole';
  for (const one of rows) {
    const event = eventSchema.safeParse(one);
    if (!event.success) return 'it is no event';
    const expected = log.events.length;
    if (event.data.seq !== expected) return `${event.data.type} has seq gap (expected ${expected}, got ${integer(event.data.seq)})`;
    if (!isKnownType(event.data.type, log.header.version) && event.data.ignorable !== true)
      return unknownType(log.header.version, event.data);
    log.events.push({ ...event.data, line: number });
  }
  return null;
}

/** The sentence of the released reader; for format 3 it names the generation that it was migrated from. */
function unknownType(version: number, event: { type: string; seq: number }): string {
  return `format v${version >= 3 ? version - 1 : version} contains unknown event type "${event.type}" at seq ${event.seq}`;
}
