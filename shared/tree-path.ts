/**
 * A path inside a git tree, as a string that loses nothing.
 *
 * Git paths are bytes. Bytes that form valid UTF-8 become the text they mean; any other byte 0x80-0xFF becomes the lone
 * surrogate U+DC80-U+DCFF, so every path survives a round trip through strings, JSON and the boundary.
 */
export type TreePath = string;

const REPLACED = 0xdc00;

/** The byte at a place; past the end one that no sequence goes on with. */
const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

/** Length of the well-formed UTF-8 sequence at `at`, or 0 when the bytes there are not well-formed. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = byteAt(bytes, at);
  if (lead < 0x80) return 1;
  const size = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (size === 0) return 0;
  for (let k = 1; k < size; k++) if ((byteAt(bytes, at + k) & 0xc0) !== 0x80) return 0;
  const second = byteAt(bytes, at + 1);
  const overlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
  const surrogate = lead === 0xed && second > 0x9f;
  const tooLarge = lead === 0xf4 && second > 0x8f;
  return overlong || surrogate || tooLarge ? 0 : size;
}

/** The text for path bytes as git stores them. Never throws; `bytesOfTreePath` gives the same bytes back. */
export function treePathOfBytes(bytes: Uint8Array): TreePath {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const size = sequenceLength(bytes, at);
    const lead = byteAt(bytes, at);
    if (size <= 1) {
      text += String.fromCharCode(size === 1 ? lead : REPLACED + lead);
      at += 1;
      continue;
    }
    let point = lead & (0xff >> (size + 1));
    for (let k = 1; k < size; k++) point = (point << 6) | (byteAt(bytes, at + k) & 0x3f);
    text += String.fromCodePoint(point);
    at += size;
  }
  return text;
}

/** The bytes git stores for a path made by `treePathOfBytes`. Other lone surrogates become U+FFFD. */
export function bytesOfTreePath(path: TreePath): Uint8Array {
  const bytes: number[] = [];
  for (const char of path) {
    const point = Number(char.codePointAt(0));
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 0x3f));
    else if (point >= 0xdc80 && point <= 0xdcff) bytes.push(point - REPLACED);
    else if (point >= 0xd800 && point <= 0xdfff) bytes.push(0xef, 0xbf, 0xbd);
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
    else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
  }
  return Uint8Array.from(bytes);
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The path for people: control characters, bidi marks and raw bytes are shown as escapes, so that two rows never look alike. */
export function showTreePath(path: TreePath): string {
  return path.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\udc80-\udcff]/g, (char) => {
    const code = char.charCodeAt(0);
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - REPLACED).toString(16)}`;
    return ESCAPES[char] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
  });
}
