import { z } from 'zod';
import type { DiskState } from '../snapshots/disk.ts';
import type { TreeEntry } from '../snapshots/objects.ts';

const oid = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/**
 * What stands at a path, as far as a travel can put it there: nothing, a file, a link. `oid` is git's id of the bytes.
 * `mode` are the full permission bits where a disk was asked; null where only a tree is known, which has the exec bit alone.
 */
export const contentSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('absent') }),
  z.object({ kind: z.literal('file'), oid, executable: z.boolean(), mode: z.number().int().nullable() }),
  z.object({ kind: z.literal('link'), oid }),
]);
export type Content = z.infer<typeof contentSchema>;

/** Nothing stands there. */
export const ABSENT: Content = { kind: 'absent' };

/** The same kind, bytes and exec bit. Other permission bits do not count: no tree knows them. */
export function sameContent(a: Content, b: Content): boolean {
  if (a.kind === 'file' && b.kind === 'file') return a.oid === b.oid && a.executable === b.executable;
  if (a.kind === 'link' && b.kind === 'link') return a.oid === b.oid;
  return a.kind === b.kind;
}

/** What a tree holds. Null for a submodule, which is no file of ours. */
export function contentOfEntry(entry: TreeEntry | null): Content | null {
  if (entry === null) return ABSENT;
  if (entry.mode === '160000') return null;
  if (entry.mode === '120000') return { kind: 'link', oid: entry.oid };
  return { kind: 'file', oid: entry.oid, executable: entry.mode === '100755', mode: null };
}

/** The tree entry for a content; null for an absent one. */
export function entryOfContent(content: Content): TreeEntry | null {
  if (content.kind === 'absent') return null;
  if (content.kind === 'link') return { mode: '120000', oid: content.oid };
  return { mode: content.executable ? '100755' : '100644', oid: content.oid };
}

/** What the disk holds. A folder counts as absent: it is no file, and whether it may give way is decided for its whole group. */
export function contentOfDisk(state: DiskState): Content | null {
  if (state.kind === 'absent' || state.kind === 'folder') return ABSENT;
  if (state.kind === 'link') return { kind: 'link', oid: state.oid };
  if (state.kind === 'file') return { kind: 'file', oid: state.oid, executable: (state.mode & 0o100) !== 0, mode: state.mode };
  return null;
}
