import { zstdDecompressSync } from 'node:zlib';

export const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** A frame that unpacks to more is not a log line batch but an attack on memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/** One frame of a file: where it ends, and its content; null for a skippable frame. */
export interface Frame {
  end: number;
  content: Buffer | null;
}

/** Length in bytes of the frame that starts at `at`; null when the file ends inside it. Throws when no frame starts there. */
export function frameLength(file: Buffer, at: number): number | null {
  if (at + 4 > file.length) return null;
  const magic = file.readUInt32LE(at);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) return at + 8 > file.length ? null : whole(file, at, 8 + file.readUInt32LE(at + 4));
  if (magic !== MAGIC) throw new Error(`no Zstandard frame at byte ${at}`);
  if (at + 5 > file.length) return null;
  const descriptor = file.readUInt8(at + 4);
  const single = (descriptor & 0x20) !== 0;
  const checksum = (descriptor & 0x04) !== 0;
  const dictionary = (1 << (descriptor & 3)) >> 1;
  const sizeFlag = descriptor >> 6;
  const contentSize = sizeFlag === 0 ? (single ? 1 : 0) : 1 << sizeFlag;
  let next = at + 5 + (single ? 0 : 1) + dictionary + contentSize;
  for (;;) {
    if (next + 3 > file.length) return null;
    const header = file.readUIntLE(next, 3);
    const type = (header >> 1) & 3;
    if (type === 3) throw new Error(`reserved Zstandard block at byte ${next}`);
    next += 3 + (type === 1 ? 1 : header >> 3);
    if (next > file.length) return null;
    if ((header & 1) === 1) return whole(file, at, next - at + (checksum ? 4 : 0));
  }
}

const whole = (file: Buffer, at: number, length: number): number | null => (at + length > file.length ? null : length);

/**
 * The complete frames from byte `from` on, each unpacked with its checksum verified (formats/dsh.md, encoding: frames are found by
 * their block headers, never by searching for the magic number). A last frame that is cut off is left out: it is still being
 * written. Throws when the bytes are no Zstandard, or a complete frame is damaged or unpacks to more than `most` bytes.
 */
export function* framesOf(file: Buffer, from = 0, most = MOST_BYTES): Generator<Frame> {
  for (let at = from; at < file.length; ) {
    const length = frameLength(file, at);
    if (length === null) return;
    const end = at + length;
    const skippable = file.readUInt32LE(at) !== MAGIC;
    yield { end, content: skippable ? null : zstdDecompressSync(file.subarray(at, end), { maxOutputLength: most }) };
    at = end;
  }
}
