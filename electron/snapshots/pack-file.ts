import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, crc32, createDeflate, deflate } from 'node:zlib';
import { syncFolder } from './durable.ts';
import type { ObjectFormat, ObjectKind } from './object-id.ts';

const deflated = promisify(deflate);
const LEVEL = { level: constants.Z_BEST_SPEED };
const TYPES: Record<ObjectKind, number> = { tree: 2, blob: 3 };
const READ = 1024 * 1024;

interface Placed {
  oid: string;
  crc: number;
  offset: number;
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

/** The index of a pack (version 2): where each object is, so that git finds them. */
function indexBytes(placed: readonly Placed[], packDigest: Buffer, format: ObjectFormat): Buffer {
  const sorted = placed.toSorted((a, b) => (a.oid < b.oid ? -1 : 1));
  const fanout = Buffer.alloc(1024);
  const counts = new Array<number>(256).fill(0);
  for (const { oid } of sorted) {
    const first = Number.parseInt(oid.slice(0, 2), 16);
    counts[first] = (counts[first] ?? 0) + 1;
  }
  let sum = 0;
  for (const [first, count] of counts.entries()) {
    sum += count;
    fanout.writeUInt32BE(sum, first * 4);
  }
  const crcs = Buffer.alloc(sorted.length * 4);
  const offsets = Buffer.alloc(sorted.length * 4);
  const large: Buffer[] = [];
  for (const [position, { crc, offset }] of sorted.entries()) {
    crcs.writeUInt32BE(crc, position * 4);
    if (offset < 0x80000000) offsets.writeUInt32BE(offset, position * 4);
    else {
      offsets.writeUInt32BE(0x80000000 + large.length, position * 4);
      const wide = Buffer.alloc(8);
      wide.writeBigUInt64BE(BigInt(offset));
      large.push(wide);
    }
  }
  const ids = sorted.map(({ oid }) => Buffer.from(oid, 'hex'));
  const body = Buffer.concat([Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]), fanout, ...ids, crcs, offsets, ...large, packDigest]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}

/**
 * Writes many objects as one pack: one file to make durable instead of one an object. Nothing can be seen of it before
 * `finish`; the index, by which git finds a pack, comes last.
 */
export class PackFile {
  readonly #folder: string;
  readonly #format: ObjectFormat;
  readonly #temporary: string;
  readonly #placed: Placed[] = [];
  #handle: FileHandle | null = null;
  #end = 12;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(objectFolder: string, format: ObjectFormat) {
    this.#folder = path.join(objectFolder, 'pack');
    this.#format = format;
    this.#temporary = path.join(this.#folder, `tmp_pack_${randomBytes(6).toString('hex')}`);
  }

  /** Adds an object whose bytes are at hand. Objects may be added at the same time; each id only once. */
  async add(kind: ObjectKind, oid: string, content: Uint8Array): Promise<void> {
    const bytes = Buffer.concat([entryHeader(kind, content.length), await deflated(content, LEVEL)]);
    await this.#alone(async (handle) => {
      await handle.write(bytes, 0, bytes.length, this.#end);
      this.#placed.push({ oid, crc: crc32(bytes), offset: this.#end });
      this.#end += bytes.length;
    });
  }

  /** Adds a blob that comes in pieces. `pieces` gives exactly `size` bytes or throws; then nothing of it stays. */
  async addLarge(oid: string, size: number, pieces: () => AsyncIterable<Uint8Array>): Promise<void> {
    await this.#alone(async (handle) => {
      const header = entryHeader('blob', size);
      await handle.write(header, 0, header.length, this.#end);
      let crc = crc32(header);
      let at = this.#end + header.length;
      await pipeline(pieces(), createDeflate(LEVEL), async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) {
          await handle.write(part, 0, part.length, at);
          crc = crc32(part, crc);
          at += part.length;
        }
      });
      this.#placed.push({ oid, crc, offset: this.#end });
      this.#end = at;
    });
  }

  /** Closes the pack with its count and digest, makes it durable and lets git see it. */
  async finish(): Promise<void> {
    await this.#alone(async (handle) => {
      const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
      header.writeUInt32BE(this.#placed.length, 8);
      await handle.write(header, 0, header.length, 0);
      const hash = createHash(this.#format);
      const buffer = Buffer.allocUnsafe(READ);
      for (let at = 0; at < this.#end; ) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(READ, this.#end - at), at);
        if (bytesRead === 0) throw new Error('the pack ended early');
        hash.update(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
      const digest = hash.digest();
      await handle.write(digest, 0, digest.length, this.#end);
      await handle.truncate(this.#end + digest.length);
      await handle.chmod(0o444);
      await handle.sync();
      await handle.close();
      this.#handle = null;
      const name = path.join(this.#folder, `pack-${digest.toString('hex')}`);
      const index = await open(`${this.#temporary}.idx`, 'wx', 0o444);
      try {
        await index.writeFile(indexBytes(this.#placed, digest, this.#format));
        await index.sync();
      } finally {
        await index.close();
      }
      await rename(this.#temporary, `${name}.pack`);
      await rename(`${this.#temporary}.idx`, `${name}.idx`);
      await syncFolder(this.#folder);
    });
  }

  /** Removes what was written so far. */
  async abandon(): Promise<void> {
    await this.#tail.catch(() => undefined);
    await this.#handle?.close();
    this.#handle = null;
    for (const file of [this.#temporary, `${this.#temporary}.idx`]) await rm(file, { force: true });
  }

  /** One writer at a time, in the order they came. */
  #alone<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(async () => {
      if (this.#handle === null) {
        await mkdir(this.#folder, { recursive: true });
        this.#handle = await open(this.#temporary, 'wx+', 0o600);
      }
      return work(this.#handle);
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}
