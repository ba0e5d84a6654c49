import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit, type Git } from '../../electron/snapshots/git.ts';
import { findGitProgram } from '../../electron/snapshots/git-program.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { collect } from './lab.ts';

async function caught(promise: Promise<unknown>): Promise<TurnbackError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TurnbackError) return error;
  throw new Error(`expected a TurnbackError, got ${String(error)}`);
}

/** A program that stands in for git. */
async function fakeGit(script: string): Promise<{ git: Git; folder: string }> {
  const folder = await tempFolder();
  const file = path.join(folder, 'git');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return { git: createGit({ command: [file] }), folder };
}

const call = { name: 'probe', args: ['probe'], gitDir: '/dev/null' };

describe('the program', () => {
  it('is found on PATH by an absolute path, and never in a relative folder', async () => {
    const folder = await tempFolder();
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'git'), '#!/bin/sh\n');
    expect(findGitProgram({ PATH: bin })).toBeNull();
    await chmod(path.join(bin, 'git'), 0o755);
    expect(findGitProgram({ PATH: `.::${folder}:${bin}` })).toBe(path.join(bin, 'git'));
    const away = path.relative(process.cwd(), bin);
    expect(findGitProgram({ PATH: away })).toBeNull();
    expect(findGitProgram({})).toBeNull();
  });

  it('is a reason where it is missing, until it is there', async () => {
    const folder = await tempFolder();
    const git = createGit({ env: { PATH: folder } });
    expect((await caught(git.version())).code).toBe('NO_GIT');
    expect((await caught(git.run(call))).code).toBe('NO_GIT');
    expect(() => git.start(call)).toThrow(TurnbackError);
    await writeFile(path.join(folder, 'git'), '#!/bin/sh\necho git version 2.50.1\n');
    await chmod(path.join(folder, 'git'), 0o755);
    expect(await git.version()).toEqual({ text: '2.50.1', major: 2, minor: 50 });
    // Gone again: it is looked for anew.
    await rm(path.join(folder, 'git'));
    expect((await caught(git.run(call))).code).toBe('NO_GIT');
    expect((await caught(git.run(call))).code).toBe('NO_GIT');
  });

  it('is a reason where the command that runs it is missing', async () => {
    const git = createGit({ command: ['/nowhere/docker', 'exec', 'box', 'git'] });
    expect((await caught(git.run(call))).code).toBe('NO_GIT');
    const process = git.start(call);
    expect((await caught(process.done)).code).toBe('NO_GIT');
  });
});

describe('the version', () => {
  it.each([
    ['2.26.0', { text: '2.26.0', major: 2, minor: 26 }],
    ['2.39.5 (Apple Git-154)', { text: '2.39.5 (Apple Git-154)', major: 2, minor: 39 }],
    ['2.47.1.windows.2', { text: '2.47.1.windows.2', major: 2, minor: 47 }],
    ['3.0.0-rc0', { text: '3.0.0-rc0', major: 3, minor: 0 }],
  ])('%s is taken', async (text, expected) => {
    const { git } = await fakeGit(`echo 'git version ${text}'`);
    expect(await git.version()).toEqual(expected);
  });

  it.each(['2.25.4', '1.9.1', '0.1'])('%s is too old', async (text) => {
    const { git } = await fakeGit(`echo 'git version ${text}'`);
    const error = await caught(git.version());
    expect(error.code).toBe('GIT_TOO_OLD');
    expect(error.message).toContain(text);
  });

  it('is asked once', async () => {
    const { git, folder } = await fakeGit(`echo x >> "$(dirname "$0")/calls"; echo git version 2.40.0`);
    await Promise.all([git.version(), git.version()]);
    await git.version();
    expect(execFileSync('cat', [path.join(folder, 'calls')]).toString()).toBe('x\n');
  });

  it('that cannot be read is a failure', async () => {
    const { git } = await fakeGit('echo something else');
    expect((await caught(git.version())).code).toBe('GIT_FAILED');
  });
});

