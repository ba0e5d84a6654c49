import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { interruptedTravels } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import { record } from '../figures.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { FaultLab, pointsOf, shapeOf, TRIP_NAMES, type TripName } from './fault-lab.ts';
import { Faults, faultyFileSystem, type How, LASTING, once } from './faults.ts';
import { mixedScenario } from './mixed-scenario.ts';
import { DEFAULTS, openScenario, revertTo, stopOf } from './tanstack-travelling.ts';

vi.mock('node:fs/promises', async (original) => (await import('./broken-files.ts')).brokenPromises(await original()));
vi.mock('node:fs', async (original) => (await import('./broken-files.ts')).brokenSync(await original()));

/** One call fails with each of these in turn: full, over quota, read-only, not allowed, in use, a folder in the way, out of handles, broken. */
const ERRORS = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EBUSY', 'EISDIR', 'EPERM', 'EDQUOT', 'EMFILE'] as const;
/** How many calls of each kind of travel fail in an ordinary run; all of them in the nightly run. */
const MANY: Record<TripName, number> = {
  revert: 48,
  unrevert: 24,
  undo: 24,
  redo: 20,
  restore: 20,
  'second revert': 20,
  'revert of files': 12,
  'revert of messages': 12,
  partial: 12,
};

const failed = new Set<string>();
const shapes = new Set<string>();

const FOLDER = / D$/;

/**
 * A folder that may not be removed, or whose place cannot be looked at or opened before that, stays, empty: that is no failure of the
 * travel. Folders are worked on side by side, so which of these calls fails differs from run to run. Only such folders are left out.
 */
function withoutEmptied(now: readonly string[], expected: readonly string[], call: string, code: string): string[] {
  const looks = /^(lstat|stat|fstat|open|readdir) /.test(call);
  if (!looks && !(call.startsWith('rmdir ') && ['EBUSY', 'EACCES', 'EPERM'].includes(code))) return [...now];
  const more = now.filter((line) => !expected.includes(line));
  const holdsFiles = (folder: string): boolean => now.some((line) => !FOLDER.test(line) && line.startsWith(`${folder}/`));
  return now.filter((line) => !(FOLDER.test(line) && more.includes(line) && !holdsFiles(line.replace(FOLDER, ''))));
}

describe.each(TRIP_NAMES)('one call of a %s fails', (trip) => {
  test('every file is as before or as after, and the log agrees', { timeout: 3_600_000 }, async () => {
    const lab = await FaultLab.make(trip);
    expect(lab.calls.length).toBeGreaterThan(60);
    for (const [turn, k] of pointsOf(lab.calls, size(MANY[trip], Number.POSITIVE_INFINITY)).entries()) {
      const call = lab.calls[k - 1] ?? '';
      for (let more = 0; more < size(1, ERRORS.length); more += size(1, 4)) {
        const code = ERRORS[(turn + more) % ERRORS.length] ?? 'EIO';
        const how: How = /^(fs )?write /.test(call) && (turn + more) % 2 === 0 ? () => 'short' : once(code);
        const faults = new Faults();
        const outcome = await lab.travel(faults, () => faults.failAt(k, how));
        const at = `call ${k} fails with ${code}: ${faults.calls[k - 1]}`;
        const expected = outcome instanceof Error ? lab.from : lab.to;
        const now = await lab.see();
        const files = withoutEmptied(now.files, expected.files, faults.calls[k - 1] ?? '', code);
        expect({ ...now, files }, at).toEqual(expected);
        expect([at, await lab.traces()]).toEqual([at, []]);
        await lab.reset();
      }
      failed.add(`${trip} ${k}`);
      shapes.add(`${trip} ${shapeOf(call)}`);
    }
  });
});

test('at least 150 calls fail in an ordinary run', () => {
  expect(failed.size).toBeGreaterThanOrEqual(150);
  record('crash', 'I/O and git calls failed once', failed.size);
  record('crash', 'different calls among them', shapes.size);
});

