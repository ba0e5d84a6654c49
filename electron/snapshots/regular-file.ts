import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { TurnbackError } from '../../shared/errors.ts';

/**
 * Opens a foreign file for reading. A pipe or a device in its place would hold a thread of this process for ever, or never
 * end: they are refused. Throws LOG_UNREADABLE for what is no file, else the file system's own errors; links are followed.
 */
export async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK));
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new TurnbackError('LOG_UNREADABLE', { path: file, cause: 'it is not a file' });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The bytes of a foreign file; one of more than `most` bytes is LOG_UNREADABLE. */
export async function readRegular(file: string, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    if (size > most) throw new TurnbackError('LOG_UNREADABLE', { path: file, cause: `it is ${size} bytes long` });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
