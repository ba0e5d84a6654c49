import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** A longer list is not one that git wrote, and git itself follows no more than five borrowings of borrowings. */
const MOST_BYTES = 64 * 1024;
const MOST_DEEP = 5;
const MOST_FOLDERS = 256;

async function textOf(file: string): Promise<string> {
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= MOST_BYTES ? await readFile(file, 'utf8') : '';
  } catch {
    // Most stores borrow nothing, and have no such file.
    return '';
  }
}

/** Is there a folder? */
export const isFolder = async (folder: string): Promise<boolean> => (await stat(folder).catch(() => null))?.isDirectory() ?? false;

/** A line as git reads it: a quoted one has the escapes of C. */
function unquoted(line: string): string {
  if (!line.startsWith('"') || !line.endsWith('"')) return line;
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
  return line
    .slice(1, -1)
    .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, char: string) =>
      octal === undefined ? (escapes[char] ?? char) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}

/** The folders that a folder of objects says it borrows from, there or not. */
export async function lendersOf(objects: string): Promise<string[]> {
  const lines = (await textOf(path.join(objects, 'info', 'alternates'))).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => path.resolve(objects, unquoted(line)));
}

/**
 * Folders of objects that these borrow from, directly or through others, and that are not there: moved, removed, or on a disk that is
 * not mounted. What lies there cannot be told from what has expired. A folder beside the borrowing ones that borrows nothing stands in
 * for what is gone: it is the same repository at its new place. Only reads.
 */
export async function lendersGone(objectFolders: readonly string[]): Promise<string[]> {
  const gone = new Set<string>();
  const seen = new Set(objectFolders);
  let open = [...objectFolders];
  for (let deep = 0; deep < MOST_DEEP && open.length > 0; deep += 1) {
    const next: string[] = [];
    for (const folder of open) {
      const lenders = await lendersOf(folder);
      if (deep === 0 && lenders.length === 0 && (await isFolder(folder))) return [];
      for (const lender of lenders) {
        if (seen.has(lender) || seen.size >= MOST_FOLDERS) continue;
        seen.add(lender);
        if (await isFolder(lender)) next.push(lender);
        else gone.add(lender);
      }
    }
    open = next;
  }
  return [...gone];
}

/** Folders for a sentence: the first of them, and how many more. */
export function namedFolders(folders: readonly string[]): string {
  const [first = '', ...rest] = folders;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
