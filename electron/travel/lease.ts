import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Doing, doingSchema, wordsOfDoing } from '../../shared/doing.ts';
import { type Facts, TurnbackError } from '../../shared/errors.ts';
import { asideOf } from './asides.ts';
import type { FileSystem } from './file-system.ts';
import { isTaken, makeOwnFolder, readOwn, removeOwn } from './own-files.ts';
import { hasEnded, type Identity, identitySchema, ownIdentity } from './process-identity.ts';

const leaseSchema = identitySchema.extend({
  version: z.literal(1),
  random: z.string().regex(/^[0-9a-f]{32}$/),
  at: z.number(),
  // Before holders said it, nobody did.
  doing: doingSchema.default(null),
});
type LeaseFile = z.infer<typeof leaseSchema>;

/** The right to write in one workspace, of one process at a time. */
export interface Lease {
  release(): Promise<void>;
}

/** What a lease is taken for. */
export interface LeaseUse {
  /** What others are told while it is held. */
  doing: Doing;
  /** What is held, for people: the workspace folder or the log; else the lease's own file. */
  place?: string | null;
}

const WAIT = 2000;
const PAUSE = 40;
/** Crashes in a row while a stale lease was being removed; more than this never happened to anybody. */
const MOST_MARKERS = 16;

/** Leases of this process that could not be given back: they count as given back, here at once and elsewhere when it ends. */
const leftBehind = new Set<string>();

function parse(text: string | null): LeaseFile | null {
  if (text === null) return null;
  try {
    return leaseSchema.parse(JSON.parse(text));
  } catch {
    // A lease of a crashed disk or another version: nobody can be told from it.
    return null;
  }
}

/** Creates a file with its content in one step; false when it is there already. */
async function createWhole(fs: FileSystem, file: string, text: string): Promise<boolean> {
  const aside = asideOf(file);
  const handle = await fs.open(Buffer.from(aside), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    try {
      await handle.write(Buffer.from(text));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.link(Buffer.from(aside), Buffer.from(file));
    return true;
  } catch (thrown) {
    if (isTaken(thrown)) return false;
    throw thrown;
  } finally {
    await dropAside(fs, aside);
  }
}

/** What stays aside is cleared away later: it must not make a lease fail that was taken. */
async function dropAside(fs: FileSystem, aside: string): Promise<void> {
  try {
    await removeOwn(fs, aside);
  } catch {
    // The next sweep takes it.
  }
}

/** Nobody works under this lease any more. */
function isOver(lease: LeaseFile): boolean {
  return leftBehind.has(lease.random) || hasEnded(lease);
}

/**
 * Removes a lease whose process has ended. Only who wins the marker that is named after that very lease may remove it, so
 * two that find it stale can never remove each other's new one; the marker of one that died here is passed over in turn.
 */
async function removeStale(fs: FileSystem, file: string, stale: LeaseFile, me: Identity): Promise<void> {
  const mine: string[] = [];
  for (let turn = 0; turn < MOST_MARKERS; turn++) {
    const marker = `${file}.stale-${stale.random}-${turn}`;
    mine.push(marker);
    const random = randomBytes(16).toString('hex');
    if (await createWhole(fs, marker, JSON.stringify({ version: 1, ...me, random, at: Date.now() }))) {
      try {
        if (parse(await readOwn(fs, file))?.random === stale.random) await removeOwn(fs, file);
        for (const one of mine.reverse()) await removeOwn(fs, one);
      } catch (thrown) {
        // Our marker may stay: it must not hold up this process for as long as it runs.
        leftBehind.add(random);
        throw thrown;
      }
      return;
    }
    const other = parse(await readOwn(fs, marker));
    if (other !== null && !isOver(other)) return;
  }
}

const fileOf = (ownData: string, key: string): string => path.join(ownData, 'leases', `${key}.json`);

const factsOf = (holder: LeaseFile | null, file: string, place: string): Facts =>
  holder === null ? { path: place, file } : { path: place, pid: holder.pid, doing: wordsOfDoing(holder.doing) };

/** Takes the lease of a workspace; waits a little for another one. Throws LEASE_HELD, which says what the other one does. */
export async function takeLease(
  fs: FileSystem,
  ownData: string,
  key: string,
  wait = WAIT,
  { doing, place }: LeaseUse = { doing: 'travel' },
): Promise<Lease> {
  const file = fileOf(ownData, key);
  await makeOwnFolder(fs, path.dirname(file));
  const me = ownIdentity();
  const random = randomBytes(16).toString('hex');
  const text = JSON.stringify({ version: 1, ...me, random, at: Date.now(), doing } satisfies LeaseFile);
  let asked = false;
  try {
    for (const until = Date.now() + wait; ; ) {
      const found = await readOwn(fs, file);
      if (found === null) {
        // Its content is durable, so that no crash leaves a lease that nobody can be told from; that it is there need not be.
        if (await createWhole(fs, file, text)) return { release: () => releaseLease(fs, file, random) };
        continue;
      }
      const holder = parse(found);
      if (holder !== null && isOver(holder)) await removeStale(fs, file, holder, me);
      else if (Date.now() >= until) throw new TurnbackError('LEASE_HELD', factsOf(holder, file, place ?? file));
      else {
        // Who only tidies up gives way to whoever waits. One marker tells it for all that wait.
        if (!asked && wait > 0) asked = await createWhole(fs, `${file}.wanted`, text);
        await sleep(PAUSE);
      }
    }
  } finally {
    if (asked) await releaseLease(fs, `${file}.wanted`, random);
  }
}

/** Does a running process wait for the lease? */
export async function leaseWanted(fs: FileSystem, ownData: string, key: string): Promise<boolean> {
  const waiting = parse(await readOwn(fs, `${fileOf(ownData, key)}.wanted`));
  return waiting !== null && !hasEnded(waiting);
}

/**
 * The travel has ended by now, so a release that fails is tried again rather than told as the travel's failure. On a disk that
 * refuses it altogether the lease stays, for nobody.
 */
async function releaseLease(fs: FileSystem, file: string, random: string): Promise<void> {
  for (let tries = 3; ; tries--) {
    try {
      if (parse(await readOwn(fs, file))?.random === random) await removeOwn(fs, file);
      return;
    } catch {
      if (tries > 0) continue;
      leftBehind.add(random);
      return;
    }
  }
}

/** The process that holds the lease and still runs, and what it does; null when there is none. */
export async function leaseHolder(fs: FileSystem, ownData: string, key: string): Promise<{ pid: number; doing: Doing | null } | null> {
  const holder = parse(await readOwn(fs, fileOf(ownData, key)));
  return holder === null || isOver(holder) ? null : { pid: holder.pid, doing: holder.doing };
}
