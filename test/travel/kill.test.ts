import { spawn } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
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

/** Starts a travel in a process of its own. `at`: it ends itself there; `afterMs`: it is ended that long after it began. */
async function child(
  t: TanstackScenario,
  at: string | null,
  afterMs: number | null = null,
): Promise<{ signal: NodeJS.Signals | null; said: string }> {
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
      if (afterMs !== null && complained.includes('ready')) setTimeout(() => started.kill('SIGKILL'), afterMs);
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
      expect((await child(mixed.t, at)).signal).toBe('SIGKILL');
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
  const runs = RUNS > 0 ? 20 : 4;
  for (let run = 0; run < runs; run++) {
    // Spread over the whole travel, however fast the machine is.
    const { signal } = await child(t, null, Math.round(((run + 1) / runs) * 900));
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
});

test('three processes at once: one travels at a time, and the log stays whole', { timeout: 300_000 }, async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const ends = await Promise.all([child(mixed.t, null), child(mixed.t, null), child(mixed.t, null)]);
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
