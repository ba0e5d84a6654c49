import type { ObjectFormat } from './object-id.ts';
import type { TreeEntry } from './objects.ts';

/** One line of a tree object. The name is its bytes as latin1 text, which compares and concatenates without loss. */
export interface TreeLine {
  name: string;
  mode: TreeEntry['mode'] | '40000';
  oid: string;
}

/** A mode as git canonicalises it: old trees hold 100664 and zero-padded modes. */
function modeOf(text: string): TreeLine['mode'] | null {
  const bits = Number.parseInt(text, 8);
  switch (bits & 0o170000) {
    case 0o040000:
      return '40000';
    case 0o120000:
      return '120000';
    case 0o160000:
      return '160000';
    case 0o100000:
      return bits & 0o100 ? '100755' : '100644';
    default:
      return null;
  }
}

/** The lines of a tree object, in its own order; null when the bytes are not a tree. */
export function parseTree(bytes: Buffer, format: ObjectFormat): TreeLine[] | null {
  const idBytes = format === 'sha1' ? 20 : 32;
  const lines: TreeLine[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + idBytes > bytes.length || space - at > 7) return null;
    const mode = modeOf(bytes.toString('latin1', at, space));
    if (mode === null) return null;
    lines.push({ name: bytes.toString('latin1', space + 1, end), mode, oid: bytes.toString('hex', end + 1, end + 1 + idBytes) });
    at = end + 1 + idBytes;
  }
  return lines;
}

/** Git sorts folders as if their name ended in a slash. */
const sortKey = (line: TreeLine): string => (line.mode === '40000' ? `${line.name}/` : line.name);

/** The bytes of a tree object with these lines, in git's order. */
export function treeBytes(lines: readonly TreeLine[]): Buffer {
  const sorted = lines.map((line) => ({ line, key: sortKey(line) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(sorted.flatMap(({ line }) => [Buffer.from(`${line.mode} ${line.name}\0`, 'latin1'), Buffer.from(line.oid, 'hex')]));
}
