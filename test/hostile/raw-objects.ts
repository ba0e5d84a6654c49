import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';

/** One line of a tree, as it is: nothing is checked or sorted. Names are latin1 text of their bytes. */
export interface RawLine {
  mode: string;
  name: string;
  oid: string;
}

/** Writes objects into a repository without git, which refuses to make some of them. */
export class RawObjects {
  readonly #objects: string;

  constructor(gitDir: string) {
    this.#objects = path.join(gitDir, 'objects');
  }

  put(kind: string, content: Uint8Array): string {
    const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
    const oid = createHash('sha1').update(bytes).digest('hex');
    const file = path.join(this.#objects, oid.slice(0, 2), oid.slice(2));
    mkdirSync(path.dirname(file), { recursive: true });
    if (!existsSync(file)) writeFileSync(file, deflateSync(bytes, { level: 1 }), { mode: 0o444 });
    return oid;
  }

  blob(text: string): string {
    return this.put('blob', Buffer.from(text));
  }

  tree(lines: readonly RawLine[]): string {
    const bytes = lines.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]);
    return this.put('tree', Buffer.concat(bytes));
  }

  /** The tree in which this path leads to the file through real folders, whatever their names are. */
  nested(name: string, oid: string): RawLine {
    const parts = name.split('/');
    let line: RawLine = { mode: '100644', name: parts.at(-1) ?? '', oid };
    for (const part of parts.slice(0, -1).reverse()) line = { mode: '40000', name: part, oid: this.tree([line]) };
    return line;
  }
}
