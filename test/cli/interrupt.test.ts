import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CLI, runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';

const FILES = 400;
const many = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`src/${at}.txt`, `${text} ${at}\n`]));

async function refactored() {
  const folder = await tempFolder();
  const t = await tanstackScenario(folder);
  await writeFiles(t.root, many('old'));
  const { answerId } = await t.turn('one', []);
  const before = await manifest(t.root);
  await t.turn('two', [{ tool: 'bash', edit: (root) => writeFiles(root, many('new')) }]);
  const after = await manifest(t.root);
  await utimes(t.log, new Date(0), new Date(0));
  const env = { ...cleanEnv(folder), TURNBACK_DATA: path.join(folder, 'own-data') };
  const args = ['revert', t.log, answerId, '--root', t.root, '--data', t.dataDir];
  const start = (): ChildProcess => spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  return { t, env, before, after, start };
}

const ended = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));

const until = async (child: ChildProcess, there: () => boolean): Promise<void> => {
  while (child.exitCode === null && !there()) await sleep(1);
};

/** New contents are written aside, and nothing is replaced yet. */
const staging = (root: string, child: ChildProcess): Promise<void> =>
  until(child, () => readdirSync(path.join(root, 'src')).some((name) => name.startsWith('.turnback-')));

/** The first file is replaced. */
const placing = (root: string, child: ChildProcess): Promise<void> =>
  until(child, () => readFileSync(path.join(root, 'src/0.txt'), 'utf8').startsWith('old'));

test.skipIf(process.platform === 'win32').each([
  ['SIGINT', 'has replaced a file', placing],
  ['SIGTERM', 'has replaced a file', placing],
  ['SIGHUP', 'has replaced a file', placing],
  ['SIGINT', 'writes contents aside', staging],
  ['SIGTERM', 'writes contents aside', staging],
  ['SIGHUP', 'writes contents aside', staging],
] as const)('a travel is not cut in half by %s when it %s', async (signal, _, when) => {
  const { t, env, before, after, start } = await refactored();
  const child = start();
  const exit = ended(child);
  await when(t.root, child);
  child.kill(signal);
  // On a busy machine the signal may come a little later: then nothing was left to be cancelled.
  const code = await exit;
  expect(when === placing ? [0] : [0, 1]).toContain(code);
  expect(await manifest(t.root)).toEqual(code === 0 ? before : after);
  expect((await runCli(['recover', '--json'], env)).json()).toEqual({ travels: [] });
});

test.skipIf(process.platform === 'win32')('whenever it is asked to stop, all is done or nothing', async () => {
  const { t, env, before, after, start } = await refactored();
  for (const wait of [200, 500, 800]) {
    const child = start();
    const exit = ended(child);
    await sleep(wait);
    child.kill('SIGINT');
    const done = (await exit) === 0;
    expect(await manifest(t.root)).toEqual(done ? before : after);
    expect((await runCli(['recover', '--json'], env)).json()).toEqual({ travels: [] });
    if (done) return;
  }
});

test.skipIf(process.platform === 'win32')('asked twice it ends at once, and recovery knows', async () => {
  const { t, env, after, start } = await refactored();
  const child = start();
  const exit = ended(child);
  await placing(t.root, child);
  child.kill('SIGINT');
  child.stderr?.once('data', () => child.kill('SIGINT'));
  // It may have come to its end between the two.
  if ((await exit) === 0) return;
  const [open] = (await runCli(['recover', '--json'], env)).json<{ travels: { entry: string }[] }>().travels;
  expect((await runCli(['recover', open?.entry ?? '', '--roll-back'], env)).exit).toBe(0);
  expect(await manifest(t.root)).toEqual(after);
});
