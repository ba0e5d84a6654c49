import { mkdirSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { patchOf } from '../../electron/snapshots/patch.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { reasonOf } from '../../shared/errors.ts';
import { record } from '../figures.ts';
import { Random } from '../fuzz/random.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { DEFAULTS, openScenario, revertTo } from '../travel/tanstack-travelling.ts';
import { BadGit, COMMANDS, HANGS, MISDEEDS, stateOf, zombies } from './bad-git.ts';
import { Session } from './session.ts';

const STOP = 1;
const seed = seedOf();

let folder = '';
let made: TanstackScenario;
let git: BadGit;
/** The workspace as the agent and the user left it, and as a revert leaves it. */
let states: string[] = [];
let slowest = 0;
let cancelled = 0;
let misdeeds = 0;

const workspace = async (): Promise<string> => (await manifest(made.root)).join('\n');

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-bad-git-')));
  made = await tanstackScenario(folder, { events: false });
  await writeFiles(made.root, { 'a.txt': '1\n2\n3\n4\n5\n', 'gone.txt': 'g\n' });
  await made.turn('edit', [
    { tool: 'edit_file', edit: (root) => writeFiles(root, { 'a.txt': '1\n2\nthree\n4\n5\n', 'made.txt': 'm\n' }) },
    { tool: 'bash', edit: (root) => rm(path.join(root, 'gone.txt')) },
  ]);
  await writeFiles(made.root, { 'a.txt': 'mine\n2\nthree\n4\n5\n' });
  mkdirSync(path.join(folder, 'bin'));
  git = new BadGit(path.join(folder, 'bin'));
  const first = new Session(made.env);
  await first.value('settings.set', { gitPath: git.program });
  await first.dispose();
  const session = await opened();
  const before = await workspace();
  await session.files(session.travel('revert', { stop: STOP }));
  states = [before, await workspace()];
  await session.files(session.travel('unrevert'));
  expect(await workspace()).toBe(before);
  await session.dispose();
});

afterAll(async () => {
  git.behave();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  if (misdeeds > 0) record('hostile input', 'misbehaving git: misdeeds at single commands, each a named error or no harm', misdeeds);
  if (cancelled > 0) record('hostile input', 'hanging git: cancelled, nothing left in the process table', cancelled);
  if (cancelled > 0) record('hostile input', 'hanging git: slowest cancel, ms', Math.round(slowest));
});

async function opened(): Promise<Session> {
  const session = new Session(made.env);
  await session.open(made.log, made.root);
  return session;
}

/** Opens, looks at everything and goes back, with a git that misbehaves; whatever comes, it has a name, and the files are one state or the other. */
async function endure(deed: string, ...commands: string[]): Promise<void> {
  const what = `${deed} at ${commands.join(' ')}`;
  git.will(deed, ...commands);
  const session = await opened();
  await session.look();
  await session.travel('revert', { stop: STOP });
  const { failures } = session;
  const left = await workspace();
  await session.dispose();
  git.behave();
  expect([what, failures.filter((failure) => failure.includes(' INTERNAL'))]).toEqual([what, []]);
  expect([what, states.includes(left)]).toEqual([what, true]);
  const after = await opened();
  for (const { entry } of (await after.value<{ travels: { entry: string }[] }>('travel.interrupted')).travels)
    await after.value('travel.recover', { entry, how: 'roll-back' });
  if ((await workspace()) !== states[0]) await after.files(after.travel('unrevert'));
  expect([what, await workspace()]).toEqual([what, states[0]]);
  await after.dispose();
  misdeeds += git.done.length > 0 ? 1 : 0;
}

test(`a git that fails, dies or lies is a named error and no harm (seed ${seed})`, { timeout: 7_200_000 }, async () => {
  const random = Random.of(seed, 0);
  const all = MISDEEDS.flatMap((deed) => COMMANDS.map((command) => [deed, command] as const)).filter(
    // That is how git counts the conflicts of a merge: the file is kept, which is no failure and neither of the two states.
    ([deed, command]) => !(command === 'merge-file' && /^exit (1|2|127)$/.test(deed)),
  );
  for (let count = size(6, all.length); count > 0; count--) {
    const [[deed, command] = ['exit 1', 'cat-file']] = all.splice(random.below(all.length), 1);
    await endure(deed, command);
  }
  await endure('exit 128', '*');
  expect(zombies()).toEqual([]);
});

