import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Retention } from '../../shared/contract.ts';
import { isRefusal, TurnbackError, whatFailed } from '../../shared/errors.ts';
import type { Cleaned, CleanPlan } from '../../shared/own-data.ts';
import type { Git } from '../snapshots/git.ts';
import { objectFolder } from '../snapshots/object-folder.ts';
import { cleanQuarantines } from '../snapshots/quarantines.ts';
import { cleanRecorded } from '../snapshots/recorded-stores.ts';
import { removeRemainders, type SafetyStore } from '../snapshots/safety-stores.ts';
import { pins, unpin } from '../snapshots/store.ts';
import { sweepStore } from '../snapshots/sweep.ts';
import { contentsNeeded } from './contents-needed.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { allHistories, markCleaned } from './history-file.ts';
import { leaseKeyOf, openJournals } from './journal.ts';
import { leaseWanted, takeLease } from './lease.ts';
import { cleanPlan, type Kept, safetyUse } from './safety-use.ts';

/** What nothing needs any more stays this long, for a program that is just about to use it again; milliseconds. */
const GRACE = 2 * 3_600_000;
const DAY = 24 * 3_600_000;
/** How often a clean-up looks whether a travel waits for it. */
const LOOK = 60;

export interface CleanParts {
  fs?: FileSystem;
  ownData: string;
  git: Git;
  retention: Retention;
  now(): number;
  signal?: AbortSignal | undefined;
  /** How long what nothing needs stays; milliseconds. */
  grace?: number;
}

/** What our safety snapshots take, and what a clean-up would let go under these limits. Only reads. */
export async function previewClean(parts: CleanParts): Promise<CleanPlan> {
  const { use, goes } = await cleanPlan({ fs: parts.fs ?? nodeFileSystem, ...parts }, parts.retention, parts.now());
  return {
    use: { entries: use.kept.length, workspaces: use.stores.length, bytes: use.bytes },
    goes: goes.map(({ line, thread, why, frees }) => {
      const { id, at, kind, target, files } = line;
      return { entry: id, thread, at, kind, target, files, why, frees };
    }),
    needed: use.kept.filter((one) => one.needed).length,
    problems: use.problems,
  };
}

/**
 * Lets go of the safety snapshots that are over the limits, and removes what nothing needs any more from our own stores. One workspace
 * after the other, each under its lease; one that a travel uses or wants is left for the next time. `all`: also workspaces where no entry
 * goes. Throws CLEAN_FAILED with the first thing that went wrong, after everything else was done.
 */
export async function runClean(parts: CleanParts, all: boolean): Promise<Cleaned> {
  const fs = parts.fs ?? nodeFileSystem;
  const { ownData, git, signal } = parts;
  const { use, goes } = await cleanPlan({ fs, ownData, git, signal }, parts.retention, parts.now());
  await removeRemainders(ownData);
  const done = { dropped: 0, waiting: 0 };
  let failure: unknown = null;
  const { days } = parts.retention;
  try {
    await cleanQuarantines({ ownData, now: parts.now(), age: days === null ? null : days * DAY });
  } catch (thrown) {
    failure = thrown;
  }
  try {
    // What hooks recorded of a session is of use for as long as the session's own travels.
    if (days !== null) await cleanRecorded({ git, ownData, now: parts.now() }, days * DAY);
  } catch (thrown) {
    failure ??= thrown;
  }
  for (const store of use.stores) {
    const own = goes.filter((one) => one.store.key === store.key);
    if (signal?.aborted || (own.length === 0 && !all)) continue;
    try {
      const dropped = await cleanStore({ ...parts, fs }, store, own);
      if (dropped === null) done.waiting += 1;
      else done.dropped += dropped;
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  if (failure !== null) throw failed(failure);
  const bytes = await bytesOf(use.stores);
  return { ...done, freed: Math.max(use.bytes - bytes, 0), bytes };
}

function failed(thrown: unknown): TurnbackError {
  return new TurnbackError('CLEAN_FAILED', { cause: whatFailed(thrown) }, { cause: thrown });
}

async function bytesOf(stores: readonly SafetyStore[]): Promise<number> {
  let bytes = 0;
  for (const store of stores) bytes += (await objectFolder(path.join(store.gitDir, 'objects'))).bytes;
  return bytes;
}

/** How many entries went; null when a travel holds or wants the workspace, so that it is left for later. */
async function cleanStore(parts: CleanParts & { fs: FileSystem }, store: SafetyStore, goes: readonly Kept[]): Promise<number | null> {
  const { fs, ownData } = parts;
  const lease = await leaseOrNull(fs, ownData, store.key);
  if (lease === null) return null;
  try {
    if ((await openJournals(fs, ownData)).some((record) => leaseKeyOf(record) === store.key)) return null;
    // What stands may have changed while we waited for the lease.
    const use = await safetyUse(parts as CleanParts & { fs: FileSystem });
    const needed = new Set(use.kept.filter((one) => one.needed).map((one) => one.line.id));
    const going = goes.filter(({ line }) => !needed.has(line.id));
    await letGo(parts, store, going, use.problems.length === 0);
    const swept = await giveWay(parts, store.key, async (signal) => {
      const contents = await contentsNeeded(fs, ownData);
      await sweepStore(store, { contents, grace: parts.grace ?? GRACE, now: parts.now(), signal });
    });
    return swept ? going.length : null;
  } finally {
    await lease.release();
  }
}

async function leaseOrNull(fs: FileSystem, ownData: string, key: string): Promise<{ release(): Promise<void> } | null> {
  try {
    return await takeLease(fs, ownData, key, 0, { doing: 'clean' });
  } catch (thrown) {
    if (isRefusal(thrown, 'LEASE_HELD')) return null;
    throw thrown;
  }
}

/** First the history says that they are gone, then they are: a crash in between leaves a pin that the next time takes away. */
async function letGo(
  { fs, ownData, now }: CleanParts & { fs: FileSystem },
  store: SafetyStore,
  going: readonly Kept[],
  whole: boolean,
): Promise<void> {
  for (const thread of new Set(going.map((one) => one.thread))) {
    const ids = new Set(going.filter((one) => one.thread === thread).map((one) => one.line.id));
    await markCleaned(fs, ownData, thread, ids, now());
  }
  // Where every history can be read, a pin that none names as kept is a left-over: of a crash here, or of a travel that was rolled back.
  const kept = new Set(
    (await allHistories(fs, ownData)).flatMap(({ entries }) => entries.flatMap((line) => (line.cleaned === undefined ? [line.id] : []))),
  );
  const gone = new Set(going.map((one) => one.line.id));
  for (const { name } of await pins(store)) if (gone.has(name) || (whole && !kept.has(name))) await unpin(store, name);
}

/** Runs work that stops when a travel waits for the workspace; false when it did. */
async function giveWay(
  { fs, ownData, signal }: CleanParts & { fs: FileSystem },
  key: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const stop = new AbortController();
  const given = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const ended = new AbortController();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      await sleep(LOOK);
      // Where nobody can tell whether a travel waits, one may.
      if (await leaseWanted(fs, ownData, key).catch(() => true)) stop.abort();
    }
  })();
  try {
    await work(given);
    return true;
  } catch (thrown) {
    if (given.aborted && isRefusal(thrown, 'CANCELLED')) return false;
    throw thrown;
  } finally {
    ended.abort();
    await looking;
  }
}
