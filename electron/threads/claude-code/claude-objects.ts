import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { TreePath } from '../../../shared/tree-path.ts';
import { eachOf } from '../../snapshots/each-of.ts';
import { writeLoose } from '../../snapshots/loose-object.ts';
import { objectId } from '../../snapshots/object-id.ts';
import type { TreeEntry } from '../../snapshots/objects.ts';
import { editTree } from '../../snapshots/tree-edit.ts';
import type { TreeLine } from '../../snapshots/tree-object.ts';
import { plainText } from './text-bytes.ts';

/** Object files that are written at one time. */
const AT_ONCE = { width: 16, signal: undefined };
/** Bytes that wait to be written; beyond them they go to the disk before more is taken. */
const MOST_WAITING = 1024 * 1024;
/** Lines of folders that may be of no tree any more before they are let go of. */
const MOST_LINES = 50_000;

/**
 * The trees that Claude Code never made: what its log tells about files, as git objects in Turnback's own data folder, so that a
 * step of it is looked at and travelled like that of any other agent. Objects only; no repository of anyone is touched.
 */
export class ClaudeObjects {
  /** All that is kept of the log. */
  readonly home: string;
  /** The folder of objects. */
  readonly folder: string;
  readonly #lines = new Map<string, readonly TreeLine[]>();
  readonly #texts = new Map<string, string>();
  readonly #written = new Set<string>();
  #waiting: { kind: 'blob' | 'tree'; oid: string; bytes: Buffer }[] = [];
  #waitingBytes = 0;
  #newLines = 0;

  constructor(ownData: string, log: string) {
    const key = createHash('sha256').update(log).digest('hex').slice(0, 24);
    this.home = path.join(path.resolve(ownData), 'claude-code', key);
    this.folder = path.join(this.home, 'objects');
  }

  /** Keeps a file's content with the next `flush`; gives its blob's id. */
  blob(bytes: Buffer): string {
    const oid = this.#keep('blob', bytes);
    if (!this.#texts.has(oid)) this.#texts.set(oid, digest(bytes));
    return oid;
  }

  /** True when the blob, which was kept before, holds this text: to a tool that strips marks and carriage returns they are one. */
  reads(oid: string, text: string): boolean {
    return this.#texts.get(oid) === digest(Buffer.from(text));
  }

  /** The tree that is `base`, the last one that was made, with some files replaced or taken out; kept with the next `flush`. */
  async tree(base: string | null, changes: ReadonlyMap<TreePath, TreeEntry | null>): Promise<string> {
    const tree = await editTree({
      base,
      changes,
      lines: async (tree) => this.#lines.get(tree) ?? [],
      write: async (bytes, lines) => {
        const oid = this.#keep('tree', bytes);
        this.#lines.set(oid, lines);
        this.#newLines += lines.length;
        return oid;
      },
    });
    if (this.#newLines > MOST_LINES) this.#letGo(tree);
    return tree;
  }

  /** Forgets the folders of earlier trees: each step has a tree, and only the last one is built on. */
  #letGo(tree: string): void {
    const used = new Map<string, readonly TreeLine[]>();
    const open = [tree];
    for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
      const lines = this.#lines.get(oid);
      if (lines === undefined || used.has(oid)) continue;
      used.set(oid, lines);
      for (const line of lines) if (line.mode === '40000') open.push(line.oid);
    }
    this.#lines.clear();
    for (const [oid, lines] of used) this.#lines.set(oid, lines);
    this.#newLines = 0;
  }

  /** Writes what waits once it is much. */
  async ease(): Promise<void> {
    if (this.#waitingBytes > MOST_WAITING) await this.flush();
  }

  /** Writes what was kept; durable when it resolves. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    const bytesWaiting = this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await eachOf(waiting, AT_ONCE, async ({ kind, oid, bytes }) => writeLoose(this.folder, kind, oid, bytes));
    } catch (error) {
      // A full disk may have room the next time.
      this.#waiting = [...waiting, ...this.#waiting];
      this.#waitingBytes += bytesWaiting;
      throw error;
    }
    for (const { oid } of waiting) this.#written.add(oid);
  }

  #keep(kind: 'blob' | 'tree', bytes: Buffer): string {
    const oid = objectId(kind, bytes, 'sha1');
    if (this.#written.has(oid)) return oid;
    this.#waiting.push({ kind, oid, bytes });
    this.#waitingBytes += bytes.length;
    return oid;
  }
}

const digest = (bytes: Buffer): string => createHash('sha1').update(plainText(bytes)).digest('hex');
