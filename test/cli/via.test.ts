import path from 'node:path';
import { expect, test } from 'vitest';
import { otherSide, ROOT, recordThere, sh } from '../host/other-side.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv } from '../scenarios/temp.ts';

interface Shown {
  thread: { root: string | null; notices: { code: string }[]; can: { undo: unknown } };
  steps: { id: string; files: { path: string; added: number }[] }[];
}

test('every command takes --via: it shows, compares, reverts and purges on the other side, and names a side that it does not reach', async () => {
  const side = await otherSide('ssh', { 'a.txt': 'one\n' });
  await recordThere(side, { first: 'echo two > a.txt', second: 'echo three >> a.txt' });
  const env = cleanEnv(side.folder);
  const cli = (...args: string[]) => runCli([...args, '--json'], env);
  const via = (...args: string[]) => cli(...args, '--via', side.via);

  const closed = await cli('show', side.log);
  expect(closed.exit).toBe(0);
  expect(closed.json<Shown>().thread).toMatchObject({ root: null, notices: [{ code: 'ELSEWHERE' }] });
  const nowhere = await cli('diff', side.log, '1', '--via', `${path.join(side.folder, 'none')} box`);
  expect([nowhere.exit, nowhere.json<{ error: { code: string } }>().error.code]).toEqual([1, 'NOT_CAPTURED']);
  expect(nowhere.stderr).toContain('The other side could not be used');
  expect((await cli('show', side.log, '--via', "'open")).json()).toMatchObject({ error: { code: 'BAD_OPTION' } });

  expect((await cli('undo', side.log, '--via', ' ')).exit).toBe(2);

  const shown = (await via('show', side.log)).json<Shown>();
  expect(shown.thread).toMatchObject({ notices: [], can: { undo: true } });
  expect(shown.steps.map(({ files }) => files.map((file) => `${file.path} +${file.added}`))).toEqual([['a.txt +1'], ['a.txt +1']]);
  const [one, two] = shown.steps;
  expect((await via('diff', side.log, two?.id ?? '')).json<{ patch: string }>().patch).toContain('@@ -1 +1,2 @@\n two\n+three\n');
  await sh(side.work, 'echo mine > mine.txt');
  const since = (await via('diff', side.log, one?.id ?? '', '--to', 'now')).json<{ files: { path: string }[] }>();
  expect(since.files.map((file) => file.path)).toEqual(['a.txt', 'mine.txt']);

  const plan = (await via('preview', side.log, 'stop:4')).json();
  expect(plan).toMatchObject({ files: [{ path: 'a.txt', verb: 'restore', drift: false, choice: 'write' }], refusal: null });
  const undone = await via('undo', side.log);
  expect(undone.json()).toMatchObject({
    message: 'Undid the last turn. Files restored: 1.',
    log: 'appended',
    files: [{ path: 'a.txt', outcome: 'written' }],
  });
  expect(await sh(side.work, 'cat a.txt mine.txt')).toBe('two\nmine\n');
  await sh(side.work, 'echo mine > a.txt');
  const kept = await via('redo', side.log);
  expect([kept.exit, kept.json<{ error: { code: string } }>().error.code]).toEqual([1, 'DRIFTED_ELSEWHERE']);
  expect((await via('redo', side.log, '--drift', 'overwrite')).json()).toMatchObject({ message: 'Redid the last turn.' });
  expect(await sh(side.work, 'cat a.txt mine.txt')).toBe('two\nthree\nmine\n');
  expect((await via('history', side.log)).json()).toMatchObject({ error: { code: 'NOT_SUPPORTED' } });
  expect((await via('doctor', side.log)).json()).toMatchObject({ root: ROOT, trees: { missing: [] }, problems: [] });
  expect((await cli('purge', side.log, '--yes')).json()).toMatchObject({ error: { code: 'ELSEWHERE' } });
  expect((await via('purge', side.log, '--yes')).json()).toMatchObject({ removed: true });
  expect(await sh(side.folder, 'ls other-root/var/acme/snapshots')).toBe('');
}, 180_000);
