import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { compress } from './compress.ts';
import { syncFolder } from './durable.ts';
import { type ObjectKind, objectHeader } from './object-id.ts';
import { stored } from './stored.ts';

/** A file takes four kilobytes of the disk at least: to compress what fits only costs time, and a stream of zlib in memory. */
const SMALL = 4000;

function placeOf(objectFolder: string, oid: string): string {
  return path.join(objectFolder, oid.slice(0, 2), oid.slice(2));
}

/** True when the folder holds the object as a file of its own. At once: it is asked for each object. */
export function hasLoose(objectFolder: string, oid: string): boolean {
  return statSync(placeOf(objectFolder, oid), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Stores one object as git does: compressed beside its place, made durable, renamed. One that is there is left as it is,
 * its mtime too (git itself would touch it, also in a store it only borrows from). `shared`: a store
 * that is not ours, whose bits are for others too, as git has them.
 */
export async function writeLoose(objectFolder: string, kind: ObjectKind, oid: string, content: Uint8Array, shared = false): Promise<void> {
  if (hasLoose(objectFolder, oid)) return;
  const place = placeOf(objectFolder, oid);
  const folder = path.dirname(place);
  const made = await mkdir(folder, { recursive: true, mode: shared ? 0o777 : 0o700 });
  // The name by which git's own clean-up knows a file that a crash left.
  const temporary = path.join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  const whole = Buffer.concat([objectHeader(kind, content.length), content]);
  const bytes = whole.length <= SMALL ? stored(whole) : await compress(whole);
  try {
    const handle = await open(temporary, 'wx', shared ? 0o444 : 0o400);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
  if (made !== undefined) await syncFolder(objectFolder);
}
