import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI, runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';

/** The command in a line of shell, as "$@". */
function inShell(line: string, args: readonly string[], env: Record<string, string>): Promise<{ exit: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line, 'sh', process.execPath, CLI, ...args], { env, encoding: 'utf8' }, (error, _, stderr) =>
      resolve({ exit: error ? Number(error.code) : 0, stderr }),
    );
  });
}

/** Two turns that each write `a`; the thread, the message between them, and how to name it all. */
async function twoTurns() {
  const folder = await tempFolder();
  const t = await tanstackScenario(folder);
  await writeFiles(t.root, { a: '1\n' });
  const { answerId } = await t.turn('one', [{ tool: 'bash', edit: (root) => writeFiles(root, { a: '2\n' }) }]);
  await t.turn('two', [{ tool: 'bash', edit: (root) => writeFile(path.join(root, 'a'), randomBytes(40_000)) }]);
  await utimes(t.log, new Date(0), new Date(0));
  const env = { ...cleanEnv(folder), TURNBACK_DATA: path.join(folder, 'own-data') };
  const places = ['--root', t.root, '--data', t.dataDir];
  return { t, folder, env, answerId, command: (name: string, ...rest: string[]) => [name, t.log, ...rest, ...places] };
}

const UNHEARD =
  'The output could not be written. Cause: ENOSPC: no space left on device, write. What the command itself did stands. [OUTPUT_FAILED]\n';

describe.skipIf(process.platform !== 'linux')('where the system refuses', () => {
  test('output that a full disk does not take is told, and what a travel did stands', async () => {
    const { t, env, answerId, command } = await twoTurns();
    const all = [['--help'], command('show'), command('show', '--json'), command('patch', '1'), command('revert', answerId, '--json')];
    for (const args of all) expect([args[0], await inShell('"$@" >/dev/full', args, env)]).toEqual([args[0], { exit: 1, stderr: UNHEARD }]);
    expect(await readFile(path.join(t.root, 'a'), 'utf8')).toBe('2\n');
    expect((await runCli(command('unrevert'), env)).exit).toBe(0);
  });

  test('messages for people that a full disk does not take change nothing', async () => {
    const { env, command } = await twoTurns();
    expect((await inShell('"$@" 2>/dev/full >/dev/null', command('patch', '1'), env)).exit).toBe(0);
    expect((await inShell('"$@" 2>/dev/full', command('revert', 'nobody'), env)).exit).toBe(1);
  });

  test('an own folder that cannot be made is named, and no fault of the program', async () => {
    const { folder, env, command } = await twoTurns();
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const ran = await runCli(command('show'), { ...env, TURNBACK_DATA: path.join(file, 'own') });
    expect([ran.exit, ran.stderr.includes(file), ran.stderr.endsWith('Put that right, then try again. [SYSTEM_FAILED]\n')]).toEqual([
      ...[1, true, true],
    ]);
  });

  test('files that may not grow stop a travel before anything is written', async () => {
    const { t, env, answerId, command } = await twoTurns();
    const before = await manifest(t.root, { mtimes: true });
    const ran = await inShell('ulimit -f 16; "$@"', command('revert', answerId), env);
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringMatching(/EFBIG.*\[SYSTEM_FAILED\]\n$/)]);
    expect(await manifest(t.root, { mtimes: true })).toEqual(before);
    expect((await runCli(command('recover'), env)).stdout).not.toContain('revert');
  });
});
