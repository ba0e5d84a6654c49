import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Desk } from '../../electron/host/desk.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { writeLog } from '../bench/long-log.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { call, HandLog, input, plainTurn, settled, step, transcript, user } from '../threads/tanstack/hand-log.ts';

async function desks(folders: string[] = []): Promise<{ home: string; sessions: string; fresh: () => Desk }> {
  const home = await tempFolder();
  const sessions = path.join(home, '.tanstack-harness-app', 'sessions');
  await mkdir(sessions, { recursive: true });
  const fresh = (): Desk =>
    new Desk({
      places: { home, env: {} },
      ownData: path.join(home, 'own'),
      git: createGit(),
      emit: () => undefined,
      folders: async () => folders,
    });
  return { home, sessions, fresh };
}

test('turns and files are told where they are known: of a short log at once, of a long one after it was read, and not when it grew', async () => {
  const { home, sessions, fresh } = await desks();
  const short = new HandLog(home, path.join(sessions, 'short.jsonl'));
  await short.batch(
    input('a'),
    transcript(0, user('u'), call('m', ['c', 'write_file', { path: 'x' }])),
    step('1', '2', ['x', 'y'], ['c']),
    settled('a'),
  );
  await plainTurn(new HandLog(home, path.join(sessions, 'plain.jsonl')), 1, 0);
  const long = new HandLog(home, path.join(sessions, 'long.jsonl'));
  await writeLog(long.file, 300_000);
  const counts = async (desk: Desk) =>
    new Map((await desk.list()).threads.map(({ threadId, turns, files }) => [threadId, [turns ?? null, files ?? null]]));
  const desk = fresh();
  expect(await counts(desk)).toEqual(
    new Map<string, unknown>([
      ['short', [1, 2]],
      ['plain', [1, null]],
      ['long', [null, null]],
    ]),
  );
  await desk.open('tanstack:long');
  const { turns } = await desk.viewWithSteps('tanstack:long');
  await desk.close('tanstack:long');
  // Its snapshots are gone, so nobody can count the files.
  expect((await counts(fresh())).get('long')).toEqual([turns.length, null]);
  await plainTurn(long, 999, 5);
  expect((await counts(fresh())).get('long')).toEqual([null, null]);
});

test('a workspace that is gone is said, can be named anew for its threads, and stays named', async () => {
  const { home, sessions, fresh } = await desks();
  const [old, moved] = [path.join(home, 'shop'), path.join(home, 'moved', 'shop')];
  const log = new HandLog(home, path.join(sessions, 't.jsonl'));
  await log.batch({ type: 'turnback/workspace', root: old, dataDir: path.join(home, 'd'), repository: 'r' });
  await plainTurn(log, 1, 0);
  await mkdir(old);
  const desk = fresh();
  expect((await desk.list()).threads).toMatchObject([{ root: old }]);
  await mkdir(path.dirname(moved));
  await rename(old, moved);
  expect((await desk.list()).threads).toMatchObject([{ root: old, rootGone: true }]);
  await expect(desk.relocate(['tanstack:t'], old)).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  await desk.relocate(['tanstack:t'], moved);
  const [head] = (await fresh().list()).threads;
  expect([head?.root, head?.rootGone]).toEqual([moved, undefined]);
  expect((await fresh().open('tanstack:t')).root).toBe(moved);
});

test('threads in a folder that was added are listed, and one that is not there is a named problem', async () => {
  const elsewhere = await tempFolder();
  const gone = path.join(elsewhere, 'gone');
  await mkdir(path.join(elsewhere, 'save', 'sessions'), { recursive: true });
  await plainTurn(new HandLog(elsewhere, path.join(elsewhere, 'save', 'sessions', 'far.jsonl')), 1, 0);
  const { fresh } = await desks([elsewhere, gone]);
  const { threads, problems } = await fresh().list();
  expect(threads.map(({ id }) => id)).toEqual(['tanstack:far']);
  expect(problems).toEqual([{ path: gone, message: expect.stringContaining('There is nothing at') }]);
});
