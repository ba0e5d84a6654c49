import { type FileHandle, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { openRegular } from '../../snapshots/regular-file.ts';

const MAGIC = 0xff744f63;
const FANOUT = 8;
const NAMES = FANOUT + 256 * 4;

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM';
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function bytesAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** Looks an id up in a pack index of version 2: 256 counts by first byte, then all names in order. */
async function isInPack(file: string, id: Buffer): Promise<boolean> {
  const handle = await openRegular(file);
  try {
    const head = await bytesAt(handle, 0, NAMES);
    if (head.length < NAMES || head.readUInt32BE(0) !== MAGIC || head.readUInt32BE(4) !== 2) return false;
    const lead = id[0] ?? 0;
    let low = lead === 0 ? 0 : head.readUInt32BE(FANOUT + (lead - 1) * 4);
    let high = head.readUInt32BE(FANOUT + lead * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const name = await bytesAt(handle, NAMES + middle * id.length, id.length);
      if (name.length < id.length) return false;
      const order = Buffer.compare(name, id);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  } finally {
    await handle.close();
  }
}

/**
 * Is the object in this object folder, loose or packed? Only reads files: no git runs, no configuration is opened. Objects
 * that the folder borrows from others are not looked for.
 */
export async function hasObject(objects: string, id: string): Promise<boolean> {
  if (await isFile(path.join(objects, id.slice(0, 2), id.slice(2)))) return true;
  let packs: string[];
  try {
    packs = (await readdir(path.join(objects, 'pack'))).filter((name) => name.endsWith('.idx'));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  for (const pack of packs) if (await isInPack(path.join(objects, 'pack', pack), Buffer.from(id, 'hex'))) return true;
  return false;
}
