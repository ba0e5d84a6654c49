import { promisify } from 'node:util';
import { constants, deflate, deflateSync } from 'node:zlib';

const deflated = promisify(deflate);
const FAST = { level: constants.Z_BEST_SPEED };
/** What compressed bytes may have beyond the bytes themselves; zlib makes sixteen kilobytes of room for each object else. */
const ROOM = 256;
/** Up to here a thread switch costs more than the work. */
const SMALL = 64 * 1024;

/** The bytes compressed as git stores them. */
export async function compress(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length <= SMALL ? deflateSync(bytes, { ...FAST, chunkSize: bytes.length + ROOM }) : deflated(bytes, FAST);
}
