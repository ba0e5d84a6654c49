import type { BytePattern } from '../byte-pattern.ts';
import { isBlankLine, type LineAt, type LogPlace, readLogBytes, readLogLines } from '../log-lines.ts';
import { scanPlaces } from '../scan-places.ts';
import type { OnBytes } from '../source.ts';
import type { LogInput, LogSink } from './log-input.ts';
import { QuickLines } from './quick-lines.ts';
import { isObject, type JsonObject, type RecordRef } from './record.ts';

const MOST_BAD_PLACES = 1000;

/** A line in a chunk of the log. */
interface QuickLine {
  bytes: Buffer;
  start: number;
  end: number;
  /** Where it begins in the file. */
  offset: number;
}

interface BadLine {
  at: LineAt;
  why: string;
}

/** The records of a line, or why it is no batch. */
export function batchOf(bytes: Buffer): JsonObject[] | string {
  // Parsing what cannot be a list only to be told so would cost more than the rest of a damaged log.
  let first = 0;
  while (first < bytes.length && (bytes[first] ?? 0) <= 0x20) first += 1;
  if (bytes[first] !== 0x5b) return 'it is not a list of records';
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!Array.isArray(parsed)) return 'it is not a list of records';
  const records = parsed.filter(isObject);
  return records.length === parsed.length ? records : 'it holds things that are not records';
}

/**
 * A JSONL store: one line is one batch, a list of records; positions are counted (`formats/tanstack.md`, JSONL layout). A
 * last line that cannot be parsed is a batch that is being written, or was torn off: it counts as absent. One in the middle
 * is bad.
 */
export class JsonlLog implements LogInput {
  readonly path: string;
  torn = 0;
  size: number | null = null;
  modifiedMs: number | null = null;
  /** Where the fold ends; null before the first read. */
  place: LogPlace | null = null;
  #seq = 0;
  #failed: BadLine | null = null;
  readonly #badPlaces = new Map<number, { offset: number; length: number }>();

  constructor(path: string) {
    this.path = path;
  }

  async read(sink: LogSink, signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean> {
    const from = this.place;
    // Until this read ends well, nothing is known about the place: after a throw everything comes again.
    this.place = null;
    if (from === null) this.#restart(sink);
    let changed = from === null;
    const quick = new QuickLines();
    const growth = await readLogLines(
      this.path,
      from,
      (bytes, at) => {
        changed = this.#line(bytes, at, sink) || changed;
      },
      {
        signal,
        onBytes,
        skip: (bytes, start, end, offset) => {
          const taken = this.#quickly(quick, { bytes, start, end, offset }, sink);
          changed ||= taken === 'changed';
          return taken !== 'no';
        },
        onRestart: () => {
          changed = true;
          this.#restart(sink);
        },
        onTooLong: (at) => {
          changed = true;
          this.#commitBad(sink);
          this.#failed = { at, why: 'it is too long to be read' };
        },
      },
    );
    // Nothing came behind a last line that was taken without its newline: it still lacks it.
    const tail = growth.place.open ? { whole: false, torn: this.torn } : this.#tail(growth.tail, sink);
    this.place = tail.whole && growth.tail ? growth.tail.after : growth.place;
    changed ||= tail.whole || tail.torn !== this.torn;
    this.torn = tail.torn;
    this.size = growth.size;
    this.modifiedMs = growth.modifiedMs;
    return changed;
  }

  async record(ref: RecordRef): Promise<JsonObject | null> {
    if (ref.kind !== 'line') return null;
    const records = batchOf(await readLogBytes(this.path, ref.offset, ref.length));
    return typeof records === 'string' ? null : (records[ref.index] ?? null);
  }

  matching<T>(
    places: readonly { ref: RecordRef; of: T }[],
    pattern: BytePattern,
    signal?: AbortSignal,
    onBytes?: OnBytes,
  ): AsyncIterable<T> {
    const pieces = places.flatMap(({ ref, of }) => (ref.kind === 'line' ? [{ offset: ref.offset, length: ref.length, of }] : []));
    return scanPlaces(this.path, pieces, pattern, signal, onBytes);
  }

  /** Where a bad line lies; null when the line is not one. */
  badPlace(line: number): { offset: number; length: number } | null {
    return this.#badPlaces.get(line) ?? null;
  }

  #restart(sink: LogSink): void {
    sink.restart();
    this.#badPlaces.clear();
    this.#seq = 0;
    this.#failed = null;
    this.torn = 0;
  }

  /** Takes a line without parsing it, where that is enough. */
  #quickly(quick: QuickLines, { bytes, start, end, offset }: QuickLine, sink: LogSink): 'no' | 'same' | 'changed' {
    const skipped = quick.skipped(bytes, start, end);
    // While a question waits, every field of a result may be the answer.
    const result = skipped > 0 || sink.fold.thread.events.interrupts.size > 0 ? null : quick.result(bytes, start, end);
    if (skipped === 0 && result === null) return 'no';
    const failed = this.#commitBad(sink);
    if (result === null) sink.fold.count(this.#seq + 1, skipped);
    else sink.fold.apply(result, { seq: this.#seq + 1, ref: { kind: 'line', offset, length: end - start, index: 0 } });
    this.#seq += Math.max(skipped, 1);
    return failed || result !== null ? 'changed' : 'same';
  }

  /** True when the line changed something. */
  #line(bytes: Buffer, at: LineAt, sink: LogSink): boolean {
    if (isBlankLine(bytes)) return false;
    this.#commitBad(sink);
    const records = batchOf(bytes);
    if (typeof records === 'string') this.#failed = { at, why: records };
    else this.#batch(records, at, bytes.length, sink);
    return true;
  }

  /** Something comes after the line that failed, so it was not the last one. True when there was one. */
  #commitBad(sink: LogSink): boolean {
    if (this.#failed === null) return false;
    const { at, why } = this.#failed;
    sink.fold.addBad({ line: at.number, bytes: at.length, why });
    if (this.#badPlaces.size < MOST_BAD_PLACES) this.#badPlaces.set(at.number, { offset: at.offset, length: at.length });
    this.#failed = null;
    return true;
  }

  #batch(records: readonly JsonObject[], at: LineAt, length: number, sink: LogSink): void {
    // A byte-order mark before the first line is not part of it.
    const offset = at.offset + at.length - length;
    for (const [index, record] of records.entries()) {
      this.#seq += 1;
      sink.fold.apply(record, { seq: this.#seq, ref: { kind: 'line', offset, length, index } });
    }
  }

  /** A tail that is a whole batch only lacks its newline; anything else is torn, and so is a last line that failed. */
  #tail(tail: { bytes: Buffer; at: LineAt } | null, sink: LogSink): { whole: boolean; torn: number } {
    if (tail === null || isBlankLine(tail.bytes)) return { whole: false, torn: this.#failed?.at.length ?? tail?.at.length ?? 0 };
    const records = batchOf(tail.bytes);
    if (typeof records === 'string') {
      const failed = this.#failed?.at.length ?? 0;
      return { whole: false, torn: failed + tail.at.length };
    }
    this.#commitBad(sink);
    this.#batch(records, tail.at, tail.bytes.length, sink);
    return { whole: true, torn: tail.at.length };
  }
}
