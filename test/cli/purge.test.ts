import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

test('purge shows what would go and how large it is, removes only with --yes, and resolves when there is nothing left', async () => {
  const folder = await tempFolder();
  const env = cleanEnv(folder);
  const cli = (...args: string[]) => runCli([...args, '--json'], env);
  const made = (await cli('sample', path.join(folder, 'demo'))).json<{ data: string; log: string }>();
  const [repository] = await readdir(made.data);
  const shown = (await cli('purge', made.log)).json<{ repository: string; bytes: number; removed: boolean }>();
  expect(shown).toMatchObject({ repository: path.join(made.data, repository ?? ''), removed: false });
  expect(shown.bytes).toBeGreaterThan(1000);
  expect(await readdir(made.data)).toEqual([repository]);
  expect((await cli('purge', made.log, '--yes')).json()).toMatchObject({ bytes: shown.bytes, removed: true });
  expect((await readdir(made.data)).filter((name) => name === repository)).toEqual([]);
  expect((await cli('purge', made.log, '--yes')).json()).toMatchObject({ bytes: 0, removed: true });
  const after = (await cli('show', made.log)).json<{ turns: unknown[]; thread: { notices: { code: string }[] } }>();
  expect(after.turns.length).toBeGreaterThanOrEqual(5);
  expect(after.thread.notices.map((notice) => notice.code)).toContain('NO_STORE');
});

test('a repository that other threads may share is never purged', async () => {
  const folder = await tempFolder();
  const env = cleanEnv(folder);
  const scenario = await tanstackScenario(folder);
  await scenario.turn('Say hello', []);
  const run = await runCli(['purge', scenario.log, '--root', scenario.root, '--data', scenario.dataDir, '--yes', '--json'], env);
  expect(run.exit).toBe(1);
  expect(run.json<{ error: { code: string } }>().error.code).toBe('NOT_OURS_TO_PURGE');
  expect((await readdir(scenario.dataDir)).length).toBe(1);
});
