import { readFile, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type CliRun, runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';

interface Made {
  env: Record<string, string>;
  root: string;
  log: string;
  id: string;
  target: string;
  places: string[];
}

async function harnessThread(folder: string): Promise<Made> {
  const t = await tanstackScenario(folder);
  await writeFiles(t.root, { 'a.txt': 'a0\n' });
  const { answerId } = await t.turn('one', []);
  await t.turn('two', [{ tool: 'bash', edit: (root) => writeFiles(root, { 'a.txt': 'a1\n', 'made.txt': 'm\n' }) }]);
  const places = ['--root', t.root, '--data', t.dataDir];
  return { env: cleanEnv(folder), root: t.root, log: t.log, id: `tanstack:${path.basename(t.log, '.jsonl')}`, target: answerId, places };
}

async function claudeThread(folder: string): Promise<Made> {
  const made = new MadeLog(folder);
  made.prompt('Write it.');
  made.create('m1', 'made.txt', 'm\n');
  await made.write();
  await writeFiles(made.root, { 'made.txt': 'm\n', 'a.txt': 'a0\n' });
  const env = { ...cleanEnv(folder), HOME: made.home };
  return { env, root: made.root, log: made.log, id: `claude-code:${path.basename(made.log, '.jsonl')}`, target: 'stop:0', places: [] };
}

const codeOf = (ran: CliRun): unknown => [ran.exit, ran.json<{ error?: { code: string } }>().error?.code];

/** Claude Code removes logs of a month without a word; an undo that is kept for three must not go with them. */
test.each([
  ['the harness', harnessThread],
  ['Claude Code', claudeThread],
])('when the log of %s is gone, the files of a travel still come back', async (_, thread) => {
  const folder = await tempFolder();
  const { env: clean, root, log, id, target, places } = await thread(folder);
  const env = { ...clean, TURNBACK_DATA: path.join(folder, 'own-data') };
  const run = (...args: string[]) => runCli([...args, '--json'], env);
  await utimes(log, new Date(0), new Date(0));
  const before = await manifest(root);
  const [entry] = [(await run('revert', log, target, ...places)).json<{ entry: string }>().entry];
  const reverted = await manifest(root);
  expect(reverted).not.toEqual(before);
  await rename(log, `${log}.gone`);

  for (const name of [log, id]) {
    const { entries } = (await run('history', name)).json<{ entries: { id: string; can: unknown }[] }>();
    expect(entries.map((one) => [one.id, one.can])).toEqual([[entry, true]]);
    expect(codeOf(await run('unrevert', name))).toEqual([1, 'REVERT_FINAL']);
  }
  expect(codeOf(await run('restore', id, 'nobody'))).toEqual([1, 'UNKNOWN_ENTRY']);
  expect(await manifest(root)).toEqual(reverted);
  expect((await run('restore', id, entry)).exit).toBe(0);
  expect(await manifest(root)).toEqual(before);
  // That can be taken back as well.
  const [last] = (await run('history', log)).json<{ entries: { id: string }[] }>().entries;
  expect((await run('restore', log, last?.id ?? '')).exit).toBe(0);
  expect(await manifest(root)).toEqual(reverted);
});

test('a thread of which nothing is kept is not found, as ever', async () => {
  const folder = await tempFolder();
  const env = { ...cleanEnv(folder), TURNBACK_DATA: path.join(folder, 'own-data') };
  const other = path.join(folder, 'notes.txt');
  await writeFile(other, 'no log\n');
  expect(codeOf(await runCli(['history', path.join(folder, 'none.jsonl'), '--json'], env))).toEqual([1, 'NOT_FOUND']);
  expect(codeOf(await runCli(['history', 'tanstack:none', '--json'], env))).toEqual([1, 'UNKNOWN_THREAD']);
  expect(codeOf(await runCli(['restore', other, 'x', '--json'], env))).toEqual([1, 'NOT_A_LOG']);
  expect(await readFile(other, 'utf8')).toBe('no log\n');
});
