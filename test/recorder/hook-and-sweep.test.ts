import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recordHook } from '../../electron/recorder/hooks.ts';
import { createGit, type Git, type GitCall } from '../../electron/snapshots/git.ts';
import { readMoments } from '../../electron/snapshots/moments.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { forgetRecorded } from '../../electron/snapshots/recorded-stores.ts';
import { openRecordedStore, pins, recordedStore } from '../../electron/snapshots/store.ts';
import { type Passing, whileSweeping, whileUsing } from '../../electron/snapshots/use-gate.ts';
import { record } from '../figures.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const git = createGit();

/** A git that stops before its `at`-th call and goes on when it is let. */
function stopping(at: number): { git: Git; stopped: Promise<boolean>; go: () => void; calls: () => number } {
  const [reached, released] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()];
  let calls = 0;
  const run = async (call: GitCall): ReturnType<Git['run']> => {
    calls += 1;
    if (calls === at) {
      reached.resolve(true);
      await released.promise;
    }
    return git.run(call);
  };
  const go = (): void => {
    reached.resolve(false);
    released.resolve();
  };
  return { git: { ...git, run }, stopped: reached.promise, go, calls: () => calls };
}

interface Stage {
  ownData: string;
  root: string;
  hook(session: string, git?: Git): Promise<unknown>;
  forget(git?: Git): Promise<void>;
}

/** A workspace that a session recorded which is about to be forgotten. `others`: so did one that stays. */
async function stage(others: boolean): Promise<Stage> {
  const folder = await tempFolder();
  const [ownData, root] = [path.join(folder, 'own'), path.join(folder, 'ws')];
  await writeFiles(root, { 'a.txt': 'first\n' });
  const made: Stage = {
    ownData,
    root,
    hook: (session, by = git) => {
      const input = { hook_event_name: 'UserPromptSubmit', session_id: session, cwd: root };
      return recordHook(input, { git: by, ownData, project: undefined, now: () => 1 });
    },
    forget: (by = git) => forgetRecorded({ git: by, ownData, now: Date.now() }, 'gone'),
  };
  await made.hook('gone');
  if (others) await made.hook('other');
  await writeFile(path.join(root, 'a.txt'), 'second\n');
  await made.hook('gone');
  return made;
}

/** Every tree that a session names is pinned and whole. */
async function isKept({ ownData, root }: Stage, session: string): Promise<void> {
  const moments = await readMoments(ownData, session);
  expect(moments.map(({ failed }) => failed)).toEqual(moments.map(() => null));
  const store = await openRecordedStore({ git, ownData, root });
  const kept = new Set((await pins(store)).map(({ tree }) => tree));
  const reader = new ObjectReader(store);
  for (const { tree } of moments) {
    expect(kept).toContain(tree);
    for (const { oid } of (await reader.entries(tree ?? '')).values()) expect((await reader.blob(oid)).length).toBeGreaterThan(0);
  }
  await reader.close();
}

test('a hook that records while another session of the folder is forgotten keeps its snapshot, wherever the two meet', async () => {
  let met = 0;
  for (const others of [false, true]) {
    for (const pausing of ['hook', 'forget'] as const) {
      for (let at = 1; ; at += 1) {
        const made = await stage(others);
        const slow = stopping(at);
        const first = pausing === 'hook' ? made.hook('live', slow.git) : made.forget(slow.git);
        void first.finally(slow.go);
        const stopped = await slow.stopped;
        const second = pausing === 'hook' ? made.forget() : made.hook('live');
        // It either ends meanwhile or waits.
        await Promise.race([second, sleep(150)]);
        slow.go();
        await Promise.all([first, second]);
        await isKept(made, 'live');
        if (others) await isKept(made, 'other');
        expect(await readMoments(made.ownData, 'gone')).toEqual([]);
        expect(await readdir(path.join(made.ownData, 'recorded'))).toEqual([
          path.basename(recordedStore(made.ownData, made.root)),
          'sessions',
        ]);
        if (!stopped) break;
        met += 1;
      }
    }
  }
  expect(met).toBeGreaterThanOrEqual(10);
  record('recording', 'meetings of a hook and a sweep of the same store, nothing lost', met);
});

test('what a process that ended left is no reason to wait, and one of another machine only for a while', async () => {
  const made = await stage(true);
  const busy = `${recordedStore(made.ownData, made.root)}.busy`;
  await mkdir(busy, { recursive: true });
  await writeFile(path.join(busy, 'sweep-4000000-1-00000000-aa'), '');
  await utimes(path.join(busy, 'sweep-4000000-1-00000000-aa'), 1, 1);
  await writeFile(path.join(busy, 'notes'), '');
  expect(await made.hook('live')).toMatchObject({ failed: null });
  expect(await readdir(busy)).toEqual(['notes']);
  await writeFile(path.join(busy, 'use-1-1-ffffffff-aa'), '');
  const waiting = made.forget();
  expect(await Promise.race([waiting.then(() => 'ended'), sleep(100).then(() => 'waits')])).toBe('waits');
  await rm(path.join(busy, 'use-1-1-ffffffff-aa'));
  await waiting;
  await isKept(made, 'live');
});

test('who waits in vain is told that a hook records, or that a thread is forgotten', async () => {
  const made = await stage(true);
  const { root, ownData } = made;
  const store = recordedStore(ownData, root);
  const why: Passing = { doing: 'travel', place: root, patience: 0 };
  const held = async (by: (git: Git) => Promise<unknown>, pass: typeof whileUsing) => {
    const slow = stopping(1);
    const holding = by(slow.git);
    expect(await slow.stopped).toBe(true);
    const failed = await pass(store, why, async () => null).catch((thrown: unknown) => thrown);
    slow.go();
    await holding;
    return failed;
  };
  const words = (does: string) => ({
    code: 'LEASE_HELD',
    message: `Another Turnback (process ${process.pid}) holds ${root}: ${does}. Wait until it ends, then try again.`,
  });
  expect(await held((by) => made.hook('live', by), whileSweeping)).toMatchObject(words('it is recording there'));
  expect(await held(made.forget, whileUsing)).toMatchObject(words('it is forgetting a thread'));
});

test('a hook after a sweep keeps a file whole that only the forgotten session had kept', async () => {
  const made = await stage(true);
  const old = new Date('2001-01-01T00:00:00Z');
  await utimes(path.join(made.root, 'a.txt'), old, old);
  await made.hook('gone');
  await made.forget();
  await made.hook('live');
  await isKept(made, 'live');
});
