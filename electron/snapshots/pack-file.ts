import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, crc32, createDeflate } from 'node:zlib';
import { compress } from './compress.ts';
import { syncFolder } from './durable.ts';
import type { ObjectFormat, ObjectKind } from './object-id.ts';
import { type Packed, packIndex } from './pack-index.ts';

const TYPES: Record<ObjectKind, number> = { tree: 2, blob: 3 };
const HEADER = 12;
/** Bytes that are gathered before they go to the disk. */
const GATHERED = 4 * 1024 * 1024;

function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

/** Type and size before each object of a pack: four bits of the size, then seven a byte. */
function entryHeader(kind: ObjectKind, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPES[kind] << 4) | (size % 16);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}

/**
 * Writes many objects as one pack: one file to make durable instead of one an object. Nothing can be seen of it before
 * `finish`; the index, by which git finds a pack, comes last.
 */
export class PackFile {
  readonly #folder: string;
  readonly #format: ObjectFormat;
  readonly #temporary: string;
  readonly #packed: Packed[] = [];
  #handle: FileHandle | null = null;
  /** Entries that are not on the disk yet; they start at `#written`. */
  #gathered: Buffer[] = [];
  #written = HEADER;
  #end = HEADER;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(objectFolder: string, format: ObjectFormat) {
    this.#folder = path.join(objectFolder, 'pack');
    this.#format = format;
    // The name by which git's own clean-up knows a file that a crash left.
    this.#temporary = path.join(this.#folder, `tmp_pack_${randomBytes(6).toString('hex')}`);
  }

  /** Adds an object whose bytes are at hand. Objects may be added at the same time; each id only once. */
  async add(kind: ObjectKind, oid: string, content: Uint8Array): Promise<void> {
    const compressed = await compress(content);
    await this.#alone(async () => {
      const entry = Buffer.concat([entryHeader(kind, content.length), compressed]);
      this.#packed.push({ oid, crc: crc32(entry), offset: this.#end });
      this.#gathered.push(entry);
      this.#end += entry.length;
      if (this.#end - this.#written > GATHERED) await this.#spill();
    });
  }

  /** Adds a blob that comes in pieces. `pieces` gives exactly `size` bytes or throws; then nothing of it stays. */
  async addLarge(oid: string, size: number, pieces: () => AsyncIterable<Uint8Array>): Promise<void> {
    await this.#alone(async () => {
      const handle = await this.#spill();
      const header = entryHeader('blob', size);
      let crc = crc32(header);
      let at = this.#end + (await handle.write(header, 0, header.length, this.#end)).bytesWritten;
      await pipeline(pieces(), createDeflate({ level: constants.Z_BEST_SPEED }), async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) {
          await handle.write(part, 0, part.length, at);
          crc = crc32(part, crc);
          at += part.length;
        }
      });
      this.#packed.push({ oid, crc, offset: this.#end });
      this.#end = at;
      this.#written = at;
    });
  }

  /** Closes the pack with its count and digest, makes it durable and lets git see it. */
  async finish(): Promise<void> {
    await this.#alone(async () => {
      const header = packHeader(this.#packed.length);
      const hash = createHash(this.#format).update(header);
      for await (const part of this.#read()) hash.update(part);
      for (const entry of this.#gathered) hash.update(entry);
      const digest = hash.digest();
      const handle = await this.#spill();
      await handle.write(digest, 0, digest.length, this.#end);
      await handle.write(header, 0, header.length, 0);
      // A large object that failed may have left bytes behind the end.
      await handle.truncate(this.#end + digest.length);
      await handle.chmod(0o400);
      await handle.sync();
      await handle.close();
      this.#handle = null;
      const index = await open(`${this.#temporary}.idx`, 'wx', 0o400);
      try {
        await index.writeFile(packIndex(this.#packed, digest, this.#format));
        await index.sync();
      } finally {
        await index.close();
      }
      const name = path.join(this.#folder, `pack-${digest.toString('hex')}`);
      await rename(this.#temporary, `${name}.pack`);
      await rename(`${this.#temporary}.idx`, `${name}.idx`);
      await syncFolder(this.#folder);
    });
  }

  /** Removes what was written so far. */
  async abandon(): Promise<void> {
    await this.#tail;
    await this.#handle?.close();
    this.#handle = null;
    for (const file of [this.#temporary, `${this.#temporary}.idx`]) await rm(file, { force: true });
  }

  /** The entries that are on the disk already. */
  async *#read(): AsyncIterable<Buffer> {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (let at = HEADER; at < this.#written; ) {
      const read = await this.#handle?.read(buffer, 0, Math.min(buffer.length, this.#written - at), at);
      if (!read?.bytesRead) throw new Error('the pack ended early');
      yield buffer.subarray(0, read.bytesRead);
      at += read.bytesRead;
    }
  }

  /** Sends what was gathered to the disk. */
  async #spill(): Promise<FileHandle> {
    if (this.#handle === null) {
      await mkdir(this.#folder, { recursive: true });
      this.#handle = await open(this.#temporary, 'wx+', 0o600);
    }
    const bytes = Buffer.concat(this.#gathered);
    if (bytes.length > 0) await this.#handle.write(bytes, 0, bytes.length, this.#written);
    this.#written = this.#end;
    this.#gathered = [];
    return this.#handle;
  }

  /** One writer at a time, in the order they came. */
  #alone(work: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}
