import { isRefusal, TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { diskState, readDisk } from '../snapshots/disk.ts';
import { type ObjectFormat, objectId } from '../snapshots/object-id.ts';
import type { ObjectReader } from '../snapshots/objects.ts';

/** A file that holds more is not read into memory at once. */
export const MOST_BYTES = 1024 * 1024 * 1024;

/** The bytes of contents, wherever they are kept: made by a merge, in our safety store, in the agent's store, on disk. */
export class Blobs {
  readonly format: ObjectFormat;
  readonly #readers: readonly ObjectReader[];
  readonly #root: string | null;
  readonly #made = new Map<string, Buffer>();
  readonly #sizes = new Map<string, number>();

  constructor(options: { format: ObjectFormat; readers: readonly (ObjectReader | null)[]; root: string | null }) {
    this.format = options.format;
    this.#readers = options.readers.filter((reader) => reader !== null);
    this.#root = options.root;
  }

  /** Keeps bytes that no store has yet; gives their id. */
  add(bytes: Buffer): string {
    const oid = objectId('blob', bytes, this.format);
    this.#made.set(oid, bytes);
    return oid;
  }

  /** The bytes made by merges, by id. */
  get made(): ReadonlyMap<string, Buffer> {
    return this.#made;
  }

  /**
   * The bytes with this id. `path` is where the disk may have them. They are checked against the id: a store may be damaged or
   * hostile. Throws TREE_MISSING when nobody has them, OBJECT_DAMAGED when they are not what their name says.
   */
  async read(oid: string, path: TreePath): Promise<Buffer> {
    const made = this.#made.get(oid);
    if (made) return made;
    for (const reader of this.#readers) {
      const bytes = await blobOrNull(reader, oid);
      if (bytes === null) continue;
      if (objectId('blob', bytes, this.format) !== oid) throw new TurnbackError('OBJECT_DAMAGED', { path: showTreePath(path) });
      return bytes;
    }
    const disk = this.#root === null ? null : await readDisk(this.#root, path, MOST_BYTES);
    if (disk && objectId('blob', disk, this.format) === oid) return disk;
    throw new TurnbackError('TREE_MISSING', { tree: oid });
  }

  /** How many bytes these are, null when nobody has them. */
  async size(oid: string, path: TreePath): Promise<number | null> {
    const known = this.#made.get(oid)?.length ?? this.#sizes.get(oid);
    if (known !== undefined) return known;
    for (const reader of this.#readers) {
      const info = await reader.info(oid);
      if (info?.type !== 'blob') continue;
      this.#sizes.set(oid, info.size);
      return info.size;
    }
    if (this.#root === null) return null;
    const state = await diskState(this.#root, path, this.format);
    if (state.kind === 'link' && state.oid === oid) return state.target.length;
    return state.kind === 'file' && state.oid === oid ? state.size : null;
  }

  /** Tells how many bytes an id names, where that was seen on disk. */
  knows(oid: string, size: number): void {
    this.#sizes.set(oid, size);
  }
}

async function blobOrNull(reader: ObjectReader, oid: string): Promise<Buffer | null> {
  try {
    return await reader.blob(oid, MOST_BYTES);
  } catch (thrown) {
    if (isRefusal(thrown, 'TREE_MISSING')) return null;
    throw thrown;
  }
}
