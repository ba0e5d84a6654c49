import { setImmediate as breathe } from 'node:timers/promises';
import { causeOf, TurnbackError } from '../../../shared/errors.ts';
import { openRegular } from '../../snapshots/regular-file.ts';
import { LineParts } from '../line-parts.ts';
import { LONGEST_LINE, logError, readLogLines } from '../log-lines.ts';
import type { PartSpool } from '../part-spool.ts';
import type { OnBytes } from '../source.ts';
import { TextPool } from '../text-pool.ts';
import { DshIntake, type DshLog } from './dsh-log.ts';
import { leanEvent } from './lean-event.ts';
import { framesIn, Unpacker } from './zstd-file.ts';

/** Most that a whole log unpacks to, and how many times its own size where that is more: no log packs better. */
const MOST_BYTES = 256 << 20;
const MOST_TIMES = 32;

/** A log that was read from its file, and how many bytes it had. */
export interface ReadFile {
  log: DshLog | null;
  length: number;
}

export interface ReadParts {
  /** Takes the lines of cut events of a packed log: they lie nowhere else as they are. */
  spool: PartSpool;
  signal?: AbortSignal | undefined;
  onBytes?: OnBytes | undefined;
}

/**
 * Reads a log as a stream, with the long texts of its events cut: a log may be larger than what it takes to look at it. As `readLog`
 * else. Throws NOT_FOUND, LOG_UNREADABLE, CANCELLED.
 */
export function readDshFile(file: string, zstd: boolean, parts: ReadParts): Promise<ReadFile> {
  return zstd ? readPacked(file, parts) : readPlain(file, parts);
}

async function readPlain(file: string, { signal, onBytes }: ReadParts): Promise<ReadFile> {
  let at = { offset: 0, length: 0 };
  const texts = new TextPool();
  const intake = new DshIntake((event, line) => leanEvent(event, line.length, () => at, texts));
  const growth = await readLogLines(
    file,
    null,
    (line, place) => {
      at = place;
      intake.take(line);
    },
    { signal, onBytes, onTooLong: ({ length }) => intake.refuse(length), skip: () => intake.over },
  );
  const torn = growth.tail?.at.length ?? 0;
  const { log } = intake;
  if (log !== null) log.tornBytes = torn;
  return { log, length: growth.place.offset + torn };
}

/** Puts the lines of a frame together from its pieces. */
class Lines {
  readonly #parts = new LineParts(LONGEST_LINE);
  readonly #each: (line: Buffer) => void;

  constructor(each: (line: Buffer) => void) {
    this.#each = each;
  }

  take(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf(0x0a, at);
      const part = piece.subarray(at, end < 0 ? piece.length : end);
      if (this.#parts.length + part.length > LONGEST_LINE) throw new Error('a line is too long to be read');
      const whole = end >= 0 && this.#parts.length === 0;
      if (!whole) this.#parts.add(part);
      if (end < 0) return;
      this.#each(whole ? part : (this.#parts.take() ?? part));
      at = end + 1;
    }
  }

  end(): void {
    if (this.#parts.length > 0) throw new Error('complete frame contains a torn JSONL record');
  }
}

async function readPacked(file: string, { spool, signal, onBytes }: ReadParts): Promise<ReadFile> {
  const handle = await openRegular(file).catch((thrown: unknown) => {
    throw logError(file, thrown);
  });
  const unpacker = new Unpacker(handle);
  try {
    const { size } = await handle.stat();
    const texts = new TextPool();
    const intake = new DshIntake((event, line) => leanEvent(event, line.length, () => spool.add(line), texts));
    const most = Math.max(MOST_BYTES, MOST_TIMES * size);
    let [end, unpacked] = [0, 0];
    let mark = intake.mark;
    try {
      for await (const frame of framesIn(handle, size)) {
        const lines = new Lines((line) => intake.take(line));
        const take = async (piece: Buffer): Promise<void> => {
          unpacked += piece.length;
          if (unpacked > most) throw new Error(`the log unpacks to more than ${most} bytes`);
          // The rest of a frame is unpacked for its checksum only.
          if (!intake.over) lines.take(piece);
          if (spool.full) await spool.flush();
          if (signal?.aborted) throw new TurnbackError('CANCELLED');
        };
        if (frame.skippable) await breathe();
        else await unpacker.unpack(frame, take);
        if (!intake.over) lines.end();
        // What comes next may be damaged; what is read is whole.
        end = frame.end;
        mark = intake.mark;
        onBytes?.(end, size);
      }
      if (intake.log !== null) intake.log.tornBytes = size - end;
    } catch (thrown) {
      if (thrown instanceof TurnbackError) throw thrown;
      intake.damagedSince(mark, causeOf(thrown));
    }
    await spool.flush();
    return { log: intake.log, length: size };
  } finally {
    unpacker.close();
    await handle.close();
  }
}
