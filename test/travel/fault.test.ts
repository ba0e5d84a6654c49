import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import { viewOf } from '../../electron/travel/view.ts';
import type { TravelResult } from '../../shared/plan.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { Faults, faultyFileSystem, faultyGit, systemError } from './faults.ts';
import { type Mixed, mixedScenario } from './mixed-scenario.ts';
import { DEFAULTS, openScenario, revertTo, stopOf, UNREVERT } from './tanstack-travelling.ts';

/** Every call in the nightly run, a spread of them in an ordinary one. */
const ALL = process.env['TURNBACK_FAULTS'] === 'all';
const SPREAD = 23;

const git = createGit();

async function made(): Promise<Mixed> {
  return mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
}

async function withThread<T>(mixed: Mixed, faults: Faults | null, work: (context: TravelContext) => Promise<T>): Promise<T> {
  const used = faults === null ? git : faultyGit(git, faults);
  const thread = await openScenario(mixed.t, used);
  try {
    await thread.fill();
    const fs = faults === null ? undefined : faultyFileSystem(faults);
    if (faults) faults.calls.length = 0;
    const ownData = path.join(mixed.t.folder, 'own-data');
    return await work({ thread, ownData, git: used, now: Date.now, ...(fs && { fs }) });
  } finally {
    await thread.close();
  }
}

const requestOf = (context: TravelContext, mixed: Mixed): TravelRequest => revertTo(stopOf(context, mixed.answer));

/** A travel from one state of the workspace to another. */
interface Trip {
  request(context: TravelContext, mixed: Mixed): TravelRequest;
  /** Brings the workspace to where the trip starts. */
  begin(mixed: Mixed): Promise<void>;
  from(mixed: Mixed): { files: string[]; standing: string | null };
  to(mixed: Mixed): { files: string[]; standing: string | null };
}

const untouched = (mixed: Mixed) => ({ files: mixed.before, standing: null });
const reverted = (mixed: Mixed) => ({ files: mixed.after, standing: mixed.answer });

const TRIPS: Record<'revert' | 'unrevert', Trip> = {
  revert: { request: requestOf, begin: (mixed) => mixed.reset(), from: untouched, to: reverted },
  unrevert: {
    request: () => UNREVERT,
    async begin(mixed) {
      await mixed.reset();
      await withThread(mixed, null, (context) => runTravel(context, requestOf(context, mixed), DEFAULTS));
      await mixed.rest();
    },
    from: reverted,
    to: untouched,
  },
};

/** Every call that one whole trip makes. */
async function callsOf(mixed: Mixed, trip: Trip = TRIPS.revert): Promise<string[]> {
  const faults = new Faults();
  await trip.begin(mixed);
  await withThread(mixed, faults, (context) => runTravel(context, trip.request(context, mixed), DEFAULTS));
  expect(await manifest(mixed.t.root)).toEqual(trip.to(mixed).files);
  await mixed.reset();
  return faults.calls;
}

function points(count: number): number[] {
  const all = Array.from({ length: count }, (_, at) => at + 1);
  return ALL ? all : all.filter((k) => k % SPREAD === 1 || k === count);
}

async function noTraces(mixed: Mixed): Promise<void> {
  const names = await readdir(mixed.t.root, { recursive: true });
  expect(names.filter((name) => name.includes('.turnback-'))).toEqual([]);
  expect(await interruptedTravels(path.join(mixed.t.folder, 'own-data'))).toEqual([]);
}

async function standing(mixed: Mixed): Promise<string | null> {
  return withThread(mixed, null, async (context) => (await viewOf(context)).standing?.messageId ?? null);
}

async function recover(mixed: Mixed, how: 'finish' | 'roll-back', faults: Faults | null = null): Promise<TravelResult[]> {
  const ownData = path.join(mixed.t.folder, 'own-data');
  // The process that held it is this one, which a real crash would have ended.
  await rm(path.join(ownData, 'leases'), { recursive: true, force: true });
  const results: TravelResult[] = [];
  for (const { entry } of await interruptedTravels(ownData)) {
    let thread: OpenThread | null = null;
    const used = faults === null ? git : faultyGit(git, faults);
    const openThread = async (): Promise<OpenThread> => {
      thread = await openScenario(mixed.t, used);
      return thread;
    };
    try {
      const fs = faults === null ? {} : { fs: faultyFileSystem(faults) };
      results.push(await recoverTravel({ ownData, git: used, openThread, ...fs }, entry, how));
    } finally {
      await (thread as OpenThread | null)?.close();
    }
  }
  return results;
}

describe.each([
  ['revert', 'EIO'],
  ['revert', 'ENOSPC'],
  ['unrevert', 'EIO'],
] as const)('one call of a %s fails with %s', (kind, code) => {
  test('every file is as before or as after, and the log agrees', { timeout: 900_000 }, async () => {
    const mixed = await made();
    const trip = TRIPS[kind];
    const calls = await callsOf(mixed, trip);
    expect(calls.length).toBeGreaterThan(150);
    for (const k of points(calls.length)) {
      await trip.begin(mixed);
      const faults = new Faults();
      const outcome = await withThread(mixed, faults, async (context) => {
        const request = trip.request(context, mixed);
        faults.failAt(k, systemError(code));
        return runTravel(context, request, DEFAULTS).then(
          () => 'done',
          (thrown: unknown) => thrown,
        );
      });
      const expected = outcome === 'done' ? trip.to(mixed) : trip.from(mixed);
      const at = `call ${k}: ${faults.calls[k - 1]}`;
      expect([at, await manifest(mixed.t.root)]).toEqual([at, expected.files]);
      expect([at, await standing(mixed)]).toEqual([at, expected.standing]);
      await noTraces(mixed);
    }
  });
});

