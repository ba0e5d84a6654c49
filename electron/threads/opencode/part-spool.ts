import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import path from 'node:path';

interface Place {
  offset: number;
  length: number;
}

const FLUSH = 1 << 20;

/**
 * The parts of one session as the database had them, in a private file: looking at a message then needs no copy of the whole
 * database. The folder (0700) goes away with `close`; after a crash the sweep of `sqlite-copy.ts` takes it, by its name.
 */
export class PartSpool {
  readonly #tmpDir: string;
  #folder: string | null = null;
  #size = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(tmpDir: string) {
    this.#tmpDir = tmpDir;
  }

  /** Keeps a text; `flush` must be awaited before it is read. */
  add(text: string): Place {
    const bytes = Buffer.from(text);
    const place = { offset: this.#size, length: bytes.length };
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#size += bytes.length;
    return place;
  }

  /** True when enough waits that it should be written. */
  get full(): boolean {
    return this.#waitingBytes >= FLUSH;
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const handle = await open(await this.#file(), 'a', 0o600);
    try {
      await handle.writeFile(Buffer.concat(this.#waiting));
    } finally {
      await handle.close();
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** The texts at the places, in order. */
  async read(places: readonly Place[]): Promise<string[]> {
    if (places.length === 0) return [];
    const handle = await open(await this.#file(), 'r');
    try {
      const texts: string[] = [];
      for (const { offset, length } of places) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        texts.push(buffer.toString('utf8', 0, bytesRead));
      }
      return texts;
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    this.#folder = null;
  }

  async #file(): Promise<string> {
    if (this.#folder === null) {
      await mkdir(this.#tmpDir, { recursive: true, mode: 0o700 });
      this.#folder = await mkdtemp(path.join(this.#tmpDir, `sqlite-${process.pid}-parts-`));
    }
    return path.join(this.#folder, 'parts');
  }
}
