import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { browserPort } from '../../electron/host/browser-port.ts';
import { commandWords } from '../../electron/host/command-words.ts';
import { Desk } from '../../electron/host/desk.ts';
import { createEngine } from '../../electron/host/engine.ts';
import { commandBackend } from '../../electron/recorder/command-backend.ts';
import { travelJournal } from '../../electron/recorder/travel-journal.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import type { TravelRequest } from '../../electron/travel/travel-context.ts';
import type { ThreadView } from '../../shared/contract.ts';
import type { Plan, TravelResult } from '../../shared/plan.ts';
import { cleanEnv, manifest } from '../scenarios/temp.ts';
import { DATA, type OtherSide, otherSide, ROOT, recordThere, sh } from './other-side.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'run.sh': { content: '#!/bin/sh\n', mode: 0o755 }, '.env': 'KEY=1\n' };
const TURNS = {
  first: 'echo two > a.txt; echo new > new.txt',
  second: 'echo three >> a.txt; rm b.txt; chmod -x run.sh',
};
const REVERT = { kind: 'revert', entry: null, scope: 'both' } as const;
const RUN = { drift: 'merge', choices: {}, fingerprint: null } as const;

function deskOn(side: OtherSide, via: readonly string[] | null): Desk {
  const places = { home: path.join(side.folder, 'home'), env: {} };
  return new Desk({ places, ownData: path.join(side.folder, 'own'), git: createGit(), emit: () => undefined, via });
}

async function withDesk<T>(side: OtherSide, via: readonly string[] | null, use: (desk: Desk, id: string) => Promise<T>): Promise<T> {
  const desk = deskOn(side, via);
  try {
    return await use(desk, (await desk.open(side.log)).head.id);
  } finally {
    await desk.dispose();
  }
}

const stopAt = async (desk: Desk, id: string, text: string): Promise<number> => {
  const view = await desk.view(id);
  return (view.turns.find(({ prompt }) => prompt === text)?.firstStop ?? -1) + 1;
};
const run = (desk: Desk, id: string, kind: TravelRequest['kind'], more: object = {}): Promise<TravelResult> =>
  desk.run(id, { kind, stop: null, entry: null, scope: 'both' }, { ...RUN, ...more });
const shape = (plan: Plan): string[] =>
  plan.files.map((file) => `${file.verb} ${file.path} ${file.choice} +${file.added} -${file.removed}`);
const done = (result: TravelResult): string[] => result.files.map((file) => `${file.outcome} ${file.path}`);
const git = (side: OtherSide, ...args: string[]): Promise<string> => sh('/', ['git', `--git-dir='${side.repository}'`, ...args].join(' '));

