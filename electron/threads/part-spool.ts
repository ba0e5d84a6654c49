import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { startOfProcess } from '../snapshots/process-alive.ts';
import type { BytePattern } from './byte-pattern.ts';
import { type ScanPlace, scanPlaces } from './scan-places.ts';
import type { OnBytes } from './source.ts';

interface Place {
  offset: number;
  length: number;
}

const FLUSH = 1 << 20;
const PREFIX = 'opencode-parts-';
const STALE_MS = 24 * 3_600_000;

/**
 * Parts of one session as its store had them, in a private file: looking at a message then needs no copy of the whole
 * database, and no log unpacked again. The folder (0700) goes away with `close`, and what a killed process left with the next spool, a day later.
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
  add(text: string | Buffer): Place {
    const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
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

  /** What the pieces belong to that may hold what the pattern finds. */
  async *matching<T>(places: readonly ScanPlace<T>[], pattern: BytePattern, signal?: AbortSignal, onBytes?: OnBytes): AsyncGenerator<T> {
    if (places.length > 0) yield* scanPlaces(await this.#file(), places, pattern, signal, onBytes);
  }

  async close(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    this.#folder = null;
  }

  async #file(): Promise<string> {
    if (this.#folder === null) {
      await mkdir(this.#tmpDir, { recursive: true, mode: 0o700 });
      await sweep(this.#tmpDir);
      this.#folder = await mkdtemp(path.join(this.#tmpDir, `${PREFIX}${process.pid}-`));
    }
    return path.join(this.#folder, 'parts');
  }
}

/** Spools hold conversations: those of processes that are gone go away. Only old ones, for a process in another container looks gone, too. */
async function sweep(tmpDir: string): Promise<void> {
  for (const name of await readdir(tmpDir)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(pid) || pid <= 0 || startOfProcess(pid) !== undefined) continue;
    const folder = path.join(tmpDir, name);
    try {
      if (Date.now() - (await stat(folder)).mtimeMs > STALE_MS) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      // Another process sweeps, too.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
