import { lstat, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TreePath } from '../../../shared/tree-path.ts';
import { diskPath, readDisk } from '../../snapshots/disk.ts';

/** A larger file is no sample of how its lines end. */
const MOST_BYTES = 16 << 20;
/** Bytes that are held to be looked at again; a session may have thousands of backups. */
const MOST_HELD = 16 << 20;

/** The bytes of files as they really were or are: backups of the tool, and the disk. */
export class FileSamples {
  readonly #backups: string;
  readonly #root: string | null;
  readonly #cache = new Map<string, Buffer | null>();
  #held = 0;

  /** `backups`: the session's folder below `file-history`; `root`: the workspace on this machine, null when it is not known. */
  constructor(backups: string, root: string | null) {
    this.#backups = backups;
    this.#root = root;
  }

  /** A backup by its name; null when it is gone (the tool cleans up) or too large. */
  backup(name: string): Promise<Buffer | null> {
    return this.#once(`backup:${name}`, async () => {
      const file = path.join(this.#backups, name);
      const found = await stat(file);
      return found.isFile() && found.size <= MOST_BYTES ? await readFile(file) : null;
    });
  }

  /** What is on disk at a tree path now; null when there is no regular file, or a too large one. */
  disk(at: TreePath): Promise<Buffer | null> {
    const root = this.#root;
    if (root === null) return Promise.resolve(null);
    return this.#once(`disk:${at}`, () => readDisk(root, at, MOST_BYTES));
  }

  /** The mode that git knows the file by: the log does not tell it, so it is taken to be what it is now. */
  async mode(at: TreePath): Promise<'100644' | '100755'> {
    try {
      const found = this.#root === null ? null : await lstat(diskPath(this.#root, at));
      return found?.isFile() && (found.mode & 0o100) !== 0 ? '100755' : '100644';
    } catch {
      // It is not there now: an ordinary file, as most are.
      return '100644';
    }
  }

  async #once(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    let bytes: Buffer | null = null;
    try {
      bytes = await read();
    } catch {
      // Gone or unreadable: then there is no sample, and what it would have told stays unknown.
    }
    if (this.#held > MOST_HELD) {
      this.#cache.clear();
      this.#held = 0;
    }
    this.#cache.set(key, bytes);
    this.#held += bytes?.length ?? 0;
    return bytes;
  }
}
