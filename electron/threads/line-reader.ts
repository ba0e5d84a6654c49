import type { FileHandle } from 'node:fs/promises';
import { openRegular } from '../snapshots/regular-file.ts';
import { logError, readFully } from './log-lines.ts';

/** Shorter lines are read into one buffer that is used again. */
const SHORT = 1 << 20;

/** Reads lines of a log again, many one after the other, through one handle that `close` lets go of. */
export class LineReader {
  readonly file: string;
  #handle: FileHandle | null = null;
  #short: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.file = file;
  }

  /** `length` bytes from `offset` on, valid until the next read; fewer at the end of the file. Throws NOT_FOUND or LOG_UNREADABLE. */
  async read({ offset, length }: { offset: number; length: number }): Promise<Buffer> {
    try {
      this.#handle ??= await openRegular(this.file);
      if (length <= SHORT && length > this.#short.length) this.#short = Buffer.allocUnsafeSlow(Math.min(SHORT, 2 * length));
      return await readFully(this.#handle, length, offset, length <= SHORT ? this.#short : Buffer.allocUnsafe(length));
    } catch (error) {
      throw logError(this.file, error);
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }
}
