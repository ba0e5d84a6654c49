import type { Stats } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { TreePath } from '../../shared/tree-path.ts';
import { writeDurably } from './durable.ts';

/** What a file was when it was last read: size, mtime, ctime and inode, and the id of its bytes. */
const rowSchema = z.tuple([z.number(), z.number(), z.number(), z.number(), z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)]);
const fileSchema = z.object({
  version: z.literal(1),
  at: z.number(),
  checked: z.number(),
  files: z.array(z.tuple([z.string(), rowSchema])),
});

/** A change this soon before the notes were made may not show in the times of a file (as with git's own index). */
const TOO_CLOSE = 2_000;

/**
 * Remembers the ids of files, so that only changed ones are read again. A note is believed when size, times and inode are
 * the same. The file is a cache of ours: one that cannot be understood is begun anew.
 */
export class SeenFiles {
  readonly #before: ReadonlyMap<TreePath, z.infer<typeof rowSchema>>;
  readonly #believed: number;
  readonly #now = new Map<TreePath, z.infer<typeof rowSchema>>();
  readonly #started = Date.now();
  /** When the store was last asked whether it still has what was noted; epoch milliseconds. */
  checked: number;

  private constructor(before: ReadonlyMap<TreePath, z.infer<typeof rowSchema>>, at: number, checked: number) {
    this.#before = before;
    this.#believed = at - TOO_CLOSE;
    this.checked = checked;
  }

  static async read(file: string): Promise<SeenFiles> {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new SeenFiles(new Map(), 0, 0);
      throw error;
    }
    const notes = fileSchema.safeParse(parsed(text));
    return notes.success ? new SeenFiles(new Map(notes.data.files), notes.data.at, notes.data.checked) : new SeenFiles(new Map(), 0, 0);
  }

  /** The id of the file's bytes, null when it must be read. */
  idOf(path: TreePath, stat: Stats): string | null {
    const row = this.#before.get(path);
    if (row === undefined || stat.mtimeMs >= this.#believed || stat.ctimeMs >= this.#believed) return null;
    const [size, mtime, ctime, inode, oid] = row;
    return size === stat.size && mtime === stat.mtimeMs && ctime === stat.ctimeMs && inode === stat.ino ? oid : null;
  }

  note(path: TreePath, stat: Stats, oid: string): void {
    this.#now.set(path, [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, oid]);
  }

  /** Keeps the notes of this round in place of the last. */
  async write(file: string): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeDurably(file, JSON.stringify({ version: 1, at: this.#started, checked: this.checked, files: [...this.#now] }));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
