import { isRefusal, TurnbackError } from '../../shared/errors.ts';
import type { ObjectReader } from './objects.ts';
import { TreeCursor } from './tree-cursor.ts';

/** Most files in which two snapshots may differ to be compared: more than any step of an agent changes, and seconds of work for git. */
export const MOST_DIFFERENT = 200_000;
/** Bytes of all their paths together, and of folders in folders: git itself goes no deeper since 2.44. */
const MOST_PATH_BYTES = 128 * 1024 * 1024;
const MOST_DEPTH = 2048;
/** Bytes of one folder, some hundred thousand names. */
const LARGEST_FOLDER = 16 * 1024 * 1024;
/** Bytes, and pairs, of folders that are looked at for one pair: folders that name each other crosswise make many pairs of few objects. */
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_PAIRS = 200_000;
/** Bytes of folders and weights of pairs of folders that are kept from one pair to the next. */
const KEPT_BYTES = 64 * 1024 * 1024;
const KEPT_WEIGHTS = 200_000;
/** Folders that are asked for at once. */
const AHEAD = 16;

/** What git would name for a pair of folders: files, the bytes of their paths, and how deep the folders below go. */
interface Weight {
  files: number;
  bytes: number;
  depth: number;
}

/** Two folders of one name, or one that the other side does not have. */
interface Sides {
  before: string | null;
  after: string | null;
  /** Bytes of the name and its slash. */
  name: number;
  key: string;
}

/** What two folders themselves differ in, and the folders below that do. */
interface Frame {
  key: string;
  files: number;
  bytes: number;
  below: Sides[];
  at: number;
}

const sides = (before: string | null, after: string | null, name: number): Sides => ({
  before,
  after,
  name,
  key: `${before ?? ''}:${after ?? ''}`,
});

/**
 * Weighs how much git would have to name before it is asked to compare two trees. Each pair of folders is looked at once, so a few
 * objects that stand for a million million files take no longer than any others.
 */
export class TreeScale {
  readonly #objects: ObjectReader;
  readonly #folders = new Map<string, Buffer>();
  readonly #coming = new Map<string, Promise<Buffer>>();
  readonly #weights = new Map<string, Weight>();
  #kept = 0;

  /** `objects` is closed by its owner. */
  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** In how many files the trees differ, never less. Throws TREE_MISSING, or TREE_TOO_LARGE where git should not be asked. */
  async weigh(from: string, to: string): Promise<number> {
    const tooLarge = (): TurnbackError => new TurnbackError('TREE_TOO_LARGE', { tree: from, other: to, count: MOST_DIFFERENT });
    if (from === to) {
      await this.#folder(from, tooLarge);
      return 0;
    }
    if (this.#weights.size > KEPT_WEIGHTS) this.#weights.clear();
    let [bytes, pairs] = [0, 0];
    const enter = async (pair: Sides): Promise<Frame> => {
      const [a, b] = await Promise.all([this.#folder(pair.before, tooLarge), this.#folder(pair.after, tooLarge)]);
      bytes += (a?.length ?? 0) + (b?.length ?? 0);
      pairs += 1;
      if (bytes > MOST_BYTES || pairs > MOST_PAIRS) throw tooLarge();
      return this.#differing(pair.key, a, b);
    };
    const root = sides(from, to, 0);
    const stack = [await enter(root)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.below[top.at];
      if (next === undefined) {
        this.#weights.set(top.key, this.#sum(top));
        stack.pop();
      } else if (this.#weights.has(next.key)) top.at += 1;
      else {
        if (stack.length > MOST_DEPTH) throw tooLarge();
        if (top.at % AHEAD === 0) await this.#ask(top.below.slice(top.at, top.at + AHEAD), tooLarge);
        stack.push(await enter(next));
      }
    }
    const whole = this.#weights.get(root.key);
    if (whole === undefined || whole.files > MOST_DIFFERENT || whole.bytes > MOST_PATH_BYTES || whole.depth > MOST_DEPTH) throw tooLarge();
    return whole.files;
  }

  #sum({ files, bytes, below }: Frame): Weight {
    const sum: Weight = { files, bytes, depth: 0 };
    for (const { key, name } of below) {
      const inner = this.#weights.get(key);
      if (inner === undefined) continue;
      sum.files += inner.files;
      sum.bytes += inner.bytes + inner.files * name;
      sum.depth = Math.max(sum.depth, inner.depth + 1);
    }
    return sum;
  }

  /** The lines in which two folders differ, found as git finds them: in the order in which they lie, also where that is not git's own. */
  #differing(key: string, a: Buffer | null, b: Buffer | null): Frame {
    const frame: Frame = { key, files: 0, bytes: 0, below: [], at: 0 };
    const { format } = this.#objects.store;
    const [before, after] = [new TreeCursor(a, format), new TreeCursor(b, format)];
    const alone = (line: TreeCursor, side: 'before' | 'after'): void => {
      if (line.folder) frame.below.push(side === 'before' ? sides(line.oid, null, line.length) : sides(null, line.oid, line.length));
      else {
        frame.files += 1;
        frame.bytes += line.length;
      }
      line.step();
    };
    while (!before.over || !after.over) {
      const order = after.over ? -1 : before.over ? 1 : before.compare(after);
      if (order < 0) alone(before, 'before');
      else if (order > 0) alone(after, 'after');
      else {
        if (!before.same(after)) {
          if (before.folder) {
            if (before.oid !== after.oid) frame.below.push(sides(before.oid, after.oid, before.length));
          } else {
            frame.files += 1;
            frame.bytes += before.length;
          }
        }
        before.step();
        after.step();
      }
    }
    if (before.broken || after.broken) throw new TurnbackError('TREE_MISSING', { tree: key });
    return frame;
  }

  /** Folders that will be walked, all at once: each alone would be a way there and back. */
  async #ask(pairs: readonly Sides[], tooLarge: () => TurnbackError): Promise<void> {
    const open = pairs.filter(({ key }) => !this.#weights.has(key));
    await Promise.all(open.flatMap(({ before, after }) => [this.#folder(before, tooLarge), this.#folder(after, tooLarge)]));
  }

  async #folder(oid: string | null, tooLarge: () => TurnbackError): Promise<Buffer | null> {
    if (oid === null) return null;
    const known = this.#folders.get(oid);
    if (known !== undefined) return known;
    const coming = this.#coming.get(oid) ?? this.#read(oid, tooLarge).finally(() => this.#coming.delete(oid));
    this.#coming.set(oid, coming);
    return coming;
  }

  async #read(oid: string, tooLarge: () => TurnbackError): Promise<Buffer> {
    const content = await this.#objects.raw(oid, LARGEST_FOLDER).catch((thrown: unknown) => {
      throw isRefusal(thrown, 'TOO_LARGE') ? tooLarge() : thrown;
    });
    this.#folders.set(oid, content);
    this.#kept += content.length;
    for (const [oldest, dropped] of this.#folders) {
      if (this.#kept <= KEPT_BYTES || oldest === oid) break;
      this.#folders.delete(oldest);
      this.#kept -= dropped.length;
    }
    return content;
  }
}
