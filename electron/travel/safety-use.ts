import path from 'node:path';
import type { Retention } from '../../shared/contract.ts';
import { reasonOf } from '../../shared/errors.ts';
import type { CleanEntry, CleanPlan } from '../../shared/own-data.ts';
import type { Git } from '../snapshots/git.ts';
import { objectFolder } from '../snapshots/object-folder.ts';
import { type SafetyStore, safetyStores } from '../snapshots/safety-stores.ts';
import { pins } from '../snapshots/store.ts';
import { contentsOf, sizesOnDisk } from '../snapshots/sweep.ts';
import { contentsOfRecord } from './contents-needed.ts';
import type { FileSystem } from './file-system.ts';
import { allHistories, type HistoryLine } from './history-file.ts';
import { leaseKeyOf, openJournals, readEntry } from './journal.ts';
import { neededEntries } from './needed-entries.ts';
import type { TravelRecord } from './record.ts';

const DAY = 86_400_000;

/** A travel that still has its safety snapshot. */
export interface Kept {
  line: HistoryLine & { tree: string };
  thread: string;
  store: SafetyStore;
  needed: boolean;
  /** Ids of the contents that its record names; those that are in the store are kept with it. */
  contents: ReadonlySet<string>;
}

/** What our safety stores hold: travels with a snapshot oldest first, stores in which a travel is under way, what could not be read. */
export interface SafetyUse {
  stores: SafetyStore[];
  kept: Kept[];
  busy: ReadonlySet<string>;
  bytes: number;
  problems: CleanPlan['problems'];
}

interface Parts {
  fs: FileSystem;
  ownData: string;
  git: Git;
  signal?: AbortSignal | undefined;
}

/** Looks at all safety stores and histories; only reads. */
export async function safetyUse({ fs, ownData, git }: Parts): Promise<SafetyUse> {
  const stores = await safetyStores(git, ownData);
  const pinned = new Map<string, { store: SafetyStore; tree: string }>();
  let bytes = 0;
  for (const store of stores) {
    for (const { name, tree } of await pins(store)) pinned.set(name, { store, tree });
    bytes += (await objectFolder(path.join(store.gitDir, 'objects'))).bytes;
  }
  const busy = new Set((await openJournals(fs, ownData)).map(leaseKeyOf));
  const kept: Kept[] = [];
  const problems: CleanPlan['problems'] = [];
  for (const { thread, entries } of await allHistories(fs, ownData)) {
    let needed: ReadonlySet<string> | null = null;
    let known = new Map<string, TravelRecord>();
    try {
      const records = await Promise.all(entries.map(async ({ id }) => [id, await readEntry(fs, ownData, id)] as const));
      known = new Map(records.flatMap(([id, record]) => (record === null ? [] : [[id, record] as const])));
      needed = await neededEntries(fs, ownData, thread, entries, known);
    } catch (thrown) {
      // What stands cannot be told, so nothing of this thread goes.
      problems.push({ thread, ...reasonOf(thrown) });
    }
    for (const line of entries) {
      const at = pinned.get(line.id);
      if (line.tree === null || line.cleaned !== undefined || at?.tree !== line.tree) continue;
      const record = known.get(line.id);
      const contents = record === undefined ? new Set<string>() : contentsOfRecord(record);
      kept.push({ line: { ...line, tree: line.tree }, thread, store: at.store, needed: needed?.has(line.id) ?? true, contents });
    }
  }
  return { stores, kept: kept.sort((a, b) => a.line.at - b.line.at), busy, bytes, problems };
}

/** The newest entry of each workspace is never dropped, whatever the limits say. */
function newestOf(kept: readonly Kept[]): ReadonlySet<Kept> {
  return new Set(new Map(kept.map((one) => [one.store.gitDir, one] as const)).values());
}

/** Which entries the limits let go, oldest first, each with the limit that says so. `bytes` on disk that goes with each. */
export async function cleanPlan(
  parts: Parts,
  retention: Retention,
  now: number,
): Promise<{ use: SafetyUse; goes: (Kept & Pick<CleanEntry, 'why' | 'frees'>)[] }> {
  const use = await safetyUse(parts);
  const newest = newestOf(use.kept);
  const free = use.kept.filter((one) => !one.needed && !newest.has(one) && !use.busy.has(one.store.key));
  const why = new Map<Kept, Pick<CleanEntry, 'why' | 'frees'>>();
  if (retention.days !== null)
    for (const one of free) if (one.line.at < now - retention.days * DAY) why.set(one, { why: 'days', frees: 0 });
  if (retention.entries !== null) {
    for (const store of use.stores) {
      const all = use.kept.filter((one) => one.store === store && !why.has(one));
      const over = all.length - retention.entries;
      for (const one of all.filter((entry) => free.includes(entry)).slice(0, Math.max(over, 0))) why.set(one, { why: 'entries', frees: 0 });
    }
  }
  if (why.size > 0 || (retention.bytes !== null && use.bytes > retention.bytes)) {
    const count = await exclusiveBytes(use, parts.signal);
    let left = use.bytes;
    for (const [one, goes] of why) {
      goes.frees = count(one);
      left -= goes.frees;
    }
    for (const one of free) {
      if (retention.bytes === null || left <= retention.bytes) break;
      if (why.has(one)) continue;
      const frees = count(one);
      why.set(one, { why: 'bytes', frees });
      left -= frees;
    }
  }
  const goes = use.kept.flatMap((one) => {
    const found = why.get(one);
    return found === undefined ? [] : [{ ...one, ...found }];
  });
  return { use, goes };
}

/** An object of a store: its bytes on disk, and how many entries need it. */
interface Held {
  size: number;
  uses: number;
}

/** Counts, for entries that are dropped one after the other, the bytes on disk that no entry is left to need. */
async function exclusiveBytes({ stores, kept }: SafetyUse, signal: AbortSignal | undefined): Promise<(one: Kept) => number> {
  const held = new Map<Kept, readonly Held[]>();
  for (const store of stores) {
    const own = kept.filter((one) => one.store === store);
    const contents = await contentsOf(
      store,
      own.map((one) => one.line.tree),
    );
    const all = new Set([...contents.values(), ...own.map((one) => one.contents)].flatMap((oids) => [...oids]));
    const shared = new Map<string, Held>();
    // What no store of ours holds takes no room here.
    for (const [oid, size] of await sizesOnDisk(store, all, signal)) shared.set(oid, { size, uses: 0 });
    for (const one of own) {
      const oids = new Set([...(contents.get(one.line.tree) ?? []), ...one.contents]);
      const mine = [...oids].flatMap((oid) => shared.get(oid) ?? []);
      for (const object of mine) object.uses += 1;
      held.set(one, mine);
    }
  }
  return (one) => {
    let bytes = 0;
    for (const object of held.get(one) ?? []) {
      object.uses -= 1;
      if (object.uses === 0) bytes += object.size;
    }
    return bytes;
  };
}
