import { createHash, randomBytes } from 'node:crypto';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { leasePath, leaseState, type WriterLease, writerLeaseSchema } from '../../shared/writer-lease.ts';
import { startOfProcess, thisHost } from '../snapshots/process-alive.ts';
import type { OwnFiles } from './backend.ts';

export interface LeaseOptions {
  /** What is leased, for people: `The thread fix-login`. */
  what: string;
  /** Milliseconds within which the owner renews; default 30 s. */
  ttl?: number;
  now?: () => number;
}

const bytesOf = (lease: WriterLease): Buffer => Buffer.from(`${JSON.stringify(lease)}\n`);

function parse(bytes: Buffer): WriterLease | null {
  try {
    return writerLeaseSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data ?? null;
  } catch {
    // A file that is no lease is watched like a silent owner.
    return null;
  }
}

/** The right to write one log or one repository, renewed until it is released. */
export class Lease {
  readonly owner: string;
  /** The owner before, when it ended without giving the lease back. */
  readonly takenFrom: string | null;
  readonly #files: OwnFiles;
  readonly #path: string;
  readonly #what: string;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #lease: WriterLease;
  #lost = false;
  #work: Promise<void> = Promise.resolve();

  private constructor(files: OwnFiles, path: string, options: LeaseOptions, lease: WriterLease, takenFrom: string | null) {
    this.#files = files;
    this.#path = path;
    this.#what = options.what;
    this.#now = options.now ?? Date.now;
    this.#lease = lease;
    this.owner = lease.owner;
    this.takenFrom = takenFrom;
    this.#timer = setInterval(() => {
      this.#work = this.#work.then(() => this.#renew());
    }, lease.ttl / 3);
    this.#timer.unref();
  }

  /** Takes the lease of `path`. Throws RECORDING_HELD while another owner lives; takes over from one that has ended or is silent. */
  static async take(files: OwnFiles, path: string, options: LeaseOptions): Promise<Lease> {
    const now = options.now ?? Date.now;
    const file = leasePath(path);
    let takenFrom: string | null = null;
    for (;;) {
      const at = now();
      const mine: WriterLease = {
        version: 1,
        owner: randomBytes(8).toString('hex'),
        pid: process.pid,
        started: startOfProcess(process.pid) ?? null,
        host: thisHost,
        hostName: os.hostname(),
        since: at,
        renewed: at,
        ttl: options.ttl ?? 30_000,
      };
      if (await files.writeFile(file, bytesOf(mine), { exclusive: true })) return new Lease(files, file, options, mine, takenFrom);
      const held = await files.readFile(file);
      if (held === null) continue;
      await outlast(files, file, held, { what: options.what, ttl: mine.ttl, now: now() });
      if (await takeAway(files, file, held, mine)) takenFrom = parse(held)?.owner ?? null;
    }
  }

  /** Throws RECORDING_LOST when another owner took over, as far as is known from the last renewal; `sure` looks again. */
  async check(sure = false): Promise<void> {
    if (sure && !this.#lost) {
      const held = await this.#files.readFile(this.#path);
      if (held === null || parse(held)?.owner !== this.owner) this.#lost = true;
    }
    if (this.#lost) throw new TurnbackError('RECORDING_LOST', { what: this.#what });
  }

  /** Gives it back; a lease that was lost is left to its new owner. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
    const held = await this.#files.readFile(this.#path);
    if (held !== null && parse(held)?.owner === this.owner) await this.#files.remove(this.#path);
    this.#lost = true;
  }

  async #renew(): Promise<void> {
    if (this.#lost) return;
    try {
      const held = await this.#files.readFile(this.#path);
      if (held === null || parse(held)?.owner !== this.owner) {
        this.#lost = true;
        return;
      }
      const lease = { ...this.#lease, renewed: this.#now() };
      await this.#files.writeFile(this.#path, bytesOf(lease));
      this.#lease = lease;
    } catch {
      // The disk or the other side may come back before the time is over; after it, others may take the lease, so it is lost to us.
      if (this.#now() >= this.#lease.renewed + this.#lease.ttl) this.#lost = true;
    }
  }
}

/** Returns when the owner is gone or was silent for the whole time; throws RECORDING_HELD when it lives. */
async function outlast(files: OwnFiles, file: string, held: Buffer, o: { what: string; ttl: number; now: number }): Promise<void> {
  const lease = parse(held);
  const state = lease === null ? 'silent' : leaseState(lease, { host: thisHost, now: o.now, startOf: startOfProcess });
  if (state === 'gone') return;
  const refuse = (by: WriterLease | null): TurnbackError =>
    new TurnbackError('RECORDING_HELD', { what: o.what, pid: by?.pid ?? '?', host: by?.hostName ?? '?' });
  if (state === 'live') throw refuse(lease);
  const ttl = lease?.ttl ?? o.ttl;
  for (let waited = 0; waited < ttl; waited += ttl / 10) {
    await sleep(ttl / 10);
    const again = await files.readFile(file);
    if (again === null) return;
    if (!again.equals(held)) throw refuse(parse(again));
  }
}

/** Takers that died in a row while they took the same lease away; more than this never happened to anybody. */
const MOST_MARKERS = 16;
const PAUSE_MS = 20;

/**
 * Takes away exactly the lease that was seen. Only who holds the marker that is named after that very lease may remove it, so two
 * that find it dead can never remove each other's new one; the marker of a taker that died here is passed over.
 */
async function takeAway(files: OwnFiles, file: string, seen: Buffer, mine: WriterLease): Promise<boolean> {
  const name = createHash('sha256').update(seen).digest('hex').slice(0, 16);
  const markers: string[] = [];
  while (markers.length < MOST_MARKERS) {
    const marker = `${file}.${name}-${markers.length}.taking`;
    markers.push(marker);
    if (await files.writeFile(marker, bytesOf(mine), { exclusive: true })) {
      const right = (await files.readFile(file))?.equals(seen) ?? false;
      if (right) await files.remove(file);
      for (const one of markers.reverse()) await files.remove(one);
      return right;
    }
    const other = await files.readFile(marker);
    const taker = other === null ? null : parse(other);
    if (taker === null || leaseState(taker, { host: thisHost, now: Date.now(), startOf: startOfProcess }) === 'live') break;
  }
  await sleep(PAUSE_MS);
  return false;
}
