import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRefusal } from '../../shared/errors.ts';
import { isFolder, lendersOf } from './lenders.ts';
import { removeOwnStore } from './safety-stores.ts';
import { whileSweeping, whileUsing } from './use-gate.ts';

/** Within this time a use is not noted again; milliseconds. */
const FRESH = 3_600_000;
/** What reads from folders that are gone stays this long: they may be on a disk that is being mounted. */
const GRACE = 24 * 3_600_000;

const markOf = (gitDir: string): string => path.join(gitDir, 'info', 'turnback-used');

async function lastUse(gitDir: string): Promise<number | null> {
  return (await stat(markOf(gitDir)).catch(() => null))?.mtimeMs ?? null;
}

/** The repositories that this process uses: as long as it runs, they count as used. */
const inUse = new Set<string>();

function keepInUse(gitDir: string): void {
  const note = (): void => {
    for (const one of inUse) void utimes(markOf(one), new Date(), new Date()).catch(() => inUse.delete(one));
  };
  if (inUse.size === 0) setInterval(note, FRESH / 2).unref();
  inUse.add(gitDir);
}

/** Makes a repository for reading foreign trees, or finds it there; from then on it is in use, and no clean-up takes it. */
export async function takeIntoUse(gitDir: string, make: () => Promise<void>): Promise<void> {
  const used = await lastUse(gitDir);
  if (used !== null && Date.now() - used < FRESH) await make();
  else
    await whileUsing(gitDir, { doing: 'open', place: gitDir }, async () => {
      await make();
      await writeFile(markOf(gitDir), '', { mode: 0o600 });
      await utimes(markOf(gitDir), new Date(), new Date());
    });
  keepInUse(gitDir);
}

/**
 * Removes repositories through which foreign trees were read: those whose folders of objects are all gone, and those that nobody used for
 * `age` milliseconds (null: however long). They hold nothing of their own and are made again when they are needed. One that somebody is
 * about to use stays. Gives how many went.
 */
export async function cleanQuarantines(o: { ownData: string; now: number; age: number | null }): Promise<number> {
  const home = path.join(path.resolve(o.ownData), 'quarantine');
  let gone = 0;
  for (const name of await readdir(home).catch(() => [])) {
    if (!/^[0-9a-f]{32}\.git$/.test(name)) continue;
    const gitDir = path.join(home, name);
    if (!(await isUnused(gitDir, o))) continue;
    const remove = async (): Promise<boolean> => {
      const still = await isUnused(gitDir, o);
      if (still) await removeOwnStore(gitDir);
      return still;
    };
    const went = await whileSweeping(gitDir, { doing: 'clean', place: gitDir }, remove).catch((thrown: unknown) => {
      if (!isRefusal(thrown, 'LEASE_HELD')) throw thrown;
      return false;
    });
    if (went) gone += 1;
  }
  return gone;
}

async function isUnused(gitDir: string, { now, age }: { now: number; age: number | null }): Promise<boolean> {
  // Before uses were noted, the folder itself tells when it was made.
  const used = (await lastUse(gitDir)) ?? (await stat(gitDir).catch(() => null))?.mtimeMs ?? now;
  if (age !== null && now - used > Math.max(age, GRACE)) return true;
  if (now - used < GRACE) return false;
  const there = await Promise.all((await lendersOf(path.join(gitDir, 'objects'))).map(isFolder));
  return !there.includes(true);
}
