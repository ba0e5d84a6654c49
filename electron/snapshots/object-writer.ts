import path from 'node:path';
import { BatchProcess } from './batch-process.ts';
import type { GitProcess } from './git.ts';
import { hasLoose, writeLoose } from './loose-object.ts';
import { type ObjectKind, objectId } from './object-id.ts';
import { PackFile } from './pack-file.ts';
import type { SnapshotStore } from './store.ts';

/** Up to this many objects and bytes each becomes a file of its own; more become one pack. */
const FEW = 8;
const LITTLE = 4 * 1024 * 1024;
/** A smaller object may be kept twice: to ask whether it is there costs more than to write it. */
const WORTH_ASKING = 32 * 1024;

interface Held {
  kind: ObjectKind;
  oid: string;
  content: Uint8Array;
}

/**
 * Writes blobs and trees into a store: raw bytes, no filter, no index. Not through git, because git touches the mtime of
 * each object that it finds in a store it only borrows from, and makes every object durable by itself. Nothing counts
 * before `finish` resolves; then all of it is durable.
 */
export class ObjectWriter {
  readonly #store: SnapshotStore;
  readonly #folder: string;
  readonly #foreign: boolean;
  readonly #sparing: boolean;
  readonly #known: BatchProcess;
  readonly #seen = new Set<string>();
  #held: Held[] = [];
  #heldBytes = 0;
  #pack: PackFile | null = null;

  /**
   * `objectFolder`: a foreign object folder to write to instead of the store's own; it gets plain object files only.
   * `sparing`: asks for every object first, so that nothing is kept twice.
   */
  constructor(store: SnapshotStore, { objectFolder, sparing = false }: { objectFolder?: string | undefined; sparing?: boolean } = {}) {
    this.#store = store;
    this.#sparing = sparing || objectFolder !== undefined;
    this.#folder = objectFolder ?? path.join(store.gitDir, 'objects');
    this.#foreign = objectFolder !== undefined;
    const start = (): GitProcess =>
      store.git.start({
        name: 'cat-file',
        args: ['cat-file', '--batch-check'],
        gitDir: store.gitDir,
        // What the foreign folder itself has (or borrows) counts, not what we have.
        ...(objectFolder === undefined ? {} : { env: { GIT_OBJECT_DIRECTORY: objectFolder } }),
      });
    this.#known = new BatchProcess(start, false);
  }

  /** True when the object is already there. */
  async has(oid: string): Promise<boolean> {
    return this.#seen.has(oid) || hasLoose(this.#folder, oid) || (await this.#known.ask(oid, 0)) !== null;
  }

  /** Adds an object; gives its id. */
  async put(kind: ObjectKind, content: Uint8Array): Promise<string> {
    const oid = objectId(kind, content, this.#store.format);
    if (this.#seen.has(oid)) return oid;
    const there = this.#sparing || content.length >= WORTH_ASKING ? await this.has(oid) : hasLoose(this.#folder, oid);
    // Two puts of the same bytes may have waited together.
    if (there || this.#seen.has(oid)) return oid;
    this.#seen.add(oid);
    if (this.#pack !== null) {
      await this.#pack.add(kind, oid, content);
      return oid;
    }
    this.#held.push({ kind, oid, content });
    this.#heldBytes += content.length;
    if (!this.#foreign && (this.#held.length > FEW || this.#heldBytes > LITTLE)) await this.#openPack();
    else if (this.#foreign) await this.#writeHeld();
    return oid;
  }

  /** Adds a blob that is too large to hold. `pieces` gives exactly `size` bytes with this id, or throws. */
  async putLarge(oid: string, size: number, pieces: () => AsyncIterable<Uint8Array>): Promise<void> {
    if (await this.has(oid)) return;
    const pack = await this.#openPack();
    await pack.addLarge(oid, size, pieces);
    this.#seen.add(oid);
  }

  /** Makes everything durable and lets git see it. */
  async finish(): Promise<void> {
    await this.#known.close();
    await this.#writeHeld();
    await this.#pack?.finish();
    this.#pack = null;
  }

  /** Drops what was not finished. */
  async abandon(): Promise<void> {
    await this.#known.close();
    await this.#pack?.abandon();
    this.#pack = null;
    this.#held = [];
  }

  async #openPack(): Promise<PackFile> {
    this.#pack ??= new PackFile(this.#folder, this.#store.format);
    const pack = this.#pack;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    await Promise.all(held.map(({ kind, oid, content }) => pack.add(kind, oid, content)));
    return pack;
  }

  async #writeHeld(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    await Promise.all(held.map(({ kind, oid, content }) => writeLoose(this.#folder, kind, oid, content, this.#foreign)));
  }
}
