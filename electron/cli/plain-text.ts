/** Control characters but tab and line feed, and those that turn the direction of what follows. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text of a thread as a terminal may show it: what a terminal would obey (colours, titles, a cursor that moves, text that runs
 * backwards) is written out. Lines stay lines; a carriage return at the end of one goes.
 */
export function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSEEN, (char) =>
      char < '\u0100' ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : `\\u{${char.charCodeAt(0).toString(16)}}`,
    );
}

/** The bytes of a diff as a terminal may show them; to a file or a pipe they go as they are. Bytes above ASCII may be letters, so they stay. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  const written = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return Buffer.from(written, 'latin1');
}