describe.each(['chroot', 'ssh'] as const)('a thread that was recorded behind %s', (kind) => {
  test('its steps, diffs and patches are the trees there, and a revert and its end change the files there and nothing here', async () => {
    const side = await otherSide(kind, FILES);
    await recordThere(side, TURNS);
    const after = await manifest(side.work);
    await withDesk(side, side.prefix, async (desk, id) => {
      const view = await desk.viewWithSteps(id);
      expect(view.notices).toEqual([]);
      expect(view.head.root).toBe(ROOT);
      expect(view.can).toMatchObject({ revert: true, undo: true, patch: true });
      const [one, two] = view.steps;
      expect(view.steps.map((step) => step.files?.map((file) => `${file.change} ${file.path} +${file.added} -${file.removed}`))).toEqual([
        ['modified a.txt +1 -1', 'created new.txt +1 -0'],
        ['modified a.txt +1 -0', 'deleted b.txt +0 -1', 'mode run.sh +0 -0'],
      ]);
      const patch = await desk.patch(id, { kind: 'step', step: two?.id ?? '' });
      const form = 'diff --binary --full-index --no-renames --no-ext-diff --no-textconv';
      expect(patch.bytes.toString()).toBe(await git(side, form, two?.from ?? '', two?.to ?? ''));
      const diff = await desk.fileDiff(id, { kind: 'step', step: two?.id ?? '' }, 'a.txt', false);
      expect([diff.before?.text, diff.after?.text]).toEqual(['two\n', 'two\nthree\n']);
      await writeFile(path.join(side.work, 'mine.txt'), 'mine\n');
      const since = { kind: 'since', step: one?.id ?? '' } as const;
      expect((await desk.filesOf(id, since)).map((file) => `${file.change} ${file.path}`)).toEqual([
        'modified a.txt',
        'deleted b.txt',
        'created mine.txt',
        'mode run.sh',
      ]);
      expect((await desk.fileDiff(id, since, 'mine.txt', false)).after?.text).toBe('mine\n');

      const stop = await stopAt(desk, id, 'second');
      const plan = await desk.preview(id, { ...REVERT, stop });
      expect(plan.refusal).toBeNull();
      expect(shape(plan)).toEqual(['restore a.txt write +0 -1', 'recreate b.txt write +1 -0', 'restore run.sh write +0 -0']);
      expect((await desk.fileDiff(id, { kind: 'plan', stop }, 'b.txt', false)).after?.text).toBe('bee\n');
      const told: string[] = [];
      const result = await desk.run(
        id,
        { ...REVERT, stop },
        { ...RUN, fingerprint: plan.fingerprint, onFile: (file, change) => told.push(`${change} ${file}`) },
      );
      expect(done(result)).toEqual(plan.files.map(({ path: file }) => `written ${file}`));
      expect(result).toMatchObject({ message: `Reverted: the thread stands at message ${stop}. 3 files put back.`, log: 'appended' });
      expect(told).toEqual(['updated a.txt', 'created b.txt', 'updated run.sh']);
      expect(await sh(side.work, 'cat a.txt b.txt new.txt mine.txt .env; test -x run.sh')).toBe('two\nbee\nnew\nmine\nKEY=1\n');
      expect((await desk.view(id)).standing).toMatchObject({ stop });
      expect((await run(desk, id, 'unrevert')).message).toBe('Took the revert back. 3 files put back.');
      expect((await manifest(side.work)).filter((line) => !line.startsWith('mine.txt'))).toEqual(after);
      await expect(desk.history(id)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
      expect([existsSync(ROOT), existsSync(DATA)]).toEqual([false, false]);
      expect((await manifest(path.join(side.folder, 'own'))).filter((line) => /quarantine|safety|history|journal/.test(line))).toEqual([]);
    });
  });

  test('undo and redo answer in the words of the recorder there', async () => {
    const side = await otherSide(kind, FILES);
    await recordThere(side, TURNS);
    const after = await manifest(side.work);
    await withDesk(side, side.prefix, async (desk, id) => {
      const plan = await desk.preview(id, { kind: 'undo', stop: null, entry: null, scope: 'both' });
      expect(shape(plan)).toEqual(['restore a.txt write +0 -1', 'recreate b.txt write +1 -0', 'restore run.sh write +0 -0']);
      const undone = await run(desk, id, 'undo', { fingerprint: plan.fingerprint });
      expect([undone.message, ...done(undone)]).toEqual([
        'Undid the last turn. Files restored: 3.',
        'written a.txt',
        'written b.txt',
        'written run.sh',
      ]);
      expect(await sh(side.work, 'cat a.txt b.txt')).toBe('two\nbee\n');
      expect((await run(desk, id, 'redo')).message).toBe('Redid the last turn.');
      expect(await manifest(side.work)).toEqual(after);
      await expect(run(desk, id, 'redo')).rejects.toMatchObject({ code: 'NOTHING_TO_REDO', message: 'Nothing to redo.' });
    });
  });
});

test('an edit of yours there is never lost unasked: since the steps, between them, and since the preview', async () => {
  const side = await otherSide('chroot', FILES);
  await recordThere(side, TURNS);
  await writeFile(path.join(side.work, 'a.txt'), 'two\nthree\nmine\n');
  const edited = await manifest(side.work);
  await withDesk(side, side.prefix, async (desk, id) => {
    const stop = await stopAt(desk, id, 'second');
    const plan = await desk.preview(id, { ...REVERT, stop });
    expect(plan.files.find((file) => file.path === 'a.txt')).toMatchObject({ drift: true, choice: 'keep', choices: ['keep', 'overwrite'] });
    for (const drift of ['merge', 'keep'] as const)
      await expect(desk.run(id, { ...REVERT, stop }, { ...RUN, drift })).rejects.toMatchObject({ code: 'DRIFTED_ELSEWHERE' });
    await expect(desk.run(id, { ...REVERT, stop }, { ...RUN, drift: 'fail' })).rejects.toMatchObject({ code: 'DRIFTED' });
    await writeFile(path.join(side.work, 'b.txt'), 'new bee\n');
    await expect(desk.run(id, { ...REVERT, stop }, { ...RUN, drift: 'overwrite', fingerprint: plan.fingerprint })).rejects.toMatchObject({
      code: 'PLAN_STALE',
    });
    await sh(side.work, 'rm b.txt');
    expect(await manifest(side.work)).toEqual(edited);
    expect((await desk.view(id)).standing).toBeNull();
    await desk.run(id, { ...REVERT, stop }, { ...RUN, choices: { 'a.txt': 'overwrite' } });
    expect(await sh(side.work, 'cat a.txt')).toBe('two\n');
    await writeFile(path.join(side.work, 'a.txt'), 'after the revert\n');
    await expect(run(desk, id, 'unrevert')).rejects.toMatchObject({ code: 'DRIFTED_ELSEWHERE' });
    await run(desk, id, 'unrevert', { drift: 'overwrite' });
    expect(await manifest(side.work)).toEqual(edited);
  });
  await recordThere(side, { third: 'echo four >> a.txt' });
  await withDesk(side, side.prefix, async (desk, id) => {
    const between = await desk.preview(id, { ...REVERT, stop: await stopAt(desk, id, 'second') });
    expect(between.files.find((file) => file.path === 'a.txt')).toMatchObject({
      drift: true,
      why: 'It was changed there between two steps that go back.',
    });
    expect(shape(await desk.preview(id, { ...REVERT, stop: await stopAt(desk, id, 'third') }))).toEqual(['restore a.txt write +0 -1']);
  });
});

test('a revert that stands there ends first: both are one plan, and one step back brings everything', async () => {
  const side = await otherSide('chroot', FILES);
  await recordThere(side, { ...TURNS, third: 'echo four >> new.txt; rm a.txt' });
  const after = await manifest(side.work);
  await withDesk(side, side.prefix, async (desk, id) => {
    const [second, third] = [await stopAt(desk, id, 'second'), await stopAt(desk, id, 'third')];
    await desk.run(id, { ...REVERT, stop: second }, RUN);
    expect(await sh(side.work, 'cat a.txt b.txt new.txt')).toBe('two\nbee\nnew\n');
    const plan = await desk.preview(id, { ...REVERT, stop: third });
    expect(shape(plan)).toEqual(['restore a.txt write +1 -0', 'delete b.txt write +0 -1', 'restore run.sh write +0 -0']);
    expect(done(await desk.run(id, { ...REVERT, stop: third }, { ...RUN, fingerprint: plan.fingerprint }))).toEqual([
      'written a.txt',
      'deleted b.txt',
      'written run.sh',
    ]);
    expect(await sh(side.work, 'cat a.txt new.txt; test ! -e b.txt')).toBe('two\nthree\nnew\n');
    await expect(run(desk, id, 'undo')).rejects.toMatchObject({ code: 'REVERT_STANDS' });
    await run(desk, id, 'unrevert');
    expect(await manifest(side.work)).toEqual(after);
    for (const scope of ['files', 'messages'] as const)
      expect((await desk.preview(id, { ...REVERT, stop: third, scope })).refusal?.code).toBe('NOT_SUPPORTED');
  });
});

test('a travel of the recorder that a crash interrupted there is ended first, and the plan looked at anew', async () => {
  const side = await otherSide('chroot', FILES);
  await recordThere(side, TURNS);
  const after = await manifest(side.work);
  await withDesk(side, side.prefix, async (desk, id) => {
    const now = (await desk.view(id)).steps.at(-1)?.to ?? '';
    const backend = commandBackend({ prefix: side.prefix });
    const gitDir = side.repository.slice(path.join(side.folder, 'other-root').length);
    await travelJournal.write(backend, gitDir, { now, files: ['a.txt', 'b.txt'], seq: 1, expects: 'a record that never came' });
    await sh(side.work, 'echo two > a.txt; echo bee > b.txt');
    await expect(run(desk, id, 'undo', { drift: 'overwrite' })).rejects.toMatchObject({ code: 'PLAN_STALE' });
    expect(await manifest(side.work)).toEqual(after);
    expect((await run(desk, id, 'undo')).message).toBe('Undid the last turn. Files restored: 3.');
  });
});

test('what stands there and no snapshot holds is left alone, and the plan says so before', async () => {
  const side = await otherSide('chroot', FILES);
  await recordThere(side, { first: 'echo 2 > a.txt', second: 'rm a.txt b.txt run.sh' });
  await sh(side.work, "mkdir b.txt; echo mine > b.txt/mine; echo 'a.txt' > .gitignore; echo secret > a.txt");
  await withDesk(side, side.prefix, async (desk, id) => {
    const stop = await stopAt(desk, id, 'second');
    const plan = await desk.preview(id, { ...REVERT, stop });
    expect(plan.skipped).toEqual([
      { path: 'a.txt', why: 'A file of yours stands there that no snapshot holds.' },
      { path: 'b.txt', why: 'A folder of yours stands there.' },
    ]);
    expect(shape(plan)).toEqual(['recreate run.sh write +1 -0']);
    const result = await desk.run(id, { ...REVERT, stop }, { ...RUN, fingerprint: plan.fingerprint });
    expect(done(result).sort()).toEqual(['skipped a.txt', 'skipped b.txt', 'written run.sh']);
    expect(await sh(side.work, 'cat a.txt b.txt/mine run.sh')).toBe('secret\nmine\n#!/bin/sh\n');
  });
});

test('the viewer opens such a thread too: its engine takes the command from TURNBACK_VIA', async () => {
  const side = await otherSide('ssh', FILES);
  await recordThere(side, TURNS);
  const env = { ...cleanEnv(side.folder), TURNBACK_VIA: side.via };
  const engine = createEngine({ port: browserPort, push: () => undefined, version: '1', open: null, env });
  const ask = async <T>(call: string, input: object): Promise<T> => {
    const answer = await engine.answer(call, input);
    if (!('ok' in answer) || !answer.ok) throw new Error(JSON.stringify(answer));
    return answer.value as T;
  };
  try {
    const view = await ask<ThreadView>('thread.open', { thread: side.log, root: null, data: null });
    const thread = view.head.id;
    const { steps, can } = await ask<ThreadView>('thread.steps', { thread });
    expect([steps.map((step) => step.files?.length), can.revert]).toEqual([[2, 3], true]);
    const { files } = await ask<{ files: unknown[] }>('diff.files', { thread, range: { kind: 'since', step: steps[0]?.id } });
    expect(files).toHaveLength(3);
  } finally {
    await engine.dispose();
  }
});

describe('a side that is not reached', () => {
  test('a command that hangs is given up after its time, and what it started holds nothing up', async () => {
    const prefix = ['sh', '-c', 'sleep 20; :'];
    const started = Date.now();
    await expect(commandBackend({ prefix, timeout: 400 }).isFolder('/')).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
      message: expect.stringContaining('it has not answered within 0.4 s'),
    });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test('without a way to it the conversation can be read, and one notice says where the files are', async () => {
    const side = await otherSide('chroot', FILES);
    await recordThere(side, { first: TURNS.first });
    const log = await readFile(side.log);
    await withDesk(side, null, async (desk, id) => {
      const view = await desk.viewWithSteps(id);
      expect(view.notices.map(({ code }) => code)).toEqual(['ELSEWHERE']);
      expect(view.notices[0]?.message).toContain('another side (box). Open it with --via');
      expect(view.turns.map(({ prompt }) => prompt)).toEqual(['first']);
      expect(view.head.root).toBeNull();
      for (const can of Object.values(view.can)) expect(can).toMatchObject({ code: 'ELSEWHERE' });
      await expect(desk.patch(id, { kind: 'step', step: view.steps[0]?.id ?? '' })).rejects.toMatchObject({ code: 'NOT_CAPTURED' });
      await expect(desk.run(id, { ...REVERT, stop: 1 }, RUN)).rejects.toMatchObject({ code: 'ELSEWHERE' });
      await expect(run(desk, id, 'undo')).rejects.toMatchObject({ code: 'ELSEWHERE' });
    });
    expect((await readFile(side.log)).equals(log)).toBe(true);
  });

  test('a command that reaches nothing, another machine, or one without git is named', async () => {
    const side = await otherSide('chroot', FILES);
    await recordThere(side, { first: TURNS.first });
    const codes = async (via: readonly string[]): Promise<unknown> =>
      withDesk(side, via, async (desk, id) => {
        const view = await desk.viewWithSteps(id);
        await expect(run(desk, id, 'undo')).rejects.toMatchObject({ code: view.notices[0]?.code });
        return [view.turns.length, ...view.notices.map(({ code }) => code)];
      });
    expect(await codes([path.join(side.folder, 'no-such-command')])).toEqual([1, 'BACKEND_FAILED']);
    expect(await codes(['false'])).toEqual([1, 'BACKEND_FAILED']);
    expect(await codes(['env'])).toEqual([1, 'NO_STORE']);
    await sh(side.folder, 'rm other-root/usr/bin/git');
    expect(await codes(side.prefix)).toEqual([1, 'NO_GIT']);
  });
});

test('the words of a command are parted as a shell does, without what a shell would do with them', () => {
  expect(commandWords(`  docker exec -i 'my box' "a \\"b\\" \\\\ $HOME" c\\ d '' *.txt `, '--via')).toEqual([
    'docker',
    'exec',
    '-i',
    'my box',
    'a "b" \\ $HOME',
    'c d',
    '',
    '*.txt',
  ]);
  expect(commandWords('C:\\bin\\ssh.exe host', '--via')).toEqual(['C:\\bin\\ssh.exe', 'host']);
  for (const text of ['', '  ', "''", "ssh 'box"]) expect(() => commandWords(text, '--via')).toThrow(/--via cannot be used/);
});
