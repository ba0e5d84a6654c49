const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const isUtf16 = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xfe;

/** A file's text as Claude Code's tools see it: decoded, without mark, line ends as LF. */
export function plainText(bytes: Buffer): string {
  const text = isUtf16(bytes) ? bytes.toString('utf16le') : bytes.toString('utf8');
  return (text.startsWith('\ufeff') ? text.slice(1) : text).replaceAll('\r\n', '\n');
}

/**
 * The bytes that a text of a tool result stands for. The tools strip marks and carriage returns before they edit, and put them
 * back when they write; `like` is what is known of the file's own bytes (a backup, or the file on disk), null when nothing is.
 */
export function bytesOfText(text: string, like: Buffer | null): Buffer {
  if (like === null) return Buffer.from(text);
  const ends = like.includes('\r\n') && !text.includes('\r') && !/(?:^|[^\r])\n/.test(plainEnds(like));
  const body = ends ? text.replaceAll('\n', '\r\n') : text;
  if (isUtf16(like)) return Buffer.from(body.startsWith('\ufeff') ? body : `\ufeff${body}`, 'utf16le');
  const marked = like.subarray(0, 3).equals(UTF8_MARK) && !body.startsWith('\ufeff');
  return marked ? Buffer.concat([UTF8_MARK, Buffer.from(body)]) : Buffer.from(body);
}

const plainEnds = (bytes: Buffer): string => bytes.toString(isUtf16(bytes) ? 'utf16le' : 'latin1');
