import type { FileHandle } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { openRegular } from '../snapshots/regular-file.ts';
import { LineParts } from './line-parts.ts';

const NEWLINE = 0x0a;
const CHUNK = 4 << 20;
/** Milliseconds after which other work of this process gets its turn. */
const SLICE = 25;
const LINES_BETWEEN_CLOCKS = 32;
const ANCHOR = 256;
/** A longer line is a bad line: while it is parsed it lies in memory several times. */
export const LONGEST_LINE = 64 << 20;

/** Where reading stopped, and how to know later that the file is still the same one up to there. */
export interface LogPlace {
  /** Device and file number: another file of the same name has another one. */
  identity: string;
  /** Bytes that were read. */
  offset: number;
  /** Lines that were read. */
  line: number;
  /** The last bytes before `offset`, as hex: a file that was rewritten in place has others. */
  anchor: string;
  /** The last line was taken although its newline was still missing. */
  open: boolean;
}

export interface LineAt {
  offset: number;
  length: number;
  /** From 1. */
  number: number;
}

export interface LogGrowth {
  /** Where the next read goes on: after the last newline. */
  place: LogPlace;
  size: number;
  modifiedMs: number;
  /**
   * Bytes after the last newline: a line that is being written, or was torn off. Null when there are none. `after` is the
   * place to go on from when they turn out to be a whole line that only lacks its newline.
   */
  tail: { bytes: Buffer; at: LineAt; after: LogPlace } | null;
}

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Told how many bytes of the file are read, after each chunk. */
  onBytes?: ((done: number, total: number) => void) | undefined;
  /** The file is not the one of `from` any more (it shrank, or was replaced): everything comes again from the start. */
  onRestart?: () => void;
  /** A line that is too long to be read. */
  onTooLong?: (at: LineAt) => void;
  /**
   * True for a line, `bytes` from `start` to `end`, at byte `offset` of the file, that need not be handed out. Asked before anything is made for the line,
   * since most lines of a large log may be of no interest; `bytes` is a whole chunk and only valid during the call.
   */
  skip?: (bytes: Buffer, start: number, end: number, offset: number) => boolean;
}

/** Any failure of the file system at `file` as NOT_FOUND or LOG_UNREADABLE. */
export function logError(file: string, error: unknown): TurnbackError {
  if (error instanceof TurnbackError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return new TurnbackError('NOT_FOUND', { path: file }, { cause: error });
  const cause = error instanceof Error ? error.message : String(error);
  return new TurnbackError('LOG_UNREADABLE', { path: file, cause }, { cause: error });
}

/** True for a line of white space and NUL bytes only (a hole that a crash left): there is nothing in it. */
export function isBlankLine(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09 && byte !== 0) return false;
  return true;
}

