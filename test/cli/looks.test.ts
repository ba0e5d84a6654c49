import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

interface Lines {
  path: string;
  lines: number;
  runs: { from: number; count: number; who: string; step: string | null; turn: number | null }[];
}

test('two stops are compared, as a patch too, and the lines of a file tell their steps', async () => {
  const folder = await tempFolder();
  const env = cleanEnv(folder);
  const made = (await runCli(['sample', path.join(folder, 'demo'), '--json'], env)).json<{ log: string }>();
  const cli = (...args: string[]) => runCli([...args, '--json'], env);
  const compared = (await cli('diff', made.log, 'stop:2', '--to', 'stop:12')).json<{ files: { path: string }[]; patch: string }>();
  expect(compared.files.map((file) => file.path)).toEqual(['src/auth/login-form.js', 'src/auth/validate.js', 'test/validate.test.js']);
  expect((await runCli(['patch', made.log, 'stop:2..stop:12'], env)).stdout).toBe(compared.patch);
  expect((await cli('diff', made.log, 'stop:2', '--to', 'stop:2')).json()).toMatchObject({ files: [], patch: '' });
  expect(await cli('diff', made.log, 'stop:999')).toMatchObject({ exit: 1, stderr: expect.stringContaining('UNKNOWN_MESSAGE') });

  const whole = (await cli('lines', made.log, './src/auth/login-form.js', '--at', '12')).json<Lines>();
  expect(whole).toMatchObject({ path: 'src/auth/login-form.js', lines: 34 });
  expect(whole.runs.map(({ who, turn, count }) => [who, turn, count])).toEqual(
    expect.arrayContaining([
      ['step', 4, 1],
      ['before', null, 8],
    ]),
  );
  expect(whole.runs.reduce((sum, run) => sum + run.count, 0)).toBe(34);
  const text = (await runCli(['lines', made.log, 'src/auth/login-form.js', '--at', '12'], env)).stdout.split('\n');
  expect(text[0]).toBe("before the thread   1  import { signIn } from '../api/client.js';");
  expect(text[8]).toMatch(/^step 12, turn 4 {5}9 {2}.*Stay signed in/);
  expect(await cli('lines', made.log, 'public/logo.png')).toMatchObject({ exit: 1, stderr: expect.stringContaining('it is binary') });
});
