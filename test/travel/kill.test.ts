import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { sweepAsides } from '../../electron/travel/asides.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { record } from '../figures.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { FaultLab } from './fault-lab.ts';
import { travelApart } from './kill-process.ts';
import { mixedScenario } from './mixed-scenario.ts';
import { openScenario, REDO, revertTo, UNDO, UNREVERT } from './tanstack-travelling.ts';

/** Runs of each point; each way in turn. */
const RUNS = size(1, 20);
const STOP = 4;

/** Where the process ends: the first call that fits. In the order in which a revert makes them. */
const POINTS = [
  '^link .*/leases/',
  '^rename .*/journal/',
  '^fs sync .*/safety/',
  '^fs rename .*/safety/',
  '^git update-ref$',
  '^open .*\\.turnback-',
  '^sync .*\\.turnback-',
  '^symlink .*\\.turnback-|^chmod .*\\.turnback-',
  '^link .*\\.turnback-',
  '^rename .*\\.turnback-',
  '^unlink /proc/self/fd/\\d+/(a\\.ini|new\\.txt|two\\.txt|walk\\.sh|new-link)$',
  '^rmdir .*/deep$',
  '^rmdir .*/conf$',
  '^sync /proc/self',
  '^fs write .*\\.jsonl',
  'half ^fs write .*\\.jsonl',
  '^fs sync .*\\.jsonl',
  '^rename .*/history/',
  '^rename .*/entries/',
  '^unlink .*/journal/',
  '^unlink .*/leases/[0-9a-f]+\\.json$',
];
/** And of the way back, of undo and redo, which share most of their steps with it. */
const FEWER = ['^git update-ref$', '^(link|rename) .*\\.turnback-', '^fs sync .*\\.jsonl', '^rename .*/history/'];
const TRIPS = {
  revert: [POINTS, revertTo(STOP)],
  unrevert: [FEWER, UNREVERT],
  undo: [FEWER, UNDO],
  redo: [FEWER, REDO],
} as const;

let killed = 0;
let recovered = 0;
afterAll(() => {
  const points = Object.values(TRIPS).reduce((sum, [all]) => sum + all.length, 0);
  // A run of a part of this file measures nothing.
  if (killed < points) return;
  record(
    'kill',
    'points at which a process is killed',
    Object.values(TRIPS).reduce((sum, [points]) => sum + points.length, 0),
  );
  record('kill', 'processes killed at such a point', killed);
  record('kill', 'of these recovered to before or after', recovered);
});

describe.each(Object.keys(TRIPS) as (keyof typeof TRIPS)[])('%s', (trip) => {
  const [points, request] = TRIPS[trip];
  test('killed at any step, both ways lead to a state that the user knows', { timeout: 7_200_000 }, async () => {
    const lab = await FaultLab.make(trip);
    for (const [turn, at] of points.entries()) {
      for (let run = 0; run < RUNS; run++) {
        const how = (turn + run) % 2 === 0 ? 'finish' : 'roll-back';
        const { signal, said } = await travelApart(lab.mixed.t, request, { at });
        expect([at, signal, said]).toEqual([at, 'SIGKILL', '']);
        killed += 1;
        await lab.mixed.rest();
        const [open] = await interruptedTravels(lab.ownData);
        // The recovery may be killed as well; the next one goes on.
        if (open !== undefined && (turn + run) % 4 < 2) {
          const again = await travelApart(lab.mixed.t, request, { recover: { entry: open.entry, how }, at: '^unlink .*/journal/' });
          expect([at, again.signal]).toEqual([at, 'SIGKILL']);
        }
        const results = await lab.recover(how);
        if (results.length === 0) await sweepAsides(nodeFileSystem, lab.ownData);
        const now = await lab.see();
        const whole = results.length === 0 ? [lab.from, lab.to] : [how === 'finish' ? lab.to : lab.from];
        expect([at, how, whole]).toEqual([at, how, expect.arrayContaining([now])]);
        expect([at, await lab.traces(), await lab.asides()]).toEqual([at, [], []]);
        recovered += 1;
        await lab.reset();
      }
    }
  });
});

