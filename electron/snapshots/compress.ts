import { promisify } from 'node:util';
import { constants, deflate, deflateSync } from 'node:zlib';

const deflated = promisify(deflate);
const FAST = { level: constants.Z_BEST_SPEED };
/** Up to here a thread switch costs more than the work. */
const SMALL = 64 * 1024;

/** The bytes compressed as git stores them. */
export async function compress(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length <= SMALL ? deflateSync(bytes, FAST) : deflated(bytes, FAST);
}
