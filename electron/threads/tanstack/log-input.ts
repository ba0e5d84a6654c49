import type { BytePattern } from '../byte-pattern.ts';
import type { OnBytes } from '../source.ts';
import type { LogFold } from './log-fold.ts';
import type { JsonObject, RecordRef } from './record.ts';

/** Takes what a store gives: the fold, made anew when the store starts over. */
export interface LogSink {
  readonly fold: LogFold;
  restart(): void;
}

/** A store of one log, read as far as it grew. */
export interface LogInput {
  /** Path of the file or database. */
  readonly path: string;
  /** Feeds the records that are new; true when anything changed. After a throw everything comes again. */
  read(sink: LogSink, signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean>;
  /** A record again; null when the store does not have it any more. */
  record(ref: RecordRef): Promise<JsonObject | null>;
  /** What the records belong to that may hold what the pattern finds; absent where looking costs as much as reading them. */
  matching?<T>(
    places: readonly { ref: RecordRef; of: T }[],
    pattern: BytePattern,
    signal?: AbortSignal,
    onBytes?: OnBytes,
  ): AsyncIterable<T>;
  /** Bytes of an unfinished record at the end, 0 when there are none. */
  readonly torn: number;
  readonly size: number | null;
  readonly modifiedMs: number | null;
}
