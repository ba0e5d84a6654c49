import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The error for a path at which no file stands: a folder, a pipe, a device. Its code is none of the system's own. */
class NotAFile extends Error {
  readonly code = 'NOT_A_FILE';

  constructor() {
    super('it is not a file');
  }
}

/**
 * Opens a foreign file for reading. A pipe or a device in its place would hold a thread of this process for ever, or never
 * end: they are refused as "it is not a file". The file system's own errors otherwise; links are followed.
 */
export async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK));
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new NotAFile();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The bytes of a foreign file; one of more than `most` bytes is refused. */
export async function readRegular(file: string, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    if (size > most) throw new Error(`it is ${size} bytes long`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
