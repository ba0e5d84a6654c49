/** What the form takes beside the bytes themselves: header, one block's header, checksum. */
const AROUND = 11;
/** Both sums of the checksum stay exact numbers up to here, and one block holds it. */
const MOST = 65_535;
const ADLER = 65_521;

/** Bytes in the form of zlib without being compressed: one stored block (RFC 1950 and 1951), as git itself writes with compression 0. */
export function stored(bytes: Uint8Array): Buffer {
  if (bytes.length > MOST) throw new RangeError(`${bytes.length} bytes are more than one block holds`);
  const form = Buffer.allocUnsafe(bytes.length + AROUND);
  form.writeUInt16BE(0x7801, 0);
  form.writeUInt8(1, 2);
  form.writeUInt16LE(bytes.length, 3);
  form.writeUInt16LE(~bytes.length & 0xffff, 5);
  form.set(bytes, 7);
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low += byte;
    high += low;
  }
  form.writeUInt16BE(high % ADLER, bytes.length + 7);
  form.writeUInt16BE(low % ADLER, bytes.length + 9);
  return form;
}