/** `length` bytes from `offset` on, in `bytes` where it is given; fewer at the end of the file. */
export async function readFully(
  handle: FileHandle,
  length: number,
  offset: number,
  bytes: Buffer = Buffer.allocUnsafe(length),
): Promise<Buffer> {
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** The last bytes before `offset`, the sign by which a place is known again. */
export async function anchorAt(handle: FileHandle, offset: number): Promise<string> {
  const length = Math.min(ANCHOR, offset);
  return (await readFully(handle, length, offset - length)).toString('hex');
}

/** True when the file, `size` bytes long, still has what was read up to `place`, and whole lines may follow there. */
export async function isSameUpTo(handle: FileHandle, place: LogPlace, identity: string, size: number): Promise<boolean> {
  if (place.identity !== identity || size < place.offset) return false;
  if ((await anchorAt(handle, place.offset)) !== place.anchor) return false;
  if (!place.open || size === place.offset) return true;
  return (await readFully(handle, 1, place.offset))[0] === NEWLINE;
}

/** Hands out whole lines of a stream of chunks; a line that spans chunks is put together. */
class Splitter {
  readonly #parts = new LineParts(LONGEST_LINE);
  #start: number;
  #line: number;
  readonly #each: (bytes: Buffer, at: LineAt) => void;
  readonly #options: ReadOptions;

  constructor(offset: number, line: number, each: (bytes: Buffer, at: LineAt) => void, options: ReadOptions) {
    this.#start = offset;
    this.#line = line;
    this.#each = each;
    this.#options = options;
  }

  /** Takes the chunk from `from` on; returns where to go on when the slice of time is used up, else the chunk's length. */
  take(chunk: Buffer, from: number, until: number): number {
    let at = from;
    for (let count = 1; at < chunk.length; count += 1) {
      const end = chunk.indexOf(NEWLINE, at);
      if (end < 0) {
        // The chunk's memory is used again.
        this.#parts.add(chunk.subarray(at));
        return chunk.length;
      }
      if (this.#parts.length === 0 && this.#options.skip?.(chunk, at, end, this.#start)) this.#pass(end - at);
      else this.#emit(chunk.subarray(at, end));
      at = end + 1;
      if (count % LINES_BETWEEN_CLOCKS === 0 && performance.now() > until) break;
    }
    return at;
  }

  #emit(last: Buffer): void {
    this.#line += 1;
    const whole = this.#parts.length === 0;
    if (!whole) this.#parts.add(last);
    const length = whole ? last.length : this.#parts.length;
    const at = { offset: this.#start, length, number: this.#line };
    this.#start += length + 1;
    const line = whole ? last : this.#parts.take();
    if (line === null) {
      this.#options.onTooLong?.(at);
      return;
    }
    const bytes = withoutMark(line, at);
    if (whole || !this.#options.skip?.(bytes, 0, bytes.length, at.offset + at.length - bytes.length)) this.#each(bytes, at);
  }

  #pass(length: number): void {
    this.#line += 1;
    this.#start += length + 1;
  }

  get offset(): number {
    return this.#start;
  }

  get line(): number {
    return this.#line;
  }

  rest(): { bytes: Buffer; at: LineAt } | null {
    const { length } = this.#parts;
    if (length === 0) return null;
    const at = { offset: this.#start, length, number: this.#line + 1 };
    return { bytes: withoutMark(this.#parts.take() ?? Buffer.alloc(0), at), at };
  }
}

/** A byte-order mark at the start of the file belongs to no line. */
function withoutMark(bytes: Buffer, at: LineAt): Buffer {
  const marked = at.offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}

async function feed(handle: FileHandle, splitter: Splitter, from: number, size: number, options: ReadOptions): Promise<void> {
  const { signal, onBytes } = options;
  const buffers: Buffer[] = [];
  const fetch = (turn: number, offset: number): Promise<{ bytesRead: number; buffer: Buffer }> | null => {
    if (offset >= size) return null;
    const length = Math.min(CHUNK, size - offset);
    const buffer = buffers[turn % 2] ?? Buffer.allocUnsafe(length);
    buffers[turn % 2] = buffer;
    return handle.read(buffer, 0, Math.min(length, buffer.length), offset);
  };
  let offset = from;
  let coming = fetch(0, offset);
  let until = performance.now() + SLICE;
  for (let turn = 0; coming !== null; turn += 1) {
    const { bytesRead, buffer } = await coming;
    if (bytesRead === 0) return;
    offset += bytesRead;
    // The next chunk comes from the disk while this one is split.
    coming = fetch(turn + 1, offset);
    const chunk = buffer.subarray(0, bytesRead);
    for (let at = 0; at < chunk.length; ) {
      at = splitter.take(chunk, at, until);
      if (performance.now() > until) {
        await breathe();
        until = performance.now() + SLICE;
      }
      if (signal?.aborted) {
        await coming;
        throw new TurnbackError('CANCELLED');
      }
    }
    onBytes?.(offset, size);
  }
}

/**
 * Reads the lines of a log that came after `from` (null: all) and hands each to `each`, split at byte 0x0A and at nothing
 * else. `bytes` are only valid during the call. Lines that have no newline yet are not handed out but returned as `tail`.
 * Other work of the process gets its turn every few milliseconds; no handle stays open.
 *
 * Throws NOT_FOUND, LOG_UNREADABLE, CANCELLED. After a throw the place is unknown: read again from the start.
 */
export async function readLogLines(
  file: string,
  from: LogPlace | null,
  each: (bytes: Buffer, at: LineAt) => void,
  options: ReadOptions = {},
): Promise<LogGrowth> {
  let handle: FileHandle | null = null;
  try {
    handle = await openRegular(file);
    const stat = await handle.stat();
    const identity = `${stat.dev}:${stat.ino}`;
    let start = from;
    if (start !== null && !(await isSameUpTo(handle, start, identity, stat.size))) {
      start = null;
      options.onRestart?.();
    }
    const unchanged = start !== null && stat.size === start.offset;
    if (start !== null && unchanged) return { place: start, size: stat.size, modifiedMs: stat.mtimeMs, tail: null };
    // The newline that an open last line was waiting for ends a line that was taken already.
    const begin = (start?.offset ?? 0) + (start?.open ? 1 : 0);
    const splitter = new Splitter(begin, start?.line ?? 0, each, options);
    await feed(handle, splitter, begin, stat.size, options);
    const { offset, line } = splitter;
    const place = { identity, offset, line, anchor: await anchorAt(handle, offset), open: false };
    const rest = splitter.rest();
    const end = offset + (rest?.at.length ?? 0);
    const after = { identity, offset: end, line: line + 1, anchor: await anchorAt(handle, end), open: true };
    return { place, size: stat.size, modifiedMs: stat.mtimeMs, tail: rest && { ...rest, after } };
  } catch (error) {
    throw logError(file, error);
  } finally {
    await handle?.close();
  }
}

/** `length` bytes of a file from `offset` on; fewer at its end. Throws NOT_FOUND or LOG_UNREADABLE. */
export async function readLogBytes(file: string, offset: number, length: number): Promise<Buffer> {
  let handle: FileHandle | null = null;
  try {
    handle = await openRegular(file);
    return await readFully(handle, length, offset);
  } catch (error) {
    throw logError(file, error);
  } finally {
    await handle?.close();
  }
}

/** How far the start of a line is looked for. */
const LONGEST_SEARCH = 32 << 20;

/**
 * The place of the first line that begins behind byte `offset`, for reading only the end of a log: lines are counted from
 * there. Null when no line begins there. Throws NOT_FOUND or LOG_UNREADABLE.
 */
export async function placeBehind(file: string, offset: number): Promise<LogPlace | null> {
  let handle: FileHandle | null = null;
  try {
    handle = await openRegular(file);
    const stat = await handle.stat();
    for (let at = Math.max(0, offset); at < Math.min(stat.size, offset + LONGEST_SEARCH); at += ANCHOR * 256) {
      const found = (await readFully(handle, ANCHOR * 256, at)).indexOf(NEWLINE);
      if (found < 0) continue;
      const begin = at + found + 1;
      return { identity: `${stat.dev}:${stat.ino}`, offset: begin, line: 0, anchor: await anchorAt(handle, begin), open: false };
    }
    return null;
  } catch (error) {
    throw logError(file, error);
  } finally {
    await handle?.close();
  }
}
