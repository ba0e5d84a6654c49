import type { FileSide } from '../../shared/contract.ts';
import { imageFacts } from './image-facts.ts';
import { isBinary } from './merge.ts';

/** Above any of these a file is only shown when asked for: editors freeze on them (cases C-20). */
const MAX_BYTES = 1.5 * 1024 * 1024;
const MAX_LINES = 20_000;
const MAX_LINE = 20_000;
const HEAD = 256;

type Encoding = FileSide['encoding'];

/** The encoding that the bytes themselves show: a byte order mark, valid UTF-8, else one byte a character. */
function encodingOf(bytes: Buffer): Encoding {
  if (bytes.length % 2 === 0 && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes.length % 2 === 0 && bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (isBinary(bytes)) return 'binary';
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return marked ? 'utf-8-bom' : 'utf-8';
  } catch {
    return 'latin1';
  }
}

/** The text without its byte order mark. */
function textOf(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-16le':
      return bytes.toString('utf16le', 2);
    case 'utf-16be':
      return Buffer.from(bytes.subarray(2)).swap16().toString('utf16le');
    case 'utf-8-bom':
      return bytes.toString('utf8', 3);
    case 'latin1':
      return bytes.toString('latin1');
    default:
      return bytes.toString('utf8');
  }
}

/** Line endings, number of lines and the longest line in one pass. A lone CR ends no line, as for git. */
function linesOf(text: string): { eol: FileSide['eol']; lines: number; longest: number } {
  let crlf = 0;
  let lf = 0;
  let longest = 0;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end > 0 && text.charCodeAt(end - 1) === 13) crlf += 1;
    else lf += 1;
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  const eol = crlf > 0 && lf > 0 ? 'mixed' : crlf > 0 ? 'crlf' : lf > 0 ? 'lf' : 'none';
  const rest = text.length - start;
  return { eol, lines: crlf + lf + (rest > 0 ? 1 : 0), longest: Math.max(longest, rest) };
}

/**
 * One side of a diff as the viewer shows it. `entry.mode` is git's; a submodule has no bytes of its own. `anyway` gives
 * the text of a file above the limits too.
 */
export function sideOf(entry: { mode: string }, bytes: Buffer, o: { anyway: boolean }): FileSide {
  const kind = entry.mode === '120000' ? 'link' : entry.mode === '160000' ? 'submodule' : 'file';
  const encoding = encodingOf(bytes);
  const common = { kind, executable: entry.mode === '100755', bytes: bytes.length, encoding } as const;
  if (encoding === 'binary') {
    const head = bytes.subarray(0, HEAD).toString('hex');
    const image = imageFacts(bytes);
    return { ...common, text: null, binary: true, tooLarge: false, eol: 'none', head, ...(image && { image }) };
  }
  if (!o.anyway && bytes.length > MAX_BYTES) return { ...common, text: null, binary: false, tooLarge: true, eol: 'none', head: null };
  const text = textOf(bytes, encoding);
  const { eol, lines, longest } = linesOf(text);
  const tooLarge = bytes.length > MAX_BYTES || lines > MAX_LINES || longest > MAX_LINE;
  return { ...common, text: tooLarge && !o.anyway ? null : text, binary: false, tooLarge, eol, head: null };
}
