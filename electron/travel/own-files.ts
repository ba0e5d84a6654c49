import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { asideOf } from './asides.ts';
import type { FileSystem } from './file-system.ts';

/** A file name for an identifying string: the first 32 hex digits of its SHA-256. */
export function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The code of a system's error; nothing for any other. */
export const codeOf = (thrown: unknown): string => (thrown as NodeJS.ErrnoException).code ?? '';

/** True for the error of a file or folder that is not there. */
export function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR';
}

/** True for the error of something that is already there. */
export function isTaken(thrown: unknown): boolean {
  return codeOf(thrown) === 'EEXIST' || codeOf(thrown) === 'ENOTEMPTY';
}

/** Makes what a folder lists durable. Windows cannot, and does not need it. */
export async function syncFolder(fs: FileSystem, folder: Buffer): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await fs.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder of our own data and those above it, for us alone. */
export async function makeOwnFolder(fs: FileSystem, folder: string): Promise<void> {
  try {
    await fs.mkdir(Buffer.from(folder), 0o700);
  } catch (thrown) {
    if (isTaken(thrown)) return;
    if (!isMissing(thrown)) throw thrown;
    await makeOwnFolder(fs, path.dirname(folder));
    await makeOwnFolder(fs, folder);
  }
}

/** Replaces a file of our own whole: written aside, made durable, renamed. */
export async function writeOwn(fs: FileSystem, file: string, text: string): Promise<void> {
  await makeOwnFolder(fs, path.dirname(file));
  const aside = Buffer.from(asideOf(file));
  const handle = await fs.open(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    try {
      await handle.write(Buffer.from(text));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(aside, Buffer.from(file));
  } catch (thrown) {
    await removeOwn(fs, aside.toString());
    throw thrown;
  }
  await syncFolder(fs, Buffer.from(path.dirname(file)));
}

/** The text of a file of our own; null when there is none. */
export async function readOwn(fs: FileSystem, file: string): Promise<string | null> {
  try {
    return (await fs.readFile(Buffer.from(file))).toString('utf8');
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}

/** Removes a file of our own. Not an error when there is none. */
export async function removeOwn(fs: FileSystem, file: string): Promise<void> {
  try {
    await fs.unlink(Buffer.from(file));
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
}

/** The names in a folder of our own; none when there is no such folder. */
export async function listOwn(fs: FileSystem, folder: string): Promise<string[]> {
  try {
    return (await fs.readdir(Buffer.from(folder))).map((name) => name.toString('utf8')).sort();
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}
