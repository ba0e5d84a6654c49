import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createGit, type Git, type GitCall, type GitProcess } from '../../electron/snapshots/git.ts';
import { interruptedTravels } from '../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { neutral } from './neutral.ts';
import { DEFAULTS, revertTo, UNREVERT } from './tanstack-travelling.ts';

const git = createGit();

/** A git whose readers of our own safety snapshots say nothing, of contents or of facts. */
function silent(at: '--batch' | '--batch-check'): { git: Git; asked: Promise<void>; left: () => Promise<unknown> } {
  const asked = Promise.withResolvers<void>();
  const started: GitProcess[] = [];
  const start = (call: GitCall): GitProcess => {
    if (!call.gitDir.includes(`${path.sep}safety${path.sep}`) || !call.args.includes(at)) return git.start(call);
    asked.resolve();
    const process = git.start({ ...call, args: ['-c', 'alias.wait=!sleep 600', 'wait'] });
    started.push(process);
    return process;
  };
  return { git: { ...git, start }, asked: asked.promise, left: () => Promise.all(started.map(({ done }) => done)) };
}

test.each(['--batch', '--batch-check'] as const)(
  'one that says nothing of our own safety snapshots is let go of when the plan is cancelled: %s',
  async (at) => {
    const n = await neutral();
    await writeFiles(n.root, { a: 'old\n' });
    await n.base();
    await n.user('go');
    await writeFiles(n.root, { a: 'new\n' });
    await n.step('sh');
    await writeFiles(n.root, { a: 'mine\n' });
    const ctx = await n.context();
    await runTravel(ctx, revertTo(0), { ...DEFAULTS, drift: 'overwrite' });
    // What the user had written is in the safety snapshot alone.
    await rm(path.join(n.root, 'a'));
    const before = await manifest(n.root);
    const bad = silent(at);
    const stop = new AbortController();
    const planned = previewTravel({ ...ctx, git: bad.git }, UNREVERT, stop.signal).catch((thrown: unknown) => thrown);
    await bad.asked;
    stop.abort();
    expect(await planned).toMatchObject({ code: 'CANCELLED' });
    await bad.left();
    // The same thread plans it again with a git that answers.
    expect((await previewTravel(ctx, UNREVERT)).files.map(({ path: name, choices }) => [name, choices])).toEqual([
      ['a', ['keep', 'overwrite']],
    ]);
    expect(await manifest(n.root)).toEqual(before);
  },
);

/** A git whose readers of our own safety snapshots say nothing any more as soon as a new one is pinned: from there on a travel writes. */
function silentOncePinned(): { git: Git; asked: Promise<void>; left: () => Promise<unknown> } {
  const asked = Promise.withResolvers<void>();
  const answering: GitProcess[] = [];
  const silent: GitProcess[] = [];
  let pinned = false;
  const start = (call: GitCall): GitProcess => {
    const own = call.gitDir.includes(`${path.sep}safety${path.sep}`) && call.name === 'cat-file';
    if (own && pinned) asked.resolve();
    const process = git.start(own && pinned ? { ...call, args: ['-c', 'alias.wait=!sleep 600', 'wait'] } : call);
    (pinned ? silent : answering).push(process);
    return process;
  };
  const run: Git['run'] = async (call) => {
    const result = await git.run(call);
    if (call.name === 'update-ref' && !pinned) {
      pinned = true;
      for (const process of answering) process.kill();
    }
    return result;
  };
  return { git: { ...git, start, run }, asked: asked.promise, left: () => Promise.all(silent.map(({ done }) => done)) };
}

test('one that says nothing while contents are written aside is let go of when the travel is cancelled, and all is as before', async () => {
  const n = await neutral();
  await writeFiles(n.root, { a: 'old\n', 'b/c': 'old\n' });
  await n.base();
  await n.user('go');
  await rm(path.join(n.root, 'b'), { recursive: true });
  await writeFiles(n.root, { a: 'new\n' });
  await n.step('sh');
  await writeFiles(n.root, { a: 'mine\n' });
  const ctx = await n.context();
  await runTravel(ctx, revertTo(0), { ...DEFAULTS, drift: 'overwrite' });
  const before = await manifest(n.root, { mtimes: true });
  const bad = silentOncePinned();
  const stop = new AbortController();
  const made = runTravel({ ...ctx, git: bad.git }, UNREVERT, { ...DEFAULTS, signal: stop.signal }).catch((thrown: unknown) => thrown);
  await bad.asked;
  stop.abort();
  expect(await made).toMatchObject({ code: 'CANCELLED' });
  expect(await manifest(n.root, { mtimes: true })).toEqual(before);
  expect(await interruptedTravels(ctx.ownData)).toEqual([]);
  await bad.left();
  const { files } = await runTravel(ctx, UNREVERT, DEFAULTS);
  expect(files.map(({ path: name, outcome }) => [name, outcome])).toEqual([
    ['a', 'written'],
    ['b/c', 'deleted'],
  ]);
  expect(await readFile(path.join(n.root, 'a'), 'utf8')).toBe('mine\n');
});