describe.each(['finish', 'roll-back'] as const)('the process ends at a call, then %s', (how) => {
  test('gives exactly that state', { timeout: 900_000 }, async () => {
    const mixed = await made();
    const calls = await callsOf(mixed);
    for (const k of points(calls.length)) {
      const faults = new Faults();
      await withThread(mixed, faults, async (context) => {
        const request = requestOf(context, mixed);
        faults.failAt(k, systemError('EDEAD'), true);
        await runTravel(context, request, DEFAULTS).catch(() => undefined);
      });
      const results = await recover(mixed, how);
      const now = await manifest(mixed.t.root);
      const at = `call ${k}: ${faults.calls[k - 1]}`;
      // Without a journal it had not begun, or was over.
      const over = (await withThread(mixed, null, historyOf)).length > 0;
      const expected = results.length === 0 ? (over ? mixed.after : mixed.before) : how === 'finish' ? mixed.after : mixed.before;
      expect([at, now]).toEqual([at, expected]);
      expect([at, await standing(mixed)]).toEqual([at, expected === mixed.after ? mixed.answer : null]);
      await noTraces(mixed);
      if (expected === mixed.after) {
        await withThread(mixed, null, (context) => runTravel(context, UNREVERT, DEFAULTS));
        expect([at, await manifest(mixed.t.root)]).toEqual([at, mixed.before]);
      } else expect([at, over]).toEqual([at, false]);
      await mixed.reset();
    }
  });

  test('also when recovery itself is cut short', { timeout: 900_000 }, async () => {
    const mixed = await made();
    const calls = await callsOf(mixed);
    const middle = calls.findIndex((call) => /^rename .*\.turnback-/.test(call)) + 1;
    const interrupt = async (): Promise<void> => {
      const faults = new Faults();
      await withThread(mixed, faults, async (context) => {
        const request = requestOf(context, mixed);
        faults.failAt(middle, systemError('EDEAD'), true);
        await runTravel(context, request, DEFAULTS).catch(() => undefined);
      });
    };
    await interrupt();
    const whole = new Faults();
    await recover(mixed, how, whole);
    await mixed.reset();
    for (const k of points(whole.calls.length)) {
      await interrupt();
      const faults = new Faults();
      faults.failAt(k, systemError('EDEAD'), true);
      await recover(mixed, how, faults).catch(() => undefined);
      await recover(mixed, how);
      const at = `call ${k} of recovery: ${faults.calls[k - 1]}`;
      expect([at, await manifest(mixed.t.root)]).toEqual([at, how === 'finish' ? mixed.after : mixed.before]);
      expect([at, await standing(mixed)]).toEqual([at, how === 'finish' ? mixed.answer : null]);
      await noTraces(mixed);
      await mixed.reset();
    }
  });
});

test('what is written is durable before it counts, and deletes come last', async () => {
  const mixed = await made();
  const calls = await callsOf(mixed);
  const index = (pattern: RegExp, from = 0): number => calls.findIndex((call, at) => at >= from && pattern.test(call));
  const last = (pattern: RegExp): number => calls.findLastIndex((call) => pattern.test(call));
  // Journal first: its file synced, renamed, its folder synced, before a temporary file is made.
  const journal = index(/^rename .*\/journal\//);
  expect(index(/^sync .*\/journal\/.*\.tmp/)).toBeLessThan(journal);
  const staged = index(/^open .*\.turnback-/);
  expect(index(/^sync .*\/journal$/, journal)).toBeLessThan(staged);
  // Every new content is synced before the first one takes its place.
  expect(last(/^sync .*\.turnback-/)).toBeLessThan(index(/^(rename|link) .*\.turnback-/));
  // Deletes that only delete come after all that is placed.
  const removed = index(/^unlink \/proc\/self\/fd\/\d+\/(a\.ini|new\.txt|two\.txt|walk\.sh|new-link)$/);
  expect(last(/^rename .*\.turnback-.*(edited\.txt|link)$/)).toBeLessThan(removed);
  // The entry counts last.
  expect(last(/^rename .*\/history\//)).toBeLessThan(last(/^rename .*\/entries\//));
  expect(last(/^(unlink|rename|link) .*\/proc\/self/)).toBeLessThan(last(/^rename .*\/history\//));
  expect(last(/^rename .*\/entries\//)).toBeLessThan(last(/^unlink .*\/journal\//));
});

test('a disk that is too full is a refusal before anything is written', async () => {
  const mixed = await made();
  const free = { ...faultyFileSystem(new Faults()), free: async () => 1000 };
  const thread = await openScenario(mixed.t);
  const context: TravelContext = { thread, ownData: path.join(mixed.t.folder, 'own-data'), git, now: Date.now, fs: free };
  await thread.fill();
  await expect(runTravel(context, requestOf(context, mixed), DEFAULTS)).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
  expect((await readFile(mixed.t.log)).equals(mixed.log)).toBe(true);
  await noTraces(mixed);
  await thread.close();
});
