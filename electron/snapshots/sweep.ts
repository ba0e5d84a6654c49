import { treeWith } from './capture.ts';
import { emptyTree } from './object-id.ts';
import { ObjectReader, type TreeEntry } from './objects.ts';
import { keepContents, type SnapshotStore } from './store.ts';

/** How many bytes each object takes on disk, packed and compressed as it is; what is not there is left out. */
export async function sizesOnDisk(store: SnapshotStore, oids: Iterable<string>, signal?: AbortSignal): Promise<Map<string, number>> {
  const stdin = Buffer.from([...oids].map((oid) => `${oid}\n`).join(''));
  const sizes = new Map<string, number>();
  if (stdin.length === 0) return sizes;
  const args = ['cat-file', '--batch-check=%(objectname) %(objectsize:disk)'];
  const { stdout } = await store.git.run({ name: 'cat-file', args, gitDir: store.gitDir, stdin, signal });
  for (const line of stdout.toString('latin1').split('\n')) {
    const [oid = '', size = ''] = line.split(' ');
    if (/^\d+$/.test(size)) sizes.set(oid, Number(size));
  }
  return sizes;
}

/** Keeps the contents that are there by a tree of their own, so that a sweep passes over them. */
async function keep(store: SnapshotStore, contents: ReadonlySet<string>): Promise<void> {
  const there = await sizesOnDisk(store, contents);
  const changes = new Map<string, TreeEntry>();
  for (const oid of there.keys()) changes.set(oid, { mode: '100644', oid });
  await keepContents(store, changes.size === 0 ? null : await treeWith(store, { base: null, changes }));
}

/**
 * Removes what nothing keeps from a safety store of ours, and from no other: objects that neither a pin nor `contents` names and that
 * are older than the grace period (milliseconds). Only under the lease of its workspace, since whoever writes there holds it. What is
 * still needed is in place before anything is removed, so a crash or a cancel at any moment loses nothing. Throws CANCELLED, GIT_FAILED.
 */
export async function sweepStore(
  store: SnapshotStore,
  o: { contents: ReadonlySet<string>; grace: number; now: number; signal?: AbortSignal | undefined },
): Promise<void> {
  await keep(store, o.contents);
  const { gitDir } = store;
  const before = o.grace === 0 ? 'now' : `${Math.floor((o.now - o.grace) / 1000)} +0000`;
  const plain = ['-c', 'repack.writeBitmaps=false', '-c', 'pack.threads=1', '-c', 'pack.writeReverseIndex=false'];
  const repack = [...plain, 'repack', '-A', '-d', '-q', '-n', '--window=0', `--unpack-unreachable=${before}`];
  await store.git.run({ name: 'repack', args: repack, gitDir, signal: o.signal });
  await store.git.run({ name: 'prune', args: ['prune', `--expire=${before}`], gitDir, signal: o.signal });
}

/** The contents of each tree: ids of its files and links, the same one once. A tree that is gone has none. */
export async function contentsOf(store: SnapshotStore, trees: Iterable<string>): Promise<Map<string, ReadonlySet<string>>> {
  const reader = new ObjectReader(store);
  const found = new Map<string, ReadonlySet<string>>();
  try {
    for (const tree of trees) {
      if (found.has(tree)) continue;
      const there = tree === emptyTree(store.format) || (await reader.hasTree(tree));
      found.set(tree, new Set(there ? [...(await reader.entries(tree)).values()].map(({ oid }) => oid) : []));
    }
    return found;
  } finally {
    await reader.close();
  }
}
