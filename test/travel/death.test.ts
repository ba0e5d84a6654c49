import { afterAll, describe, expect, test, vi } from 'vitest';
import { record } from '../figures.ts';
import { size } from '../sizes.ts';
import { FaultLab, pointsOf, type TripName } from './fault-lab.ts';
import { Faults, systemError } from './faults.ts';

vi.mock('node:fs/promises', async (original) => (await import('./broken-files.ts')).brokenPromises(await original()));
vi.mock('node:fs', async (original) => (await import('./broken-files.ts')).brokenSync(await original()));

/** Calls at which the process ends, of each kind of travel; all of them in the nightly run. */
const MANY = { revert: 16, unrevert: 8, undo: 8, redo: 6, restore: 6, 'second revert': 8, partial: 5 } satisfies Partial<
  Record<TripName, number>
>;
const NAMES = Object.keys(MANY) as (keyof typeof MANY)[];
const WAYS = ['finish', 'roll-back'] as const;

let deaths = 0;
let cut = 0;
afterAll(() => {
  record('crash', 'calls at which the process ended, then recovered', deaths);
  record('crash', 'calls at which the recovery ended as well', cut);
});

/** The process ends at the call; a new one starts. */
async function die(lab: FaultLab, k: number): Promise<string> {
  const faults = new Faults();
  await lab.travel(faults, () => faults.failAt(k, systemError('EDEAD'), true));
  await lab.restart();
  return `call ${k}: ${faults.calls[k - 1]}`;
}

describe.each(NAMES)('the process ends at a call of a %s', (trip) => {
  test('then each way gives exactly the state that it names', { timeout: 3_600_000 }, async () => {
    const lab = await FaultLab.make(trip);
    for (const [turn, k] of pointsOf(lab.calls, size(MANY[trip], Number.POSITIVE_INFINITY)).entries()) {
      for (const how of size(0, 1) === 1 ? WAYS : [WAYS[turn % 2] ?? 'finish']) {
        const at = await die(lab, k);
        const results = await lab.recover(how);
        const now = await lab.see();
        // Without a journal it had not begun, or was over.
        if (results.length === 0) expect([at, [lab.from, lab.to]]).toEqual([at, expect.arrayContaining([now])]);
        else expect([at, how, now]).toEqual([at, how, how === 'finish' ? lab.to : lab.from]);
        expect([at, await lab.traces()]).toEqual([at, []]);
        deaths += 1;
        await lab.reset();
      }
    }
  });
});

describe.each(WAYS)('the recovery (%s) ends at a call as well', (how) => {
  test.each(['revert', 'undo'] as const)('%s: the next one leads there all the same', { timeout: 3_600_000 }, async (trip) => {
    const lab = await FaultLab.make(trip);
    const middle = lab.calls.findIndex((call) => /^rename .*\.turnback-/.test(call)) + 1;
    // Behind the log there is more to take back.
    const late = lab.calls.findIndex((call) => /^rename .*\/history\//.test(call)) + 1;
    for (const start of [middle, late]) {
      await die(lab, start);
      const whole = new Faults();
      await lab.recover(how, whole);
      await lab.reset();
      for (const k of pointsOf(whole.calls, size(6, Number.POSITIVE_INFINITY))) {
        await die(lab, start);
        const faults = new Faults();
        faults.failAt(k, systemError('EDEAD'), true);
        await lab.recover(how, faults).catch(() => undefined);
        await lab.restart();
        await lab.recover(how);
        const at = `call ${k} of recovery: ${faults.calls[k - 1]}`;
        expect([at, await lab.see()]).toEqual([at, how === 'finish' ? lab.to : lab.from]);
        expect([at, await lab.traces()]).toEqual([at, []]);
        cut += 1;
        await lab.reset();
      }
    }
  });
});
