import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { type DiskState, diskPath, readState } from './disk.ts';
import { type ObjectFormat, objectHeader } from './object-id.ts';
import type { ObjectWriter } from './object-writer.ts';
import type { TreeEntry } from './objects.ts';

/** The largest file that is held in memory, and how much is held before it is given to the store. */
const HELD = 2 * 1024 * 1024;
const AT_ONCE = 16 * 1024 * 1024;

/** The bytes of a file again, which must still be those that `oid` names. Throws FILE_BUSY when they are not. */
async function* sameBytes(full: Buffer, path: TreePath, oid: string, size: number, format: ObjectFormat): AsyncIterable<Buffer> {
  const handle = await open(full, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK));
  try {
    const hash = createHash(format).update(objectHeader('blob', size));
    let seen = 0;
    while (seen <= size) {
      const buffer = Buffer.allocUnsafe(1024 * 1024);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, seen);
      if (bytesRead === 0) break;
      seen += bytesRead;
      hash.update(buffer.subarray(0, bytesRead));
      yield buffer.subarray(0, bytesRead);
    }
    if (hash.digest('hex') !== oid) throw new TurnbackError('FILE_BUSY', { path: showTreePath(path) });
  } finally {
    await handle.close();
  }
}

/** What a tree holds for this state; null for what no tree can hold. */
export function entryOfState(state: DiskState): TreeEntry | null {
  if (state.kind === 'link') return { mode: '120000', oid: state.oid };
  if (state.kind !== 'file') return null;
  return { mode: (state.mode & 0o100) === 0 ? '100644' : '100755', oid: state.oid };
}

/** Takes files of a workspace into a store, some at a time. */
export class Intake {
  readonly #writer: ObjectWriter;
  readonly #root: string;
  readonly #format: ObjectFormat;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(writer: ObjectWriter, root: string, format: ObjectFormat) {
    this.#writer = writer;
    this.#root = root;
    this.#format = format;
  }

  /** The state of the path; if it is a file or link, its bytes go to the store, at the latest with `give`. */
  async take(path: TreePath): Promise<DiskState> {
    const { state, bytes } = await readState(this.#root, path, this.#format, HELD);
    if (bytes !== null) {
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
      if (this.#heldBytes > AT_ONCE) await this.give();
    } else if (state.kind === 'file') {
      const { oid, size } = state;
      await this.#writer.putLarge(oid, size, () => sameBytes(diskPath(this.#root, path), path, oid, size, this.#format));
    }
    return state;
  }

  /** Hands what is held to the writer. */
  async give(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    await Promise.all(held.map((bytes) => this.#writer.put('blob', bytes)));
  }
}
