import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createGit } from '../../electron/snapshots/git.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { hunksOf } from '../../electron/travel/hunks.ts';
import { takeLease } from '../../electron/travel/lease.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { TravelResult } from '../../shared/plan.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { arm } from './broken-files.ts';
import { Faults, faultyFileSystem, faultyGit } from './faults.ts';
import { type Mixed, mixedScenario } from './mixed-scenario.ts';
import { DEFAULTS, openScenario, REDO, restoreOf, revertTo, stopOf, UNDO, UNREVERT } from './tanstack-travelling.ts';

const git = createGit();

/** What somebody who looks afterwards sees: every byte of the workspace, and what the conversation says. */
export interface Seen {
  files: string[];
  standing: string | null;
  visible: number;
  can: { unrevert: boolean; undo: boolean; redo: boolean };
}

/** The kinds of travel: each with what comes before it and what it asks for. */
const TRIPS = {
  revert: { first: [], request: (context, { answer }) => revertTo(stopOf(context, answer)) },
  'revert of files': { first: [], request: (context, { answer }) => revertTo(stopOf(context, answer), 'files') },
  'revert of messages': { first: [], request: (context, { answer }) => revertTo(stopOf(context, answer), 'messages') },
  unrevert: { first: ['revert'], request: () => UNREVERT },
  'second revert': { first: ['revert'], request: (context, { started }) => revertTo(stopOf(context, started)) },
  undo: { first: [], request: () => UNDO },
  redo: { first: ['undo'], request: () => REDO },
  restore: {
    first: ['revert of files'],
    request: async (context) => restoreOf((await historyOf(context))[0]?.id ?? ''),
  },
  // One change of a file that was edited since.
  partial: { first: [], request: changeOfEdited },
} satisfies Record<string, Trip>;

/** The first change of `edited.txt` in the step that lists it. */
async function changeOfEdited({ thread }: TravelContext): Promise<TravelRequest> {
  const step = thread.thread().steps.find((one) => one.listed?.includes('edited.txt'));
  const { from = null, to = null, id = '' } = step ?? {};
  if (thread.store === null || from === null || to === null) throw new Error('no step with snapshots lists edited.txt');
  const hunks = await hunksOf(thread.store, { from, to, path: 'edited.txt' });
  if ('code' in hunks) throw TurnbackError.of(hunks);
  const piece = { step: id, path: 'edited.txt', hunk: hunks[0]?.id ?? '', side: 'out' } as const;
  return { kind: 'partial', stop: null, entry: null, scope: 'files', piece };
}

interface Trip {
  first: readonly string[];
  request(context: TravelContext, mixed: Mixed): TravelRequest | Promise<TravelRequest>;
}

export type TripName = keyof typeof TRIPS;
export const TRIP_NAMES = Object.keys(TRIPS) as TripName[];

/** A workspace with its thread, ready for one travel again and again, under whatever faults. */
export class FaultLab {
  readonly mixed: Mixed;
  readonly ownData: string;
  readonly #trip: Trip;
  from!: Seen;
  to!: Seen;
  /** Every call of the whole travel, when all goes well. */
  calls: string[] = [];
  #log = Buffer.alloc(0);

  private constructor(mixed: Mixed, trip: Trip) {
    this.mixed = mixed;
    this.#trip = trip;
    this.ownData = path.join(mixed.t.folder, 'own-data');
  }

  static async make(name: TripName): Promise<FaultLab> {
    const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
    const lab = new FaultLab(mixed, TRIPS[name]);
    for (const before of TRIPS[name].first) {
      await mixed.rest();
      await lab.#with(null, async (context) => runTravel(context, await TRIPS[before as TripName].request(context, mixed), DEFAULTS));
    }
    await lab.#freeze();
    lab.from = await lab.see();
    const faults = new Faults();
    await lab.travel(faults);
    lab.calls = faults.calls;
    lab.to = await lab.see();
    await lab.reset();
    return lab;
  }

