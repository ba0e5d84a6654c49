import { isRefusal } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { isBinary } from '../snapshots/merge.ts';
import type { Blobs } from './blobs.ts';
import type { Content } from './content.ts';

/** What somebody else left at a path between two changes of the thread, and the newer of them took away there. */
export interface Between {
  path: TreePath;
  content: Content;
  /** What the older change had left. */
  base: Content;
  /** The place of the newer change. */
  position: number;
}

/** Lines of larger files are not compared: the same bytes elsewhere are found all the same. */
const MOST_COMPARED = 1024 * 1024;

/** The same kind and bytes, whether they may be run or not. */
export const sameBytes = (a: Content, b: Content): boolean => a.kind !== 'absent' && a.kind === b.kind && 'oid' in b && a.oid === b.oid;

/** Tells whether a content is, or grew out of, what was left between two changes. Reads each content once. */
export class Likeness {
  readonly #blobs: Blobs;
  readonly #lines = new Map<string, ReadonlySet<string> | null>();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** The same bytes; or, as git tells a file that moved, half of the lines, and one of those that came in between among them. */
  async holds({ path, content, base }: Between, other: Content, at: TreePath): Promise<boolean> {
    if (sameBytes(content, other)) return true;
    const [then, now, known] = [await this.linesOf(content, path), await this.linesOf(other, at), await this.linesOf(base, path)];
    if (then === null || now === null) return false;
    if (then.size > now.size * 2 || now.size > then.size * 2) return false;
    const kept = [...then].filter((line) => now.has(line));
    return kept.length * 2 >= Math.max(then.size, now.size) && kept.some((line) => !known?.has(line));
  }

  /** The lines that came in between; none of what is no text. */
  async cameIn({ path, content, base }: Between): Promise<string[]> {
    const then = await this.linesOf(content, path);
    const known = await this.linesOf(base, path);
    return [...(then ?? [])].filter((line) => !known?.has(line));
  }

  /** The different lines of a text, without those that are blank. Null of what is none, too large, or gone. */
  async linesOf(content: Content, path: TreePath): Promise<ReadonlySet<string> | null> {
    return content.kind === 'file' ? this.#linesOf(content.oid, path) : null;
  }

  async #linesOf(oid: string, path: TreePath): Promise<ReadonlySet<string> | null> {
    const known = this.#lines.get(oid);
    if (known !== undefined) return known;
    const lines = await this.#read(oid, path);
    this.#lines.set(oid, lines);
    return lines;
  }

  async #read(oid: string, path: TreePath): Promise<ReadonlySet<string> | null> {
    const size = await this.#blobs.size(oid, path);
    if (size === null || size > MOST_COMPARED) return null;
    try {
      const bytes = await this.#blobs.read(oid, path);
      // As latin1, so that every byte counts; blank lines are alike everywhere.
      return isBinary(bytes)
        ? null
        : new Set(
            bytes
              .toString('latin1')
              .split('\n')
              .filter((line) => line.trim() !== ''),
          );
    } catch (thrown) {
      if (isRefusal(thrown, 'TREE_MISSING')) return null;
      throw thrown;
    }
  }
}