test('a travel that was interrupted blocks every other one until it is ended', async () => {
  const lab = await FaultLab.make('revert');
  await travelApart(lab.mixed.t, revertTo(STOP), { at: '^rename .*\\.turnback-' });
  expect(await interruptedTravels(lab.ownData)).toMatchObject([{ thread: 'tanstack:thread-1', root: lab.mixed.t.root, kind: 'revert' }]);
  expect(JSON.parse((await travelApart(lab.mixed.t, revertTo(STOP))).said)).toEqual({ refused: 'INTERRUPTED' });
});

test('C-15: killed at any time in the middle of 300 files, never a mix', { timeout: 900_000 }, async () => {
  const t = await tanstackScenario(await tempFolder(), { events: false });
  const ownData = path.join(t.folder, 'own-data');
  const git = createGit();
  const many = (count: number, folder: string, text: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/${at}`, text(at)]));
  await writeFiles(t.root, { ...many(200, 'src', (at) => `${at} `.repeat(8000)), ...many(50, 'gone', (at) => `${at}\n`) });
  await t.turn('begin', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { started: 's\n' }) }]);
  const after = await manifest(t.root);
  expect(after.filter((line) => / F /.test(line)).length).toBe(251);
  await t.turn('big refactor', [
    {
      tool: 'bash',
      edit: async (root) => {
        await writeFiles(root, { ...many(200, 'src', (at) => `rewritten ${at}\n`), ...many(50, 'added', (at) => `${at}\n`) });
        await rm(path.join(root, 'gone'), { recursive: true });
      },
    },
  ]);
  const before = await manifest(t.root);
  const log = await readFile(t.log);
  await cp(t.root, path.join(t.folder, 'aside'), { recursive: true });
  const runs = size(4, 20);
  for (let run = 0; run < runs; run++) {
    // Spread over the whole travel, however fast the machine is.
    const { signal } = await travelApart(t, revertTo(STOP), { afterMs: Math.round(((run + 1) / runs) * 900) });
    const [open] = await interruptedTravels(ownData);
    const thread = await openScenario(t);
    const context = { thread, ownData, git, now: Date.now };
    let over = (await historyOf(context)).length > 0;
    if (open !== undefined) {
      expect(signal).toBe('SIGKILL');
      over = run % 2 === 0;
      await recoverTravel({ ownData, git, openThread: async () => thread }, open.entry, over ? 'finish' : 'roll-back');
    }
    expect(await manifest(t.root)).toEqual(over ? after : before);
    await thread.close();
    await rm(t.root, { recursive: true });
    await cp(path.join(t.folder, 'aside'), t.root, { recursive: true });
    await writeFile(t.log, log);
    await rm(ownData, { recursive: true, force: true });
  }
  record('kill', 'kills at any time in a revert of 300 files', runs);
});

test('what was told as done is still there after the process ended right then', async () => {
  const lab = await FaultLab.make('revert');
  for (let run = 0; run < size(1, 20); run++) {
    const { said } = await travelApart(lab.mixed.t, revertTo(STOP));
    expect(JSON.parse(said)).toHaveProperty('done');
    expect(await lab.see()).toEqual(lab.to);
    await lab.reset();
  }
});

test('three processes at once: one travels at a time, and the log stays whole', { timeout: 300_000 }, async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const ends = await Promise.all([1, 2, 3].map(() => travelApart(mixed.t, revertTo(STOP))));
  const said = ends.map((end) => JSON.parse(end.said));
  expect(said.filter((one) => 'done' in one).length).toBeGreaterThanOrEqual(1);
  for (const one of said) if (!('done' in one)) expect(['LEASE_HELD', 'LOG_MOVED', 'PLAN_STALE', 'LOG_LIVE']).toContain(one.refused);
  expect(await manifest(mixed.t.root)).toEqual(mixed.after);
  const thread = await openScenario(mixed.t);
  const ownData = path.join(mixed.t.folder, 'own-data');
  const view = await viewOf({ thread, ownData, git: createGit(), now: Date.now });
  await thread.close();
  expect(view.standing?.messageId).toBe(mixed.answer);
  expect(view.bad).toEqual([]);
  expect(await interruptedTravels(ownData)).toEqual([]);
});
