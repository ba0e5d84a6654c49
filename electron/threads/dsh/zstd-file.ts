import type { FileHandle } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import { frameLength, MAGIC } from './zstd-frames.ts';

/** Bytes of the file that are looked at together. */
const WINDOW = 1 << 20;
const PIECE = 1 << 18;
/** Room for what is unpacked: several frames of a log share it. */
const ROOM = 1 << 16;

/** Where a frame lies in the file. */
export interface FrameAt {
  start: number;
  end: number;
  skippable: boolean;
  /** Its bytes where they are at hand; null for a large one. */
  packed: Buffer | null;
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/**
 * The frames of a file of `size` bytes, as `framesOf` finds them in memory. The last one may be cut off: it is left out. Throws where
 * the bytes are no Zstandard.
 */
export async function* framesIn(handle: FileHandle, size: number): AsyncGenerator<FrameAt> {
  let window: Buffer = Buffer.alloc(0);
  let base = 0;
  for (let at = 0; at < size; ) {
    let length = frameIn(window, at - base, base);
    if (length === null) {
      [window, base] = [await bytesAt(handle, at, Math.min(WINDOW, size - at)), at];
      length = frameIn(window, 0, base) ?? (at + window.length < size ? await longFrame(handle, at, size) : null);
    }
    if (length === null || at + length > size) return;
    const skippable = at - base + 4 <= window.length && window.readUInt32LE(at - base) !== MAGIC;
    const packed = at - base + length <= window.length ? window.subarray(at - base, at - base + length) : null;
    yield { start: at, end: at + length, skippable, packed };
    at += length;
  }
}

function frameIn(window: Buffer, at: number, base: number): number | null {
  try {
    return at >= window.length ? null : frameLength(window, at);
  } catch (thrown) {
    // The place is told in the file, not in the window.
    const [, place] = thrown instanceof Error ? (/ at byte (\d+)$/.exec(thrown.message) ?? []) : [];
    if (place === undefined || !(thrown instanceof Error)) throw thrown;
    throw new Error(thrown.message.replace(/\d+$/, String(Number(place) + base)));
  }
}

/** The length of a frame that is larger than a window: its block headers are followed through the file. Null when it is cut off. */
async function longFrame(handle: FileHandle, start: number, size: number): Promise<number | null> {
  let window = await bytesAt(handle, start, Math.min(WINDOW, size - start));
  let base = start;
  const magic = window.readUInt32LE(0);
  if (magic !== MAGIC) return 8 + window.readUInt32LE(4);
  const descriptor = window.readUInt8(4);
  const single = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const contentSize = sizeFlag === 0 ? (single ? 1 : 0) : 1 << sizeFlag;
  let at = start + 5 + (single ? 0 : 1) + ((1 << (descriptor & 3)) >> 1) + contentSize;
  for (;;) {
    if (at + 3 > size) return null;
    if (at + 3 > base + window.length || at < base) [window, base] = [await bytesAt(handle, at, Math.min(WINDOW, size - at)), at];
    if (window.length < at - base + 3) return null;
    const header = window.readUIntLE(at - base, 3);
    const type = (header >> 1) & 3;
    if (type === 3) throw new Error(`reserved Zstandard block at byte ${at}`);
    at += 3 + (type === 1 ? 1 : header >> 3);
    if ((header & 1) === 1) return at - start + ((descriptor & 0x04) !== 0 ? 4 : 0);
  }
}

type Take = (piece: Buffer) => void | Promise<void>;

/**
 * Unpacks frames one after the other with one stream of zstd: one for each frame would leave memory behind that waits to be collected.
 * After a throw it is of no use any more.
 */
export class Unpacker {
  readonly #handle: FileHandle;
  readonly #stream = createZstdDecompress({ chunkSize: ROOM });
  #failed: Error | null = null;
  #wake = (): void => undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
    this.#stream.on('readable', () => this.#wake());
    this.#stream.on('error', (error) => {
      this.#failed = error;
      this.#wake();
    });
  }

  /** Hands the content of a frame to `take`, piece by piece, its checksum verified with the last one. Throws for a damaged frame, and what `take` throws. */
  async unpack({ start, end, packed }: FrameAt, take: Take): Promise<void> {
    if (packed !== null) return this.#pass(packed, take);
    for (let at = start; at < end; at += PIECE) await this.#pass(await bytesAt(this.#handle, at, Math.min(PIECE, end - at)), take);
  }

  async #pass(packed: Buffer, take: Take): Promise<void> {
    let passed = false;
    this.#stream.write(packed, () => {
      passed = true;
      this.#wake();
    });
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const piece: Buffer | null = this.#stream.read();
      if (piece !== null) await take(piece);
      else if (this.#failed !== null) throw this.#failed;
      else if (passed) return;
      else await woken;
    }
  }

  close(): void {
    this.#stream.destroy();
  }
}
