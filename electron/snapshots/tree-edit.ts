import type { TreePath } from '../../shared/tree-path.ts';
import type { TreeEntry } from './objects.ts';
import { latin1OfPath } from './path-bytes.ts';
import { type TreeLine, treeBytes } from './tree-object.ts';

/** The changes below one folder. `entry`: what shall stand here; null for no file; undefined for no change. */
interface Node {
  entry: TreeEntry | null | undefined;
  children: Map<string, Node>;
}

export interface TreeEdit {
  base: string | null;
  changes: ReadonlyMap<TreePath, TreeEntry | null>;
  /** The lines of a folder of the base. */
  lines(tree: string): Promise<readonly TreeLine[]>;
  /** Stores a tree object and gives its id. Lines that are new to it are among `lines`. */
  write(bytes: Buffer, lines: readonly TreeLine[]): Promise<string>;
}

const node = (): Node => ({ entry: undefined, children: new Map() });

function nodesOf(changes: ReadonlyMap<TreePath, TreeEntry | null>): Node {
  const root = node();
  for (const [path, entry] of changes) {
    let at = root;
    for (const part of latin1OfPath(path).split('/')) {
      if (part === '') throw new Error('a tree path has no empty part');
      const next = at.children.get(part) ?? node();
      at.children.set(part, next);
      at = next;
    }
    at.entry = entry;
  }
  return root;
}

/** Waits for all, also after a failure, so that nothing goes on unseen; then throws the first. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}

/**
 * The id of the tree that is `base` with some paths replaced or removed. Only folders above a changed path are written.
 * Null removes a file, never a folder; an entry takes the place of a folder, and a path below it that of a file. A folder
 * that holds nothing any more is gone.
 */
export async function editTree(edit: TreeEdit): Promise<string> {
  const walk = async (base: string | null, change: Node): Promise<TreeLine[]> => {
    const lines = new Map((base === null ? [] : await edit.lines(base)).map((line) => [line.name, line]));
    const below: Promise<void>[] = [];
    for (const [name, child] of change.children) {
      const old = lines.get(name);
      const folder = old?.mode === '40000' ? old.oid : null;
      if (child.entry) {
        lines.set(name, { name, ...child.entry });
        continue;
      }
      if (child.entry === null && folder === null) lines.delete(name);
      if (child.children.size === 0) continue;
      const settle = async (inner: TreeLine[]): Promise<void> => {
        if (inner.length > 0) lines.set(name, { name, mode: '40000', oid: await edit.write(treeBytes(inner), inner) });
        else if (folder !== null) lines.delete(name);
      };
      below.push(walk(folder, child).then(settle));
    }
    await allDone(below);
    return [...lines.values()];
  };
  const all = await walk(edit.base, nodesOf(edit.changes));
  return edit.write(treeBytes(all), all);
}
