import { type Content, sameContent } from './content.ts';

/** Why two changes of one path do not go together. */
export type Clash = 'deleted' | 'edited' | 'recreated' | 'kind' | 'binary' | 'conflict' | 'large' | 'gone' | 'moving';

/** Merges text by lines. `clean: false` for a conflict, `'binary'` and `'large'` for bytes that have no lines to merge, `'gone'` for some that nobody has, `'moving'` for those of a file that changed since it was looked at. */
export type MergeText = (
  base: string,
  ours: string,
  theirs: string,
) => Promise<{ clean: true; oid: string } | { clean: false; why: Clash }>;

type Merged = { clean: true; content: Content } | { clean: false; why: Clash };

/**
 * The three-way merge of a path: `theirs` differs from `base` by what shall be taken out, `ours` by what shall stay.
 * Kinds and exec bits take part; bytes are only asked for when all three sides differ.
 */
export async function mergeContent(base: Content, ours: Content, theirs: Content, text: MergeText): Promise<Merged> {
  if (sameContent(ours, base) || sameContent(ours, theirs)) return { clean: true, content: theirs };
  if (sameContent(theirs, base)) return { clean: true, content: ours };
  if (base.kind === 'file' && ours.kind === 'file' && theirs.kind === 'file') {
    // Of three bits two are equal, so an exec bit never clashes: the one that differs from the base wins.
    const executable = ours.executable === base.executable ? theirs.executable : ours.executable;
    const file = (oid: string): Merged => ({ clean: true, content: { kind: 'file', oid, executable, mode: null } });
    if (ours.oid === base.oid || ours.oid === theirs.oid) return file(theirs.oid);
    if (theirs.oid === base.oid) return file(ours.oid);
    const merged = await text(base.oid, ours.oid, theirs.oid);
    return merged.clean ? file(merged.oid) : merged;
  }
  if (ours.kind === 'absent') return { clean: false, why: 'deleted' };
  if (theirs.kind === 'absent') return { clean: false, why: 'edited' };
  if (base.kind === 'absent') return { clean: false, why: 'recreated' };
  return { clean: false, why: 'kind' };
}