describe('no git, or one that is too old', () => {
  test.each<[string, string, string]>([
    ['2.19', 'echo git version 2.19.2', 'GIT_TOO_OLD'],
    ['garbage for a version', 'head -c 100 /dev/urandom', 'GIT_FAILED'],
    ['nothing for a version', 'exit 0', 'GIT_FAILED'],
    ['a version without end', 'exec yes git version 2.50', 'GIT_FAILED'],
  ])('%s: the conversation opens, and whatever needs git says why', async (_, deed, code) => {
    git.will(deed, 'version');
    const session = await opened();
    const info = await session.value<{ git: unknown }>('app.info');
    expect(info.git).toMatchObject({ code });
    await session.look();
    const refused = await session.travel('revert', { stop: STOP });
    expect(refused.ok).toBe(false);
    expect(session.failures.length).toBeGreaterThan(3);
    expect(session.failures.filter((failure) => failure.includes(' INTERNAL'))).toEqual([]);
    await session.dispose();
    git.behave();
    expect(await workspace()).toBe(states[0]);
  });

  test('none at all', async () => {
    const found = process.env['PATH'];
    process.env['PATH'] = `.:bin:${path.join(folder, 'nowhere')}:`;
    try {
      const session = new Session({ ...made.env, TURNBACK_DATA: path.join(folder, 'other-data') });
      await session.open(made.log, made.root);
      expect((await session.value<{ git: unknown }>('app.info')).git).toMatchObject({ code: 'NO_GIT' });
      await session.look();
      expect((await session.travel('revert', { stop: STOP })).ok).toBe(false);
      expect(session.failures.filter((failure) => failure.includes(' INTERNAL'))).toEqual([]);
      expect(session.failures.some((failure) => failure.includes('git was not found'))).toBe(true);
      await session.dispose();
    } finally {
      process.env['PATH'] = found;
    }
    expect(await workspace()).toBe(states[0]);
  });
});

describe.each(Object.entries(HANGS))('a git that %s', (_, deed) => {
  test.each(['cat-file', 'diff-tree', 'diff', 'check-ignore', 'merge-file', 'update-ref'])(
    'at %s is let go of at once when the act is cancelled',
    async (command) => {
      const runner = createGit({ command: [git.program] });
      git.behave();
      const thread = await openScenario(made, runner);
      const context = { thread, ownData: path.join(folder, 'own-data'), git: runner, now: Date.now };
      await thread.fill();
      const step = thread.thread().steps.find((one) => (one.files ?? []).length > 0);
      git.will(deed, command);
      const stop = new AbortController();
      const acts = (async () => {
        if (command === 'diff' && thread.store && step?.from && step.to)
          for await (const piece of patchOf(thread.store, { from: step.from, to: step.to, only: null, signal: stop.signal })) void piece;
        const fresh = await openScenario(made, runner);
        try {
          await fresh.fill(stop.signal);
          await previewTravel({ ...context, thread: fresh }, revertTo(STOP), stop.signal);
          await runTravel({ ...context, thread: fresh }, revertTo(STOP), { ...DEFAULTS, signal: stop.signal });
        } finally {
          await fresh.close();
        }
      })();
      const ended = acts.then(
        () => 'done',
        (thrown: unknown) => reasonOf(thrown).code,
      );
      // Where the act does not come to this command, or gives up on its answer, there is nothing to cancel.
      const outcome = await Promise.race([
        ended,
        new Promise<null>((resolve) => void waitFor(() => git.done.length > 0).then(() => resolve(null))),
      ]);
      let code = outcome;
      if (outcome === null) {
        const begin = performance.now();
        stop.abort();
        code = await ended;
        // Where the ref of the safety snapshot hangs, git is asked once more to let it go, and not for long.
        if (command !== 'update-ref') slowest = Math.max(slowest, performance.now() - begin);
        cancelled += 1;
      }
      expect(['CANCELLED', 'GIT_FAILED', 'done']).toContain(code);
      git.behave();
      await thread.close();
      const escaped = deed.includes('setsid') ? git.pids.filter((pid) => stateOf(pid) !== null) : [];
      for (const pid of escaped) process.kill(pid, 'SIGKILL');
      await expect.poll(() => git.pids.filter((pid) => stateOf(pid) !== null && !escaped.includes(pid))).toEqual([]);
      // One that was ended a moment ago is asked for its exit code in the next.
      await expect.poll(zombies).toEqual([]);
      const after = await opened();
      if ((await workspace()) !== states[0]) await after.travel('unrevert');
      expect(await workspace()).toBe(states[0]);
      await after.dispose();
    },
  );
});

/** Until it is so, or the act that is waited for has ended. */
async function waitFor(what: () => boolean): Promise<void> {
  for (const until = Date.now() + 20_000; !what() && Date.now() < until; ) await new Promise((resolve) => setTimeout(resolve, 10));
}