describe.each(Object.keys(LASTING) as (keyof typeof LASTING)[])('from some call on, everything that %s concerns fails', (code) => {
  test.each(['revert', 'unrevert', 'undo'] as const)('%s: whole once the trouble is over', { timeout: 3_600_000 }, async (trip) => {
    const lab = await FaultLab.make(trip);
    for (const [turn, k] of pointsOf(lab.calls, size(6, 60)).entries()) {
      const faults = new Faults();
      const outcome = await lab.travel(faults, () => faults.failAt(k, LASTING[code], true));
      const at = `${code} from call ${k} on: ${faults.calls[k - 1]}`;
      const how = turn % 2 === 0 ? 'finish' : 'roll-back';
      // The same process goes on: it must not be locked out by a lease that it could not give back.
      const [recovered] = await lab.recover(how);
      const over = recovered === undefined ? !(outcome instanceof Error) : how === 'finish';
      expect([at, await lab.see()]).toEqual([at, over ? lab.to : lab.from]);
      expect([at, await lab.traces()]).toEqual([at, []]);
      // Nothing is stuck: the same travel, or the one back, can be made.
      await lab.reset();
    }
  });
});

/** A whole revert; its calls, the state before and what was there afterwards. */
async function whole(): Promise<string[]> {
  const lab = await FaultLab.make('revert');
  return lab.calls;
}

test('what is written is durable before it counts, and deletes come last', async () => {
  const calls = await whole();
  const index = (pattern: RegExp, from = 0): number => calls.findIndex((call, at) => at >= from && pattern.test(call));
  const last = (pattern: RegExp): number => calls.findLastIndex((call) => pattern.test(call));
  const inOrder = (...patterns: RegExp[]): void => {
    const places = patterns.map((pattern) => index(pattern));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  };
  // Journal first: its file synced, renamed, its folder synced, before anything is kept or made.
  const journal = index(/^rename .*\/journal\//);
  expect(index(/^sync .*\/journal\/.*\.tmp/)).toBeLessThan(journal);
  const staged = index(/^open .*\.turnback-/);
  expect(index(/^sync .*\/journal$/, journal)).toBeLessThan(staged);
  // The safety snapshot: its objects synced and in their place, then the ref, synced, then the journal that says so, then files.
  inOrder(
    /^fs sync .*\/safety\/.*(tmp_obj|tmp_pack|\.pack)/,
    /^fs rename .*\/safety\/.*objects/,
    /^git update-ref/,
    /^fs sync .*\/safety\/.*refs/,
  );
  const saved = index(/^rename .*\/journal\//, journal + 1);
  expect(last(/^fs sync .*\/safety\//)).toBeLessThan(saved);
  expect(saved).toBeLessThan(staged);
  // Every new content is synced before the first one takes its place.
  expect(last(/^sync .*\.turnback-/)).toBeLessThan(index(/^(rename|link) .*\.turnback-/));
  // Deletes that only delete come after all that is placed.
  const removed = index(/^unlink \/proc\/self\/fd\/\d+\/(a\.ini|new\.txt|two\.txt|walk\.sh|new-link)$/);
  expect(last(/^rename .*\.turnback-.*(edited\.txt|link)$/)).toBeLessThan(removed);
  // The folders are synced before the log is written, the log before the journal says so, and the entry counts last.
  const logged = index(/^fs write .*\.jsonl/);
  expect(last(/^(unlink|rename|link) .*\/proc\/self/)).toBeLessThan(logged);
  expect(last(/^sync \/proc\/self|^sync .*\/workspace/)).toBeLessThan(logged);
  const journalled = calls.map((call, at) => (/^rename .*\/journal\//.test(call) ? at : -1)).filter((at) => at >= 0);
  expect(journalled.findLast((at) => at < logged)).toBeGreaterThan(saved);
  expect(logged).toBeLessThan(index(/^fs sync .*\.jsonl/, logged));
  expect(index(/^fs sync .*\.jsonl/, logged)).toBeLessThan(index(/^rename .*\/journal\//, logged));
  expect(last(/^rename .*\/history\//)).toBeLessThan(last(/^rename .*\/entries\//));
  expect(last(/^sync .*\/history$/)).toBeLessThan(last(/^rename .*\/entries\//));
  expect(last(/^rename .*\/entries\//)).toBeLessThan(last(/^sync .*\/entries$/));
  expect(last(/^sync .*\/entries$/)).toBeLessThan(last(/^unlink .*\/journal\//));
});

test('a disk that is too full is a refusal before anything is written', async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const free = { ...faultyFileSystem(new Faults()), free: async () => 1000 };
  const thread = await openScenario(mixed.t);
  const ownData = path.join(mixed.t.folder, 'own-data');
  const context: TravelContext = { thread, ownData, git: createGit(), now: Date.now, fs: free };
  await thread.fill();
  await expect(runTravel(context, revertTo(stopOf(context, mixed.answer)), DEFAULTS)).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
  expect((await readFile(mixed.t.log)).equals(mixed.log)).toBe(true);
  expect(await interruptedTravels(ownData)).toEqual([]);
  await thread.close();
});