  /** Preview without a fault, then the travel that was confirmed, with what came of it. `begin` sets the fault. */
  async travel(faults: Faults, begin: () => void = () => undefined): Promise<TravelResult | Error> {
    return this.#with(faults, async (context) => {
      const request = await this.#trip.request(context, this.mixed);
      const plan = await previewTravel(context, request);
      if (plan.refusal) throw TurnbackError.of(plan.refusal);
      faults.calls.length = 0;
      begin();
      arm(faults);
      try {
        return await runTravel(context, request, { ...DEFAULTS, fingerprint: plan.fingerprint });
      } catch (thrown) {
        if (!(thrown instanceof Error)) throw thrown;
        return thrown;
      } finally {
        arm(null);
      }
    });
  }

  /** As after a start of the program: the process that held the lease is this one, which a real crash would have ended. */
  async restart(): Promise<void> {
    await rm(path.join(this.ownData, 'leases'), { recursive: true, force: true });
    await this.mixed.rest();
  }

  async interrupted(): Promise<number> {
    return (await interruptedTravels(this.ownData)).length;
  }

  async recover(how: 'finish' | 'roll-back', faults: Faults | null = null): Promise<TravelResult[]> {
    const results: TravelResult[] = [];
    for (const { entry } of await interruptedTravels(this.ownData)) {
      let thread: OpenThread | null = null;
      const used = faults === null ? git : faultyGit(git, faults);
      const openThread = async (): Promise<OpenThread> => {
        arm(null);
        thread = await openScenario(this.mixed.t, used);
        arm(faults);
        return thread;
      };
      try {
        const fs = faults === null ? {} : { fs: faultyFileSystem(faults) };
        arm(faults);
        results.push(await recoverTravel({ ownData: this.ownData, git: used, openThread, ...fs }, entry, how));
      } finally {
        arm(null);
        await (thread as OpenThread | null)?.close();
      }
    }
    return results;
  }

  async see(): Promise<Seen> {
    await this.mixed.rest();
    return this.#with(null, async (context) => {
      const view = await viewOf(context);
      const { unrevert, undo, redo } = view.can;
      return {
        files: await manifest(this.mixed.t.root),
        standing: view.standing?.messageId ?? null,
        visible: view.messages.filter((message) => message.hidden === null).length,
        can: { unrevert: unrevert === true, undo: undo === true, redo: redo === true },
      };
    });
  }

  /** Everything that must hold when nothing is under way any more: no traces, every record whole, everything takeable. */
  async traces(): Promise<string[]> {
    const { t } = this.mixed;
    const found: string[] = [];
    for (const name of await readdir(t.root, { recursive: true })) if (name.includes('.turnback-')) found.push(name);
    for (const { entry } of await interruptedTravels(this.ownData)) found.push(`interrupted ${entry}`);
    const ours = await readdir(this.ownData, { recursive: true });
    // A stale lock of ours in a repository, or one in the agent's.
    for (const name of [...ours, ...(await readdir(t.gitDir, { recursive: true }))]) if (name.endsWith('.lock')) found.push(name);
    const log = await readFile(t.log);
    if (!log.subarray(0, this.#log.length).equals(this.#log)) found.push('the log was rewritten');
    if (log.at(-1) !== 0x0a) found.push('the log ends in the middle of a line');
    for (const line of log.toString().trimEnd().split('\n')) JSON.parse(line);
    for (const name of ours.filter((one) => /^leases\/[0-9a-f]+\.json$/.test(one))) {
      await (await takeLease(nodeFileSystem, this.ownData, path.basename(name, '.json'), 0)).release();
    }
    return found;
  }

  /** Files of ours that a crash left half written. */
  async asides(): Promise<string[]> {
    return (await readdir(this.ownData, { recursive: true })).filter((name) => /\.tmp$/.test(name));
  }

  /** Back to where the travel starts. */
  async reset(): Promise<void> {
    const { t } = this.mixed;
    const aside = path.join(t.folder, 'frozen');
    for (const name of await readdir(t.root)) await rm(path.join(t.root, name), { recursive: true });
    await rm(this.ownData, { recursive: true, force: true });
    await copy(path.join(aside, 'root'), t.root);
    await copy(path.join(aside, 'own-data'), this.ownData);
    await writeFile(t.log, this.#log);
    await this.mixed.rest();
  }

  async #freeze(): Promise<void> {
    const { t } = this.mixed;
    const aside = path.join(t.folder, 'frozen');
    await this.mixed.rest();
    // What is made once for a workspace is there before, so that the counting run makes the calls that every run makes.
    await this.#with(null, async (context) => previewTravel(context, await this.#trip.request(context, this.mixed)));
    this.#log = await readFile(t.log);
    await copy(t.root, path.join(aside, 'root'));
    await copy(this.ownData, path.join(aside, 'own-data'));
  }

  async #with<T>(faults: Faults | null, work: (context: TravelContext) => Promise<T>): Promise<T> {
    const used = faults === null ? git : faultyGit(git, faults);
    const thread = await openScenario(this.mixed.t, used);
    try {
      await thread.fill();
      const fs = faults === null ? undefined : faultyFileSystem(faults);
      return await work({ thread, ownData: this.ownData, git: used, now: Date.now, ...(fs && { fs }) });
    } finally {
      await thread.close();
    }
  }
}

async function copy(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, force: true });
}

/** What kind of call it is, whatever the names that are made up anew each time. */
export function shapeOf(call: string): string {
  return call
    .replaceAll(/\/proc\/self\/fd\/\d+/g, '@')
    .replaceAll(/[0-9a-f]{8,}/g, '#')
    .replaceAll(/[0-9a-z]{8}-#/g, '#')
    .replaceAll(/\/[0-9a-f]{2}\/#/g, '/#')
    .replaceAll(/turnback-\w{6}/g, '');
}

/** Calls to let fail: `count` of them, each shape before any twice, the others spread evenly. From 1. */
export function pointsOf(calls: readonly string[], count: number): number[] {
  const byShape = new Map<string, number[]>();
  for (const [at, call] of calls.entries()) byShape.set(shapeOf(call), [...(byShape.get(shapeOf(call)) ?? []), at + 1]);
  const first = [...byShape.values()].flatMap((places) => places[0] ?? []);
  if (count >= calls.length) return calls.map((_, at) => at + 1);
  const spread = (from: readonly number[], most: number): number[] =>
    from.length <= most ? [...from] : Array.from({ length: most }, (_, at) => from[Math.floor((at * from.length) / most)] ?? 1);
  const chosen = spread(first, count);
  const rest = calls.map((_, at) => at + 1).filter((k) => !chosen.includes(k));
  return [...chosen, ...spread(rest, count - chosen.length)].sort((a, b) => a - b);
}
