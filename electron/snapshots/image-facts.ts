import type { ImageFacts } from '../../shared/contract.ts';

const starts = (bytes: Buffer, at: number, text: string): boolean => bytes.toString('latin1', at, at + text.length) === text;

/** Width and height stand in the first chunk, IHDR, which must come first (PNG 5.6). */
function png(bytes: Buffer): ImageFacts | null {
  if (!starts(bytes, 0, '\x89PNG\r\n\x1a\n') || bytes.length < 24 || !starts(bytes, 12, 'IHDR')) return null;
  return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): ImageFacts | null {
  if (!(starts(bytes, 0, 'GIF87a') || starts(bytes, 0, 'GIF89a')) || bytes.length < 10) return null;
  return { type: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** The three forms of a WebP file: lossy (VP8), lossless (VP8L), extended (VP8X). */
function webp(bytes: Buffer): ImageFacts | null {
  if (!starts(bytes, 0, 'RIFF') || !starts(bytes, 8, 'WEBP') || bytes.length < 30) return null;
  if (starts(bytes, 12, 'VP8X')) return { type: 'webp', width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (starts(bytes, 12, 'VP8 ')) return { type: 'webp', width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (!starts(bytes, 12, 'VP8L')) return null;
  const bits = bytes.readUInt32LE(21);
  return { type: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Markers of a JPEG that begin a frame, with its height and width; not those of tables (C4, C8, CC). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpeg(bytes: Buffer): ImageFacts | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { type: 'jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** What the first bytes say of an image of the kinds that every browser draws; null for anything else, whatever its name ends in. */
export function imageFacts(bytes: Buffer): ImageFacts | null {
  const facts = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return facts !== null && facts.width > 0 && facts.height > 0 ? facts : null;
}
