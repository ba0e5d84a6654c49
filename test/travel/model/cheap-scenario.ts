import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { type Json, TanstackScenario } from '../../scenarios/tanstack.ts';
import { contentAt, type Disk, type Entry, readWorkspace } from './disk.ts';

const written = new Set<string>();

/** A loose object, as git writes it. */
function putObject(gitDir: string, kind: 'blob' | 'tree', content: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const oid = createHash('sha1').update(bytes).digest('hex');
  const file = path.join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
  if (written.has(file)) return oid;
  written.add(file);
  mkdirSync(path.dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, deflateSync(bytes, { level: 1 }));
  return oid;
}

/** Writes the tree of these files, folder by folder, in git's order. */
export function putTree(gitDir: string, files: Disk): string {
  const names = new Map<string, Entry | Disk>();
  for (const [name, entry] of files) {
    const slash = name.indexOf('/');
    const top = slash < 0 ? name : name.slice(0, slash);
    if (slash < 0) names.set(top, entry);
    else {
      const below = names.get(top);
      const inside = below instanceof Map ? below : new Map<string, Entry>();
      inside.set(name.slice(slash + 1), entry);
      names.set(top, inside);
    }
  }
  const sorted = [...names].sort(([a, x], [b, y]) =>
    Buffer.compare(Buffer.from(x instanceof Map ? `${a}/` : a), Buffer.from(y instanceof Map ? `${b}/` : b)),
  );
  const lines = sorted.map(([name, entry]) => {
    const [mode, oid] =
      entry instanceof Map
        ? ['40000', putTree(gitDir, entry)]
        : [entry.kind === 'link' ? '120000' : entry.mode & 0o100 ? '100755' : '100644', putObject(gitDir, 'blob', Buffer.from(entry.text))];
    return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
  });
  return putObject(gitDir, 'tree', Buffer.concat(lines));
}

/**
 * A thread of the harness whose snapshots are made in this process instead of by git: the same trees, by the same rule (a file that was
 * captured before it became ignored stays captured), a hundred times as fast. What each tree holds is kept, for the model to know.
 */
export class CheapScenario extends TanstackScenario {
  /** Every tree by its id, shared by all threads of one repository. */
  readonly trees: Map<string, Disk>;
  readonly index: Set<string>;

  constructor(folder: string, threadId: string, shared: { trees: Map<string, Disk>; index: Set<string> }) {
    super(folder, { events: false, threadId });
    this.trees = shared.trees;
    this.index = shared.index;
  }

  override async track(): Promise<string> {
    const disk = readWorkspace(this.root);
    const ignored = new Set((contentAt(disk, '.gitignore')?.text ?? '').split('\n').filter(Boolean));
    const captured = new Map([...disk].filter(([name]) => this.index.has(name) || !name.split('/').some((part) => ignored.has(part))));
    this.index.clear();
    for (const name of captured.keys()) this.index.add(name);
    const tree = putTree(this.gitDir, captured);
    this.trees.set(tree, captured);
    return tree;
  }

  override async changed(from: string, to: string): Promise<string[]> {
    const [a, b] = [this.trees.get(from) ?? new Map(), this.trees.get(to) ?? new Map()];
    const lineOf = (entry: Entry | undefined): string => (entry ? `${entry.kind} ${entry.mode & 0o100} ${entry.text}` : '');
    return [...new Set([...a.keys(), ...b.keys()])].filter((name) => lineOf(a.get(name)) !== lineOf(b.get(name))).sort();
  }

  override async append(...records: Json[]): Promise<void> {
    await super.append(...records);
    this.rest();
  }

  /** Nobody works with the log, as its time tells: a fresh one would be watched for a second by each travel. */
  rest(): void {
    const past = Date.now() / 1000 - 7200;
    utimesSync(this.log, past, past);
  }
}
