import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { type Mixed, mixedScenario } from './mixed-scenario.ts';
import { DEFAULTS, openScenario, revertTo } from './tanstack-travelling.ts';

/** Runs of each point both ways; the nightly run makes twenty. An ordinary run takes the two ways in turn. */
const RUNS = Number(process.env['TURNBACK_KILLS'] ?? 0);
const STOP = 4;

/** Where the process ends: the first call that fits. In the order in which a travel makes them. */
const POINTS = [
  '^link .*/leases/',
  '^rename .*/journal/',
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
  '^rename .*/history/',
  '^rename .*/entries/',
  '^unlink .*/journal/',
  '^unlink .*/leases/[0-9a-f]+\\.json$',
];

async function child(mixed: Mixed, at: string | null): Promise<{ signal: NodeJS.Signals | null; said: string }> {
  const { t } = mixed;
  const ownData = path.join(t.folder, 'own-data');
  const asked = { log: t.log, root: t.root, data: t.dataDir, home: t.env['HOME'], ownData, stop: STOP, at };
  return new Promise((resolve, reject) => {
    const script = path.join(import.meta.dirname, 'kill-child.ts');
    const started = spawn(process.execPath, [script, JSON.stringify(asked)], { env: t.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let complained = '';
    started.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
    started.stderr.on('data', (bytes: Buffer) => {
      complained += bytes.toString();
    });
    started.on('error', reject);
    started.on('close', (code, signal) => {
      if (code !== 0 && signal === null) reject(new Error(complained));
      else resolve({ signal, said });
    });
  });
}

async function withThread<T>(mixed: Mixed, work: (thread: OpenThread) => Promise<T>): Promise<T> {
  const thread = await openScenario(mixed.t);
  try {
    return await work(thread);
  } finally {
    await thread.close();
  }
}

test.each(POINTS)('killed at %s, both ways lead to a state that the user knows', { timeout: 600_000 }, async (at) => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const ownData = path.join(mixed.t.folder, 'own-data');
  const git = createGit();
  const ways = ['roll-back', 'finish'] as const;
  for (let run = 0; run < Math.max(RUNS, 1); run++) {
    for (const how of RUNS > 0 ? ways : [ways[POINTS.indexOf(at) % 2] ?? 'finish']) {
      expect((await child(mixed, at)).signal).toBe('SIGKILL');
      const open = await interruptedTravels(ownData);
      const context = (thread: OpenThread) => ({ thread, ownData, git, now: Date.now });
      const over = await withThread(mixed, async (thread) => (await historyOf(context(thread))).length > 0);
      // A travel that was interrupted blocks others until it is ended.
      if (open.length > 0) {
        await withThread(mixed, (thread) =>
          expect(runTravel(context(thread), revertTo(STOP), DEFAULTS)).rejects.toMatchObject({ code: 'INTERRUPTED' }),
        );
        expect(open).toMatchObject([{ thread: 'tanstack:thread-1', root: mixed.t.root, kind: 'revert' }]);
        const opened: OpenThread[] = [];
        const openThread = async () => {
          const thread = await openScenario(mixed.t);
          opened.push(thread);
          return thread;
        };
        await recoverTravel({ ownData, git, openThread }, open[0]?.entry ?? '', how);
        for (const thread of opened) await thread.close();
      }
      const after = open.length > 0 ? how === 'finish' : over;
      expect(await manifest(mixed.t.root)).toEqual(after ? mixed.after : mixed.before);
      const standing = await withThread(mixed, async (thread) => (await viewOf(context(thread))).standing?.messageId ?? null);
      expect(standing).toBe(after ? mixed.answer : null);
      expect(await interruptedTravels(ownData)).toEqual([]);
      const names = await readdir(mixed.t.root, { recursive: true });
      expect(names.filter((name) => name.includes('.turnback-'))).toEqual([]);
      await mixed.reset();
    }
  }
});

test('three processes at once: one travels at a time, and the log stays whole', { timeout: 300_000 }, async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const ends = await Promise.all([child(mixed, null), child(mixed, null), child(mixed, null)]);
  const said = ends.map((end) => JSON.parse(end.said));
  expect(said.filter((one) => 'done' in one).length).toBeGreaterThanOrEqual(1);
  for (const one of said) if (!('done' in one)) expect(['LEASE_HELD', 'LOG_MOVED', 'PLAN_STALE', 'LOG_LIVE']).toContain(one.refused);
  expect(await manifest(mixed.t.root)).toEqual(mixed.after);
  await withThread(mixed, async (thread) => {
    const view = await viewOf({ thread, ownData: path.join(mixed.t.folder, 'own-data'), git: createGit(), now: Date.now });
    expect(view.standing?.messageId).toBe(mixed.answer);
    expect(view.bad).toEqual([]);
  });
  expect(await interruptedTravels(path.join(mixed.t.folder, 'own-data'))).toEqual([]);
});
