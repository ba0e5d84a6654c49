import type { FileHandle } from 'node:fs/promises';
import { openRegular } from '../../snapshots/regular-file.ts';

const HEADER = 100;
const MOST_PAGES = 4096;
const MOST_WAL = 8 << 20;
const INTERIOR = 0x05;
const LEAF = 0x0d;

async function bytesAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** The children of an interior page of a table tree: one for each cell, and the right-most one. */
function childrenOf(page: Buffer, start: number): number[] {
  const children: number[] = [];
  const cells = page.readUInt16BE(start + 3);
  for (let cell = 0; cell < cells && start + 14 + cell * 2 <= page.length; cell += 1) {
    const at = page.readUInt16BE(start + 12 + cell * 2);
    if (at + 4 <= page.length) children.push(page.readUInt32BE(at));
  }
  children.push(page.readUInt32BE(start + 8));
  return children;
}

/** Looks for the words in the pages of the schema table alone, which begins on page 1 of every database. */
async function isInSchema(handle: FileHandle, words: Buffer): Promise<boolean> {
  const head = await bytesAt(handle, 0, HEADER);
  if (head.length < HEADER || head.toString('latin1', 0, 15) !== 'SQLite format 3') return false;
  const size = head.readUInt16BE(16) === 1 ? 65536 : head.readUInt16BE(16);
  if (size < 512) return false;
  const seen = new Set<number>();
  const open = [1];
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (number === 0 || seen.has(number) || seen.size >= MOST_PAGES) continue;
    seen.add(number);
    const page = await bytesAt(handle, (number - 1) * size, size);
    const start = number === 1 ? HEADER : 0;
    if (page.length < start + 12) continue;
    if (page[start] === LEAF && page.includes(words)) return true;
    if (page[start] === INTERIOR) open.push(...childrenOf(page, start));
  }
  return false;
}

/**
 * May the database have a table whose name holds the word? Reads the few pages of its schema, and the start of its
 * write-ahead log, instead of copying what may be gigabytes. Yes can be wrong, no is sure for a schema of ordinary size.
 */
export async function mayHaveTable(dbPath: string, word: string): Promise<boolean> {
  const words = Buffer.from(word);
  const handle = await openRegular(dbPath);
  try {
    if (await isInSchema(handle, words)) return true;
  } finally {
    await handle.close();
  }
  let wal: FileHandle;
  try {
    wal = await openRegular(`${dbPath}-wal`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  try {
    return (await bytesAt(wal, 0, Math.min(MOST_WAL, (await wal.stat()).size))).includes(words);
  } finally {
    await wal.close();
  }
}
