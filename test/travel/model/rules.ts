import type { Choice, DriftPolicy } from '../../../shared/plan.ts';
import type { Disk, Entry } from './disk.ts';

/**
 * What a travel does to a path, written from the rules of the design alone ("Which content a path gets"): nothing of the product is
 * used. Texts of the model are one line each, so that two different changes of one text always conflict.
 */

/** A content as trees know it: permission bits only where one of our own travels saw the file. Null: nothing stands there. */
export type Want = { kind: 'file'; text: string; executable: boolean; mode: number | null } | { kind: 'link'; text: string } | null;

/** A change of one path that the thread's history knows. */
export interface Layer {
  before: Want;
  after: Want;
}

export const seen = (entry: Entry | null | undefined): Want =>
  !entry
    ? null
    : entry.kind === 'link'
      ? { kind: 'link', text: entry.text }
      : { kind: 'file', text: entry.text, executable: (entry.mode & 0o100) !== 0, mode: entry.mode };

/** The same as a tree keeps it: the exec bit alone. */
export const inTree = (entry: Entry | null | undefined): Want => {
  const want = seen(entry);
  return want?.kind === 'file' ? { ...want, mode: null } : want;
};

/** The same kind, bytes and exec bit. */
export function same(a: Want, b: Want): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'link' || b.kind === 'link') return a.kind === b.kind && a.text === b.text;
  return a.text === b.text && a.executable === b.executable;
}

const CLASH = Symbol('clash');

/** Three-way: the change from `base` to `theirs` is done to `ours`. */
function merge(base: Want, ours: Want, theirs: Want): Want | typeof CLASH {
  if (same(ours, base) || same(ours, theirs)) return theirs;
  if (same(theirs, base)) return ours;
  if (base?.kind !== 'file' || ours?.kind !== 'file' || theirs?.kind !== 'file') return CLASH;
  const executable = ours.executable === base.executable ? theirs.executable : ours.executable;
  const done = (text: string): Want => ({ kind: 'file', text, executable, mode: null });
  if (ours.text === base.text || ours.text === theirs.text) return done(theirs.text);
  return theirs.text === base.text ? done(ours.text) : CLASH;
}

/** What the plan says of a path: what each choice would leave, and which one is preselected. */
export interface Verdict {
  drift: boolean;
  choice: Choice;
  target: Want;
  merged: Want | null;
  merges: boolean;
}

/** The layers are taken off, newest first; null when there is nothing to do. */
export function verdictOn(disk: Want, layers: readonly Layer[], ignored: boolean): Verdict | null {
  const real = layers.filter((layer) => !same(layer.before, layer.after));
  const oldest = real.at(-1);
  if (oldest === undefined || same(disk, oldest.before)) return null;
  const target = oldest.before;
  let expected = disk;
  let fits = true;
  for (const layer of real) {
    fits &&= same(expected, layer.after);
    expected = layer.before;
  }
  if (fits) return { drift: false, choice: 'write', target, merged: target, merges: false };
  let ours: Want | typeof CLASH = disk;
  for (const layer of real) if (ours !== CLASH) ours = merge(layer.after, ours, layer.before);
  const merges = ours !== CLASH && !same(ours, disk);
  return { drift: true, choice: merges && !ignored ? 'merge' : 'keep', target, merged: ours === CLASH ? null : ours, merges };
}

/** What a path ends as under a policy. */
export function choiceUnder(policy: DriftPolicy, { drift, choice }: Verdict): Choice {
  if (!drift || policy === 'merge') return choice;
  return policy === 'keep' ? 'keep' : 'overwrite';
}

const UMASK = process.umask();

/** Puts a content where something stood: bits that are not known come from the file that is replaced, else from the umask. */
export function put(disk: Disk, name: string, want: Want): void {
  const old = disk.get(name);
  if (want === null) disk.delete(name);
  else if (want.kind === 'link') disk.set(name, { kind: 'link', text: want.text, mode: 0o777 });
  else {
    const fresh = (want.executable ? 0o777 : 0o666) & ~UMASK;
    const kept =
      old?.kind !== 'file'
        ? fresh
        : !want.executable
          ? old.mode & ~0o111
          : (old.mode & 0o100) !== 0
            ? old.mode
            : old.mode | ((old.mode & 0o444) >> 2);
    disk.set(name, { kind: 'file', text: want.text, mode: want.mode ?? kept });
  }
}