describe('the git that the user chose', () => {
  it('is run instead of the one on PATH, from the moment on that it is chosen, and its version is asked anew', async () => {
    const folder = await tempFolder();
    for (const version of ['2.40.0', '2.41.0']) {
      await writeFile(path.join(folder, version), `#!/bin/sh\necho git version ${version}\n`);
      await chmod(path.join(folder, version), 0o755);
    }
    let chosen: string | null = path.join(folder, '2.40.0');
    const git = createGit({ chosen: () => chosen });
    expect((await git.version()).minor).toBe(40);
    chosen = path.join(folder, '2.41.0');
    expect((await git.version()).minor).toBe(41);
    chosen = null;
    expect((await git.version()).text).toBe(execFileSync('git', ['version']).toString().trim().replace('git version ', ''));
    chosen = path.join(folder, 'gone');
    expect((await caught(git.run(call))).code).toBe('NO_GIT');
    // One that is there and no program is a failure with its cause, as it would be no help to install git.
    chosen = folder;
    expect(await caught(git.run(call))).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('EACCES') });
    const process = git.start(call);
    expect((await caught(process.done)).code).toBe('GIT_FAILED');
  });

  it('is a failure, not a missing one, where it is there and what would run it is not', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'git');
    await writeFile(file, '#!/nowhere/sh\n');
    await chmod(file, 0o755);
    expect(await caught(createGit({ chosen: () => file }).run(call))).toMatchObject({ code: 'GIT_FAILED' });
  });
});

describe('what git is started with', () => {
  const poison = {
    GIT_DIR: '/decoy',
    GIT_WORK_TREE: '/decoy',
    GIT_INDEX_FILE: '/decoy/index',
    GIT_OBJECT_DIRECTORY: '/decoy/objects',
    GIT_ALTERNATE_OBJECT_DIRECTORIES: '/nope',
    GIT_CONFIG_PARAMETERS: "'core.bare=true'",
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: '/decoy',
    GIT_EXTERNAL_DIFF: 'touch /tmp/PWN',
    GIT_TRACE: '1',
    GIT_DEFAULT_HASH: 'sha256',
    LC_ALL: 'de_DE.UTF-8',
    LANGUAGE: 'de',
    HOME: '/home/tester',
    XDG_CONFIG_HOME: '/home/tester/.config',
    LD_PRELOAD_NOT: 'x',
    PATH: process.env['PATH'],
  };

  it('is an environment made from nothing', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'git');
    await writeFile(file, '#!/bin/sh\nenv -0\n');
    await chmod(file, 0o755);
    const git = createGit({ command: [file], env: poison });
    const { stdout } = await git.run({ ...call, env: { GIT_INDEX_FILE: '/mine', GIT_LITERAL_PATHSPECS: '1' } });
    const seen = stdout
      .toString()
      .split('\0')
      .filter((line) => line !== '' && !/^(?:PWD|SHLVL|_|OLDPWD)=/.test(line));
    expect(seen.sort()).toEqual(
      [
        `PATH=${process.env['PATH']}`,
        'HOME=/dev/null',
        'XDG_CONFIG_HOME=/dev/null',
        'GIT_CONFIG_NOSYSTEM=1',
        'GIT_CONFIG_GLOBAL=/dev/null',
        'GIT_ATTR_NOSYSTEM=1',
        'GIT_TERMINAL_PROMPT=0',
        'GIT_OPTIONAL_LOCKS=0',
        'GIT_NO_REPLACE_OBJECTS=1',
        'LC_ALL=C',
        'LANGUAGE=',
        'GIT_INDEX_FILE=/mine',
        'GIT_LITERAL_PATHSPECS=1',
      ].sort(),
    );
  });

  it('lets no other variable of git through', async () => {
    const { git } = await fakeGit('true');
    await expect(git.run({ ...call, env: { GIT_DIR: '/x' } })).rejects.toThrow('GIT_DIR may not be passed');
    await expect(git.run({ ...call, env: { PATH: '/x' } })).rejects.toThrow('PATH may not be passed');
  });

  it('always names the git dir, and the work tree and folder that were given', async () => {
    const { git } = await fakeGit(`printf '%s\\0' "$@"`);
    const args = async (more: object): Promise<string[]> =>
      (await git.run({ ...call, ...more })).stdout.toString().split('\0').filter(Boolean);
    expect(await args({ gitDir: '/a b/x.git' })).toEqual(expect.arrayContaining(['--git-dir=/a b/x.git', 'probe']));
    expect(await args({ workTree: '/w t' })).toEqual(expect.arrayContaining(['-C', '/w t', '--work-tree=/w t']));
    const both = await args({ workTree: '/w', cwd: '/c' });
    expect(both[both.indexOf('-C') + 1]).toBe('/c');
    expect(both.at(-1)).toBe('probe');
    for (const key of ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'protocol.allow=never', 'core.attributesFile=/dev/null'])
      expect(both[both.indexOf(key) - 1]).toBe('-c');
  });

  it('behind a prefix the environment travels as arguments and the prefix keeps its own', async () => {
    const folder = await tempFolder();
    const box = path.join(folder, 'box');
    await writeFile(box, '#!/bin/sh\necho "$DOCKER_HOST" > "$(dirname "$0")/host"\ntest -z "$GIT_DIR" || exit 9\nshift\nexec "$@"\n');
    await chmod(box, 0o755);
    const git = createGit({
      command: [box, 'exec', 'git'],
      env: { PATH: process.env['PATH'], DOCKER_HOST: 'unix:///x', GIT_DIR: '/decoy' },
    });
    expect((await git.version()).major).toBe(2);
    await mkdir(path.join(folder, 'r.git'));
    const { stdout } = await git.run({
      name: 'hash-object',
      args: ['hash-object', '--stdin'],
      gitDir: path.join(folder, 'r.git'),
      stdin: Buffer.from('a\0b'),
    });
    expect(stdout.toString().trim()).toBe(
      execFileSync('git', ['hash-object', '--stdin'], { input: 'a\0b', cwd: folder }).toString().trim(),
    );
    expect(execFileSync('cat', [path.join(folder, 'host')]).toString()).toBe('unix:///x\n');
  });
});

