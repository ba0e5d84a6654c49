import path from 'node:path';
import { isRefusal, reason, TurnbackError, whatFailed } from '../../shared/errors.ts';
import type { ForgetPlan } from '../../shared/own-data.ts';
import type { Git } from '../snapshots/git.ts';
import { quarantinesOf, removeOwnStore, removeRemainders, type SafetyStore, safetyStores } from '../snapshots/safety-stores.ts';
import { pins, unpin } from '../snapshots/store.ts';
import { contentsOf, sizesOnDisk, sweepStore } from '../snapshots/sweep.ts';
import { contentsNeeded } from './contents-needed.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { readHistory, removeHistory } from './history-file.ts';
import { leaseKeyOf, openJournals, readEntry, removeEntry, removeJournal } from './journal.ts';
import { type Lease, takeLease } from './lease.ts';
import { readOverlay, writeOverlay } from './overlay.ts';
import { keyOf, listOwn } from './own-files.ts';
import { readPendingText, writePendingText } from './pending-recall.ts';

export interface ForgetParts {
  fs?: FileSystem;
  ownData: string;
  git: Git;
  thread: string;
  /** The folder of its workspace; null when that is not known. */
  root: string | null;
  now(): number;
}

interface Own {
  store: SafetyStore;
  /** The pins of this thread's travels, and how many others there are. */
  mine: { name: string; tree: string }[];
  others: number;
}

/** Every travel of the thread that we keep something of: those of its history, and records that a crash left outside it. */
async function entriesOf(fs: FileSystem, { ownData, thread }: ForgetParts): Promise<Set<string>> {
  const ids = new Set((await readHistory(fs, ownData, thread)).map(({ id }) => id));
  for (const name of await listOwn(fs, path.join(ownData, 'entries'))) {
    const id = name.replace(/\.json$/, '');
    if (!ids.has(id) && (await readEntry(fs, ownData, id).catch(() => null))?.thread === thread) ids.add(id);
  }
  return ids;
}

async function ownStores(parts: ForgetParts, entries: ReadonlySet<string>): Promise<Own[]> {
  const found: Own[] = [];
  for (const store of await safetyStores(parts.git, parts.ownData)) {
    const all = await pins(store);
    const mine = all.filter(({ name }) => entries.has(name));
    // After a crash its pins are gone already, and what they held may still be there.
    if (mine.length > 0 || (parts.root !== null && store.key === keyOf(parts.root)))
      found.push({ store, mine, others: all.length - mine.length });
  }
  return found;
}

/** What forgetting the thread takes away, or why it cannot be forgotten now. Only reads. */
export async function previewForget(parts: ForgetParts, standing: boolean): Promise<ForgetPlan> {
  const fs = parts.fs ?? nodeFileSystem;
  const lines = await readHistory(fs, parts.ownData, parts.thread);
  let bytes = 0;
  let undoable = 0;
  for (const { store, mine } of await ownStores(parts, await entriesOf(fs, parts))) {
    undoable += mine.length;
    const own = new Set(mine.map(({ name }) => name));
    const others = (await pins(store)).filter(({ name }) => !own.has(name));
    const needed = new Set(
      [
        ...(
          await contentsOf(
            store,
            others.map(({ tree }) => tree),
          )
        ).values(),
      ].flatMap((oids) => [...oids]),
    );
    const mineToo = new Set(
      [
        ...(
          await contentsOf(
            store,
            mine.map(({ tree }) => tree),
          )
        ).values(),
      ].flatMap((oids) => [...oids]),
    );
    for (const [oid, size] of await sizesOnDisk(store, mineToo)) if (!needed.has(oid)) bytes += size;
  }
  const open = (await openJournals(fs, parts.ownData)).some((record) => record.thread === parts.thread);
  return { entries: lines.length, undoable, bytes, standing, refusal: open ? reason('INTERRUPTED') : null };
}

/** Does a revert of ours stand, as far as our own files tell? For a thread whose log is not there any more. */
export async function standsByFiles(fs: FileSystem, ownData: string, thread: string): Promise<boolean> {
  return (await readOverlay(fs, ownData, thread)).standing !== null || (await readPendingText(fs, ownData, thread)) !== null;
}

/**
 * Removes what travels of the thread left with us: safety snapshots and the objects that only they hold, records, history, overlay, and
 * the repositories through which its snapshots were read (`reads`: the folders of objects). Nothing of the agent's or the user's is touched. Under the leases
 * of all workspaces that it has snapshots of. Safe to call again after a crash: the history, which names the rest, goes last. Throws
 * INTERRUPTED while a travel there is unfinished, FORGET_BUSY while one runs.
 */
export async function forgetTravels(parts: ForgetParts, reads: readonly string[]): Promise<void> {
  const fs = parts.fs ?? nodeFileSystem;
  const { ownData, thread, root } = parts;
  const entries = await entriesOf(fs, parts);
  const stores = await ownStores(parts, entries);
  const leases: Lease[] = [];
  try {
    const here = leaseKeyOf({ root, thread });
    const keys = new Set([...stores.map(({ store }) => store.key), here]);
    for (const key of [...keys].sort()) leases.push(await leaseOr(fs, ownData, key, key === here ? root : null));
    if ((await openJournals(fs, ownData)).some((record) => record.thread === thread || keys.has(leaseKeyOf(record))))
      throw new TurnbackError('INTERRUPTED');
    for (const { store, mine, others } of stores) {
      for (const { name } of mine) await unpin(store, name);
      if (others === 0) await removeOwnStore(store.gitDir);
      else await sweepStore(store, { contents: await contentsNeeded(fs, ownData, thread), grace: 0, now: parts.now() });
    }
    for (const entry of entries) {
      await removeJournal(fs, ownData, entry);
      await removeEntry(fs, ownData, entry);
    }
    await writeOverlay(fs, ownData, thread, null);
    await writePendingText(fs, ownData, thread, null);
    const own = stores.map(({ store }) => path.join(store.gitDir, 'objects'));
    for (const quarantine of await quarantinesOf(ownData, [...reads, ...own])) await removeOwnStore(quarantine);
    await removeRemainders(ownData);
    await removeHistory(fs, ownData, thread);
  } finally {
    for (const lease of leases) await lease.release();
  }
}

async function leaseOr(fs: FileSystem, ownData: string, key: string, place: string | null): Promise<Lease> {
  try {
    return await takeLease(fs, ownData, key, undefined, { doing: 'forget', place });
  } catch (thrown) {
    if (!isRefusal(thrown, 'LEASE_HELD')) throw thrown;
    throw new TurnbackError('FORGET_BUSY', { cause: whatFailed(thrown) });
  }
}
