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
  /** Its place in the thread's history. */
  at: number;
  /** Known to be nobody's of the thread: it is not taken out. */
  others?: boolean;
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
  /** Its changes cannot all be taken out. */
  clash: boolean;
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
  if (fits && !real.some((layer) => layer.others)) {
    return { drift: false, choice: 'write', target, merged: target, merges: false, clash: false };
  }
  let ours = disk;
  let clash = false;
  for (const layer of real) {
    if (clash || layer.others) continue;
    const next = merge(layer.after, ours, layer.before);
    if (next === CLASH) clash = true;
    else ours = next;
  }
  // With a clash nothing is merged; only a file that is gone comes back as far as it can.
  const merges = !same(ours, disk) && (!clash || disk === null);
  return { drift: true, choice: merges && !ignored ? 'merge' : 'keep', target, merged: clash && !merges ? null : ours, merges, clash };
}

/** One change of a text: what stands there without it. Null where the step changed no text. */
export function oneChange({ before, after, at }: Layer): Layer | null {
  if (before?.kind !== 'file' || after?.kind !== 'file' || before.text === after.text) return null;
  return { before: { ...after, text: before.text }, after, at };
}

const sameText = (a: Want, b: Want): boolean => a !== null && a.kind === b?.kind && a.text === b.text;

/** What a choice leaves. */
export const leftBy = (disk: Want, choice: Choice, { target, merged }: Pick<Verdict, 'target' | 'merged'>): Want =>
  choice === 'keep' ? disk : choice === 'merge' ? merged : target;

/** A path of the plan: what stands there, and what the preselected choice leaves. */
export interface Outcome {
  disk: Want;
  choice: Choice;
  left: Want;
}

/**
 * "What you did stays": what came to a path between two changes of the thread, the newer of which took it away, must not go from every
 * file. Gives for each such text the paths that it stands at now; those that nothing in the plan leaves it at are `lost`.
 */
export function carried(
  chains: ReadonlyMap<string, readonly Layer[]>,
  outcomes: ReadonlyMap<string, Outcome>,
): { holders: string[]; lost: boolean }[] {
  const found: { holders: string[]; lost: boolean }[] = [];
  const real = (name: string): Layer[] => (chains.get(name) ?? []).filter((layer) => !layer.others && !same(layer.before, layer.after));
  for (const name of chains.keys()) {
    for (const [place, newer] of real(name).entries()) {
      const older = real(name)[place + 1];
      const text = newer.before;
      if (older === undefined || text === null || sameText(text, older.after) || sameText(text, newer.after)) continue;
      const has = (one: string): boolean => real(one).some((layer) => layer.at >= newer.at && sameText(text, layer.after));
      const holders = [...outcomes].flatMap(([one, { disk }]) => (one !== name && has(one) && sameText(text, disk) ? [one] : []));
      const own = outcomes.get(name);
      const stays = own !== undefined && (own.choice === 'merge' || sameText(text, own.left));
      const lost = !stays && holders.length > 0 && !holders.some((one) => sameText(text, outcomes.get(one)?.left ?? null));
      found.push({ holders, lost });
    }
  }
  return found;
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
