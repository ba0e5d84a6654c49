import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../snapshots/durable.ts';
import type { OwnFiles } from './backend.ts';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

async function write(file: string, bytes: Uint8Array, exclusive: boolean): Promise<boolean> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!exclusive) await rename(temporary, file);
    else {
      // A link appears with its whole content or not at all, and never over something else.
      await link(temporary, file);
      await rm(temporary);
    }
  } catch (error) {
    await rm(temporary, { force: true });
    if (exclusive && codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await syncFolder(path.dirname(file));
  return true;
}

/** The recorder's own files on this machine. */
export const ownFiles: OwnFiles = {
  async readFile(file) {
    try {
      return await readFile(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
      throw error;
    }
  },
  writeFile: (file, bytes, options = {}) => write(file, bytes, options.exclusive ?? false),
  async move(from, to) {
    try {
      await rename(from, to);
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  },
  remove: (file) => rm(file, { recursive: true, force: true, maxRetries: 3 }),
};
