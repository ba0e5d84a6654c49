import type { FileHandle } from 'node:fs/promises';
import { openRegular } from '../snapshots/regular-file.ts';
import { logError, readFully } from './log-lines.ts';

/** Reads lines of a log again, many one after the other, through one handle that `close` lets go of. */
export class LineReader {
  readonly file: string;
  #handle: FileHandle | null = null;

  constructor(file: string) {
    this.file = file;
  }

  /** `length` bytes from `offset` on; fewer at the end of the file. Throws NOT_FOUND or LOG_UNREADABLE. */
  async read({ offset, length }: { offset: number; length: number }): Promise<Buffer> {
    try {
      this.#handle ??= await openRegular(this.file);
      return await readFully(this.#handle, length, offset);
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
