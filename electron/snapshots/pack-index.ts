import { createHash } from 'node:crypto';
import type { ObjectFormat } from './object-id.ts';

/** An object in a pack: its id, where its entry starts, and the CRC-32 of the entry. */
export interface Packed {
  oid: string;
  crc: number;
  offset: number;
}

const SIGNATURE = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
/** Offsets from here on stand in a table of their own, eight bytes each. */
const LARGE = 0x80000000;

/** How many ids start with each byte or a smaller one. */
function fanoutOf(sorted: readonly Packed[]): Buffer {
  const table = Buffer.alloc(1024);
  for (const { oid } of sorted) {
    const at = Number.parseInt(oid.slice(0, 2), 16) * 4;
    table.writeUInt32BE(table.readUInt32BE(at) + 1, at);
  }
  for (let at = 4; at < table.length; at += 4) table.writeUInt32BE(table.readUInt32BE(at - 4) + table.readUInt32BE(at), at);
  return table;
}

/** The index of a pack (version 2 of git's format): ids in order, with CRC and offset, and the digests of pack and index. */
export function packIndex(packed: readonly Packed[], packDigest: Buffer, format: ObjectFormat): Buffer {
  const sorted = packed.toSorted((a, b) => (a.oid < b.oid ? -1 : 1));
  const crcs = Buffer.alloc(sorted.length * 4);
  const offsets = Buffer.alloc(sorted.length * 4);
  const large: Buffer[] = [];
  for (const [position, { crc, offset }] of sorted.entries()) {
    crcs.writeUInt32BE(crc, position * 4);
    offsets.writeUInt32BE(offset < LARGE ? offset : LARGE + large.length, position * 4);
    if (offset < LARGE) continue;
    const wide = Buffer.alloc(8);
    wide.writeBigUInt64BE(BigInt(offset));
    large.push(wide);
  }
  const ids = sorted.map(({ oid }) => Buffer.from(oid, 'hex'));
  const body = Buffer.concat([SIGNATURE, fanoutOf(sorted), ...ids, crcs, offsets, ...large, packDigest]);
  return Buffer.concat([body, createHash(format).update(body).digest()]);
}
