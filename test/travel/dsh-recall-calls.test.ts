import { readdir } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { runTravel } from '../../electron/travel/travel.ts';
import { record } from '../figures.ts';
import { manifest } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { arm } from './broken-files.ts';
import { Faults, type How, once } from './faults.ts';
import { both, cutOff, lids, recover } from './recall-lab.ts';
import { DEFAULTS, revertTo } from './tanstack-travelling.ts';

vi.mock('node:fs/promises', async (original) => (await import('./broken-files.ts')).brokenPromises(await original()));
vi.mock('node:fs', async (original) => (await import('./broken-files.ts')).brokenSync(await original()));

const ERRORS = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'EROFS', 'EBUSY'] as const;

/** Makes the recall; true when it failed. Only its own calls are open to the fault. */
async function recallFails(faults: Faults, lab: Awaited<ReturnType<typeof both>>, begin: () => void): Promise<boolean> {
  const context = await lab.context(faults);
  faults.calls.length = 0;
  begin();
  arm(faults);
  try {
    await runTravel(context, revertTo(0), DEFAULTS);
    return false;
  } catch {
    return true;
  } finally {
    arm(null);
  }
}

test(
  'a call of git or of the log’s own file layer fails once, anywhere in a recall: all before, or all after, or both offered',
  async () => {
    const counting = await both();
    const count = new Faults();
    expect(await recallFails(count, counting, () => undefined)).toBe(false);
    const after = await manifest(counting.session.root);
    // What the travel’s own file layer does is failed elsewhere.
    const below = count.calls.flatMap((call, at) => (/^(git|fs) /.test(call) ? [{ call, k: at + 1 }] : []));
    const ofLog = below.filter(({ call }) => call.includes('session.v3'));
    expect([below.some(({ call }) => call === 'git update-ref'), ofLog.some(({ call }) => call.startsWith('fs write'))]).toEqual([
      true,
      true,
    ]);
    const step = size(11, 1);
    const start = seedOf() % step;
    const chosen = below.filter(({ call }, at) => at % step === start || /^fs (write|sync|truncate|open) .*session\.v3/.test(call));
    for (const [turn, { call, k }] of chosen.entries()) {
      const lab = await both();
      const { session } = lab;
      const [files, log] = [await manifest(session.root), await session.bytes()];
      const faults = new Faults();
      const how: How = /^fs write /.test(call) && turn % 2 === 0 ? () => 'short' : once(ERRORS[turn % ERRORS.length] ?? 'EIO');
      const failed = await recallFails(faults, lab, () => faults.failAt(k, how));
      const at = `call ${k}: ${faults.calls[k - 1]}`;
      const open = await cutOff(session);
      if (open.length === 0) {
        expect([at, await manifest(session.root), await lids(session)]).toEqual([at, failed ? files : after, failed ? 0 : 1]);
        if (failed) expect([at, (await session.bytes()).equals(log)]).toEqual([at, true]);
      } else {
        // Only a tombstone that is whole leaves no way back.
        expect([at, failed, await lids(session)]).toEqual([at, true, 1]);
        await expect(recover(session, 'roll-back')).rejects.toMatchObject({ code: 'RECALL_WRITTEN' });
        await recover(session, 'finish');
        expect([at, await manifest(session.root), await lids(session)]).toEqual([at, after, 1]);
      }
      expect([at, await cutOff(session)]).toEqual([at, []]);
      expect([at, (await readdir(session.root)).filter((name) => name.includes('.turnback-'))]).toEqual([at, []]);
      expect([at, (await session.bytes()).subarray(0, log.length).equals(log)]).toEqual([at, true]);
    }
    record('crash', 'git and log calls of a recall failed once', chosen.length);
  },
  size(400_000, 3_600_000),
);
