import type { ObjectFormat } from './object-id.ts';

const SLASH = 0x2f;
const NOTHING = Buffer.alloc(0);

/**
 * Walks the lines of a tree object in the order in which they lie, as git does, without making anything of them. `over` when there is
 * none left; `broken` when the bytes are not a tree.
 */
export class TreeCursor {
  readonly #bytes: Buffer;
  readonly #idBytes: number;
  #start = 0;
  #space = 0;
  #end = 0;
  #next = 0;
  over = false;
  broken = false;
  folder = false;

  /** Stands at the first line. Null: a folder that is not there. */
  constructor(bytes: Buffer | null, format: ObjectFormat) {
    this.#bytes = bytes ?? NOTHING;
    this.#idBytes = format === 'sha1' ? 20 : 32;
    this.step();
  }

  /** On to the next line. */
  step(): void {
    const [bytes, start] = [this.#bytes, this.#next];
    if (start >= bytes.length) {
      this.over = true;
      return;
    }
    const space = bytes.indexOf(0x20, start);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    this.#next = end + 1 + this.#idBytes;
    if (end < 0 || this.#next > bytes.length || space - start > 7) {
      this.over = true;
      this.broken = true;
      return;
    }
    this.#start = start;
    this.#space = space;
    this.#end = end;
    this.folder = (Number.parseInt(bytes.toString('latin1', start, space), 8) & 0o170000) === 0o040000;
  }

  /** Bytes of the name; one more for the slash of a folder. */
  get length(): number {
    return this.#end - this.#space - 1 + (this.folder ? 1 : 0);
  }

  get oid(): string {
    return this.#bytes.toString('hex', this.#end + 1, this.#next);
  }

  /** Where the name stands against that of another line by git's order, in which a folder's name ends in a slash: below 0 when before it. */
  compare(other: TreeCursor): number {
    const [from, to] = [this.#space + 1, other.#space + 1];
    const common = Math.min(this.#end - from, other.#end - to);
    const names = this.#bytes.compare(other.#bytes, to, to + common, from, from + common);
    return names === 0 ? this.#byteAt(from + common) - other.#byteAt(to + common) : names;
  }

  #byteAt(at: number): number {
    if (at < this.#end) return this.#bytes[at] ?? 0;
    return this.folder ? SLASH : 0;
  }

  /** True for the same mode, name and id. */
  same(other: TreeCursor): boolean {
    return this.#bytes.compare(other.#bytes, other.#start, other.#next, this.#start, this.#next) === 0;
  }
}