describe('a run', () => {
  it('hands bytes in and out as they are', async () => {
    const { git } = await fakeGit('cat');
    const bytes = Buffer.from([...Array(256).keys(), 0, 255]);
    expect((await git.run({ ...call, stdin: bytes })).stdout).toEqual(bytes);
  });

  it('takes the exit codes that are answers and throws for others, with the first line git said', async () => {
    const { git } = await fakeGit('printf "\\nerste \\033[31mZeile.\\nzweite\\n" >&2; exit 3');
    const result = await git.run({ ...call, okExits: [0, 3] });
    expect(result.exit).toBe(3);
    const error = await caught(git.run(call));
    expect(error.code).toBe('GIT_FAILED');
    expect(error.message).toBe(
      'git probe failed with exit code 3. Cause: erste  [31mZeile. Nothing was written; try again, and if it stays so check git and the disk.',
    );
  });

  it('does not mind a git that leaves before it read all its input', async () => {
    const { git } = await fakeGit('exit 0');
    expect((await git.run({ ...call, stdin: Buffer.alloc(8 * 1024 * 1024) })).exit).toBe(0);
  });

  it('stops at the output limit', async () => {
    const { git } = await fakeGit('yes 0123456789');
    const error = await caught(git.run({ ...call, maxBytes: 100_000 }));
    expect(error.code).toBe('GIT_FAILED');
    expect(error.message).toContain('more than 100000 bytes');
  });

  it('stops after its time', async () => {
    const { git } = await fakeGit('sleep 30');
    const begin = performance.now();
    const error = await caught(git.run({ ...call, timeoutMs: 100 }));
    expect(error.message).toContain('longer than 100 ms');
    expect(performance.now() - begin).toBeLessThan(2000);
  });

  it('that a signal of the system ended is a failure, and of endless words only the first are kept', async () => {
    const { git } = await fakeGit('echo dying >&2; kill -KILL $$');
    const error = await caught(git.run(call));
    expect(error.message).toBe(
      'git probe failed with exit code -1. Cause: dying. Nothing was written; try again, and if it stays so check git and the disk.',
    );
    const { git: talker } = await fakeGit('head -c 1000000 /dev/zero | tr "\\0" x >&2');
    const { stderr } = await talker.run(call);
    expect([stderr.length >= 65_536, stderr.length < 200_000]).toEqual([true, true]);
    const process = talker.start(call);
    process.end();
    await collect(process.stdout);
    await process.done;
    expect([process.stderr().length >= 65_536, process.stderr().length < 200_000]).toEqual([true, true]);
  });

  it('kept from the start by a signal starts nothing', async () => {
    const { git, folder } = await fakeGit('touch "$(dirname "$0")/ran"');
    expect((await caught(git.run({ ...call, signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
    expect(() => execFileSync('ls', [path.join(folder, 'ran')], { stdio: 'ignore' })).toThrow();
  });

  it('that is cancelled takes with it what it started, also when that does not listen', async () => {
    const { git, folder } = await fakeGit(
      `trap '' TERM; d=$(dirname "$0"); sh -c 'trap "" TERM; echo $$ > "$0/child"; while :; do sleep 0.05; done' "$d" & echo $$ > "$d/self"; wait; while :; do sleep 0.05; done`,
    );
    const abort = new AbortController();
    const running = caught(git.run({ ...call, signal: abort.signal }));
    const pids = ['self', 'child'].map((name) => path.join(folder, name));
    await expect.poll(() => pids.every((file) => execFileSync('sh', ['-c', `cat ${file} 2>/dev/null || true`]).length > 0)).toBe(true);
    const numbers = pids.map((file) => Number(execFileSync('cat', [file]).toString()));
    const begin = performance.now();
    abort.abort();
    expect((await running).code).toBe('CANCELLED');
    expect(performance.now() - begin).toBeLessThan(500);
    for (const pid of numbers)
      await expect
        .poll(() =>
          execFileSync('sh', ['-c', `ps -o stat= -p ${pid} || true`])
            .toString()
            .trim()
            .replace(/^Z.*/, ''),
        )
        .toBe('');
  });
});

describe('a process that is talked to', () => {
  it('answers as it is asked and ends when its input does', async () => {
    const { git } = await fakeGit('cat');
    const process = git.start(call);
    process.write(Buffer.from('one\n'));
    process.write(Buffer.from([0xff, 0]));
    process.end();
    expect(await collect(process.stdout)).toEqual(Buffer.from([...Buffer.from('one\n'), 0xff, 0]));
    expect(await process.done).toBe(0);
  });

  it('tells its exit code and words, or -1 when it was killed', async () => {
    const { git } = await fakeGit('echo broken >&2; read x; exit 7');
    const first = git.start(call);
    first.end();
    await collect(first.stdout);
    expect(await first.done).toBe(7);
    expect(first.stderr()).toBe('broken\n');
    const { git: sleeper } = await fakeGit('exec sleep 30');
    const second = sleeper.start(call);
    second.kill();
    expect(await second.done).toBe(-1);
  });

  it('hands over its output until what takes it fails, and that is told', async () => {
    const { git } = await fakeGit('echo one; sleep 0.1; echo two');
    const process = git.start(call);
    process.end();
    let taken = 0;
    const handed = process.each(() => {
      taken += 1;
      throw new Error('no room');
    });
    await expect(handed).rejects.toThrow('no room');
    expect([await process.done, taken]).toEqual([0, 1]);
    await expect(async () => git.start({ ...call, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('ends with its signal', async () => {
    const { git } = await fakeGit('exec sleep 30');
    const abort = new AbortController();
    const process = git.start({ ...call, signal: abort.signal });
    abort.abort();
    expect(await process.done).toBe(-1);
  });
});
