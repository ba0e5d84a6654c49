import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';
import { type Moment, momentsFile, readMoments } from './moments.ts';
import { removeOwnStore } from './safety-stores.ts';
import { openRecordedStore, pins, recordedIndex, recordedStore, unpin } from './store.ts';
import { sweepStore } from './sweep.ts';
import { whileSweeping } from './use-gate.ts';

type Why = 'forget' | 'clean';

/** A hook may have kept objects whose moment is still to be written: what is younger than this stays in a clean-up; milliseconds. */
const GRACE = { forget: 0, clean: 3_600_000 } as const satisfies Record<Why, number>;

export interface RecordedParts {
  git: Git;
  ownData: string;
  now: number;
}

async function sessionsOf(ownData: string): Promise<string[]> {
  const names = await readdir(path.join(ownData, 'recorded', 'sessions')).catch(() => []);
  return names.flatMap((name) => /^([A-Za-z0-9_-]{1,128})\.jsonl$/.exec(name)?.[1] ?? []);
}

/** The trees that sessions name in a workspace; null when none was ever recorded there by a session that is still known. */
async function namedTrees(ownData: string, workspace: string): Promise<Set<string> | null> {
  const found: (string | null)[] = [];
  for (const session of await sessionsOf(ownData))
    for (const { root, tree } of await readMoments(ownData, session)) if (root === workspace) found.push(tree);
  return found.length === 0 ? null : new Set(found.filter((tree) => tree !== null));
}

/**
 * Removes from the repositories of these workspaces the trees that no session names any more; one that no session uses goes whole. Each
 * workspace is judged when its turn comes, while no hook records there: hooks go on recording while others are swept.
 */
async function sweep(parts: RecordedParts, roots: ReadonlySet<string>, why: Why): Promise<void> {
  for (const root of roots)
    await whileSweeping(recordedStore(parts.ownData, root), { doing: why, place: root }, () => sweepOne(parts, root, GRACE[why]));
}

async function sweepOne({ git, ownData, now }: RecordedParts, root: string, grace: number): Promise<void> {
  const named = await namedTrees(ownData, root);
  if (named === null) return removeOwnStore(recordedStore(ownData, root));
  const store = await openRecordedStore({ git, ownData, root });
  for (const { name, tree } of await pins(store)) if (!named.has(tree)) await unpin(store, name);
  // The index knows files by objects that go now: the next hook would not write them again.
  await rm(recordedIndex(store), { force: true });
  await sweepStore(store, { contents: new Set(), grace, now });
}

async function drop(parts: RecordedParts, sessions: readonly string[], why: Why): Promise<void> {
  const roots = new Set<string>();
  for (const session of sessions) {
    const moments: Moment[] = await readMoments(parts.ownData, session);
    for (const { root } of moments) roots.add(root);
  }
  for (const session of sessions) await rm(momentsFile(parts.ownData, session), { force: true });
  await sweep(parts, roots, why);
}

/** Removes all that hooks recorded of one session, and the objects that only it needs. */
export function forgetRecorded(parts: RecordedParts, session: string): Promise<void> {
  return drop(parts, [session], 'forget');
}

/** Removes what hooks recorded of sessions that nothing was recorded of for `age` milliseconds. Gives how many sessions went. */
export async function cleanRecorded(parts: RecordedParts, age: number): Promise<number> {
  const old: string[] = [];
  for (const session of await sessionsOf(parts.ownData)) {
    const found = await stat(momentsFile(parts.ownData, session)).catch(() => null);
    if (found !== null && parts.now - found.mtimeMs > age) old.push(session);
  }
  if (old.length > 0) await drop(parts, old, 'clean');
  return old.length;
}
