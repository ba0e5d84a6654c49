import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { CallName, Input, Output } from '../../shared/contract.ts';
import { pageClient } from '../host/page-client.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { type Built, buildCase, Case, envOf } from './case.ts';
import { expectExitCodesAreErrors } from './exit-codes.ts';

interface Serving {
  child: ChildProcess;
  ask<N extends CallName>(call: N, input: Input<N>): Promise<Output<N>>;
  /** Resolves when the process is gone. */
  gone: Promise<unknown>;
}

/** Starts the app again, as a process, with a page connected. */
async function start(built: Built): Promise<Serving> {
  const script = path.resolve(import.meta.dirname, 'serve-case.ts');
  const child = spawn(process.execPath, [script], { env: envOf(built), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  const page = await pageClient(url);
  return {
    child,
    gone,
    async ask(call, input) {
      const answer = (await page.call(call, input)) as { ok: boolean; value: unknown; error?: { message: string } };
      if (!answer.ok) throw new Error(answer.error?.message);
      return answer.value as never;
    },
  };
}

/** Opens the thread and starts the revert to before its first message, without waiting for its end. */
async function begin(app: Serving, built: Built): Promise<{ thread: string; ended: Promise<unknown> }> {
  const thread = (await app.ask('thread.open', { thread: built.log, root: null, data: null })).head.id;
  const where = { thread, kind: 'revert' as const, stop: 0, entry: null, scope: 'both' as const };
  const { fingerprint } = await app.ask('travel.preview', where);
  const ended = app.ask('travel.run', { ...where, operation: 'r', drift: 'merge', choices: {}, fingerprint });
  return { thread, ended: ended.catch(() => undefined) };
}

const MOST_KILLS = 40;
/** Multiples of it, without their whole part, spread evenly however many they are. */
const GOLDEN = 0.618_034;

test('C-15: killed, or asked to end, in the middle of Apply', { timeout: 900_000 }, async () => {
  const built = await buildCase('c-15', await tempFolder());
  const c = new Case(built);
  onTestFinished(() => c.engine.dispose());
  expect(built.stdout.trim()).toBe('250');
  const after = (await c.noted('m1')).trim().split('\n');
  const before = await beforeOf(c);
  const [runs, seed] = [size(2, 20), seedOf()];
  let interruptions = 0;
  // On a machine of any speed: until one kill at least met the middle.
  for (let run = 0; run < runs || (interruptions === 0 && run < MOST_KILLS); run++) {
    const app = await start(built);
    await begin(app, built);
    // Spread over the first 300 ms; on a slow machine that is early in the travel.
    await sleep(1 + ((seed + run * GOLDEN) % 1) * 299);
    app.child.kill('SIGKILL');
    await app.gone;
    const again = await start(built);
    const { travels } = await again.ask('travel.interrupted', {});
    const finish = run % 2 === 1;
    for (const { entry } of travels) {
      interruptions += 1;
      await again.ask('travel.recover', { entry, how: finish ? 'finish' : 'roll-back' });
    }
    const now = await c.mani();
    // Without an interruption either nothing had begun, or all was over.
    const over = travels.length > 0 ? finish : JSON.stringify(now) === JSON.stringify(before);
    expect(now).toEqual(over ? before : after);
    expect((await readdir(built.root, { recursive: true })).filter((name) => name.includes('.turnback-'))).toEqual([]);
    const thread = (await again.ask('thread.open', { thread: built.log, root: null, data: null })).head.id;
    if (over) {
      const where = { thread, kind: 'unrevert' as const, stop: null, entry: null, scope: 'both' as const };
      const { fingerprint } = await again.ask('travel.preview', where);
      await again.ask('travel.run', { ...where, operation: 'u', drift: 'merge', choices: {}, fingerprint });
      expect(await c.mani()).toEqual(after);
    }
    again.child.kill('SIGTERM');
    await again.gone;
  }
  expect(interruptions).toBeGreaterThan(0);
  // Asked to end in the middle, it ends after the last file.
  const app = await start(built);
  const { ended } = await begin(app, built);
  await sleep(30);
  app.child.kill('SIGTERM');
  await Promise.all([app.gone, ended]);
  const now = JSON.stringify(await c.mani());
  expect([JSON.stringify(before), JSON.stringify(after)]).toContain(now);
  expect((await c.ask('travel.interrupted', {})).travels).toEqual([]);
  await expectExitCodesAreErrors(built, envOf(built));
});

/** What the tree before the step looks like on disk: a revert with nobody in its way shows it. */
async function beforeOf(c: Case): Promise<string[]> {
  await c.open();
  await c.revert(0);
  const before = await c.mani();
  await c.unrevert();
  expect(before.filter((line) => !/ D$/.test(line))).toHaveLength(250);
  return before;
}
