import { findSecrets, isSecretFile } from '../../shared/secrets.ts';
import { type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';

/** One file's part of a patch. */
interface Section {
  path: TreePath;
  start: number;
  end: number;
}

const HEAD = Buffer.from('diff --git ');
const NEXT = Buffer.from('\ndiff --git ');
/** Pieces in which a part is looked through; they end at line ends. */
const PIECE = 1024 * 1024;

const ESCAPED: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** The bytes of a name that git wrote in quotes; `quoted` begins after the first one. */
function unquoted(quoted: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < quoted.length && quoted[at] !== '"'; at++) {
    if (quoted[at] !== '\\') {
      bytes.push(quoted.charCodeAt(at));
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(quoted.slice(at + 1, at + 4))?.[0];
    bytes.push(octal === undefined ? (ESCAPED[quoted[at + 1] ?? ''] ?? 0) : Number.parseInt(octal, 8));
    at += octal === undefined ? 1 : 3;
  }
  return Buffer.from(bytes);
}

/** The path in a `diff --git a/N b/N` line without its beginning: both names are the same, since no patch of ours has renames. */
function pathOfHead(line: string): TreePath {
  if (line.startsWith('"')) return treePathOfBytes(unquoted(line.slice(1)).subarray(2));
  return treePathOfBytes(Buffer.from(line.slice(2, 2 + (line.length - 5) / 2), 'latin1'));
}

/** The parts of a patch as git writes it, one a file (two for a file that changes its kind). */
export function sectionsOf(patch: Buffer): Section[] {
  const sections: Section[] = [];
  for (let start = patch.indexOf(HEAD) === 0 ? 0 : -1; start >= 0; ) {
    const next = patch.indexOf(NEXT, start);
    const end = next < 0 ? patch.length : next + 1;
    const line = patch.indexOf(10, start);
    sections.push({ path: pathOfHead(patch.toString('latin1', start + HEAD.length, line < 0 ? end : line)), start, end });
    start = next < 0 ? -1 : end;
  }
  return sections;
}

function kindsIn(bytes: Buffer, into: Set<string>): void {
  for (let at = 0; at < bytes.length; ) {
    const cut = at + PIECE >= bytes.length ? bytes.length : bytes.lastIndexOf(10, at + PIECE) + 1;
    const end = cut > at ? cut : Math.min(at + PIECE, bytes.length);
    for (const { kind } of findSecrets(bytes.toString('latin1', at, end))) into.add(kind);
    at = end;
  }
}

/** Whole contents are text in one of these, or are looked through byte by byte. */
function kindsOfContent(bytes: Buffer, into: Set<string>): void {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) kindsIn(Buffer.from(bytes.toString('utf16le'), 'utf8'), into);
  else kindsIn(bytes, into);
}

/** What a file of a patch holds that nobody should see by accident. */
export interface FoundSecret {
  path: TreePath;
  /** Words for it: `API key`, `.env file`; or with which other file it stays out. */
  kinds: string[];
}

/**
 * The files of a patch that hold secrets of known shapes in the lines that it shows, or are `.env` files. `contents` gives both sides of
 * a binary file, whose bytes a patch holds compressed.
 */
export async function secretsInPatch(patch: Buffer, contents: (path: TreePath) => Promise<Buffer[]>): Promise<FoundSecret[]> {
  const found = new Map<TreePath, Set<string>>();
  for (const { path, start, end } of sectionsOf(patch)) {
    const kinds = found.get(path) ?? new Set();
    if (isSecretFile(path)) kinds.add('.env file');
    const part = patch.subarray(start, end);
    if (part.includes('\nGIT binary patch\n')) for (const bytes of await contents(path)) kindsOfContent(bytes, kinds);
    else kindsIn(part, kinds);
    if (kinds.size > 0) found.set(path, kinds);
  }
  return [...found].map(([path, kinds]) => ({ path, kinds: [...kinds] }));
}

/** What stays out: the given files, and each that stands where a folder of one of them is or would be, since one needs the other. */
export function leftOutWith(out: readonly TreePath[], all: readonly TreePath[]): FoundSecret[] {
  const left = new Map<TreePath, TreePath | null>(out.map((path) => [path, null]));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const path of all) {
      const other = left.has(path) ? undefined : [...left.keys()].find((one) => one.startsWith(`${path}/`) || path.startsWith(`${one}/`));
      if (other !== undefined) left.set(path, other);
    }
  }
  return [...left].flatMap(([path, other]) => (other === null ? [] : [{ path, kinds: [`goes with ${other}`] }]));
}
