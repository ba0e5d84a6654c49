import { constants } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { startOfProcess } from '../snapshots/process-alive.ts';
import type { BytePattern } from './byte-pattern.ts';
import { type ScanPlace, scanPlaces } from './scan-places.ts';
import type { OnBytes } from './source.ts';

const NOTHING = Buffer.alloc(0);

interface Place {
  offset: number;
  length: number;
}

/** Texts wait in a block of this size until they are written; a longer one has a block of its own. */
const BLOCK = 1 << 20;
const FULL = BLOCK / 2;
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
  /** Whole blocks that wait, and one that is being filled: it is used again and again. */
  #waiting: Buffer[] = [];
  #block = NOTHING;
  #used = 0;
  #reader: FileHandle | null = null;

  constructor(tmpDir: string) {
    this.#tmpDir = tmpDir;
  }

  /** Keeps a text; `flush` must be awaited before it is read. */
  add(text: string | Buffer): Place {
    const length = Buffer.byteLength(text);
    if (length > this.#block.length - this.#used) this.#begin(length);
    if (typeof text === 'string') this.#block.write(text, this.#used);
    else text.copy(this.#block, this.#used);
    this.#used += length;
    const place = { offset: this.#size, length };
    this.#size += length;
    return place;
  }

  /** True when enough waits that it should be written. */
  get full(): boolean {
    return this.#waiting.length > 0 || this.#used >= FULL;
  }

  async flush(): Promise<void> {
    const reader = this.#reader;
    this.#reader = null;
    await reader?.close();
    const blocks = [...this.#waiting, this.#block.subarray(0, this.#used)];
    const bytes = blocks.reduce((sum, block) => sum + block.length, 0);
    if (bytes === 0) return;
    // At its place, so that what a full disk cut off is written over the next time.
    const handle = await open(await this.#file(), constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      let at = this.#size - bytes;
      for (const block of blocks) {
        await writeFully(handle, block, at);
        at += block.length;
      }
    } finally {
      await handle.close();
    }
    this.#waiting = [];
    this.#used = 0;
    if (this.#block.length > BLOCK) this.#block = NOTHING;
  }

  /** Seals the block that is being filled and begins one with room for a text. */
  #begin(length: number): void {
    if (this.#used > 0) this.#waiting.push(this.#block.subarray(0, this.#used));
    this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK, length));
    this.#used = 0;
  }

  /** Is this the text at the place? Only for places that were written. */
  async holds({ offset, length }: Place, text: string): Promise<boolean> {
    if (Buffer.byteLength(text) !== length) return false;
    if (length === 0) return true;
    // Many are asked for one after the other; `flush` ends it.
    this.#reader ??= await open(await this.#file(), 'r');
    const { buffer, bytesRead } = await this.#reader.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.equals(Buffer.from(text)) && bytesRead === length;
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
    const reader = this.#reader;
    this.#reader = null;
    await reader?.close();
    this.#block = NOTHING;
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

async function writeFully(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
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
