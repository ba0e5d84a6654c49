import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endGroup } from '../../electron/snapshots/end-group.ts';
import { findGitProgram } from '../../electron/snapshots/git-program.ts';
import { startOfProcess, thisHost } from '../../electron/snapshots/process-alive.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const { platform } = process;
const onPlatform = (name: string): void => void Object.defineProperty(process, 'platform', { value: name });

afterEach(() => {
  onPlatform(platform);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

describe('the end of a process and all it started', () => {
  const child = (pid: number | undefined) => {
    const signals: string[] = [];
    let closed = (): void => undefined;
    const destroyed: string[] = [];
    const pipe = (name: string) => ({ destroy: () => destroyed.push(name) });
    return {
      pid,
      signals,
      destroyed,
      stdin: pipe('stdin'),
      stdout: pipe('stdout'),
      stderr: null,
      kill: (signal: NodeJS.Signals) => signals.push(signal) > 0,
      once: (_event: 'close', listener: () => void) => {
        closed = listener;
      },
      close: () => closed(),
    };
  };

  it('is asked for first, and forced after a while on the group; what holds its pipes is let go', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const one = child(4711);
    endGroup(one);
    expect(kill.mock.calls).toEqual([[-4711, 'SIGTERM']]);
    vi.advanceTimersByTime(199);
    expect(one.destroyed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(kill.mock.calls).toEqual([
      [-4711, 'SIGTERM'],
      [-4711, 'SIGKILL'],
    ]);
    expect(one.destroyed).toEqual(['stdin', 'stdout']);
  });

  it('is not forced when it ended in time', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const one = child(4711);
    endGroup(one);
    one.close();
    vi.advanceTimersByTime(1000);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(one.destroyed).toEqual([]);
  });

  it('is no error when it is gone already, and one when it may not be ended', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill');
    for (const code of ['ESRCH', 'EPERM']) {
      kill.mockImplementation(() => {
        throw systemError(code);
      });
      endGroup(child(4711));
    }
    kill.mockImplementation(() => {
      throw systemError('EINVAL');
    });
    expect(() => endGroup(child(4711))).toThrow('EINVAL');
    kill.mockImplementation(() => {
      throw new Error('no code');
    });
    expect(() => endGroup(child(4711))).toThrow('no code');
  });

  it('is that of the process alone on Windows, and nothing for one that never started', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill');
    onPlatform('win32');
    const one = child(4711);
    endGroup(one);
    const never = child(undefined);
    endGroup(never);
    vi.advanceTimersByTime(500);
    expect([one.signals, never.signals]).toEqual([['SIGTERM', 'SIGKILL'], []]);
    expect(kill).not.toHaveBeenCalled();
  });
});

describe('the start of a process', () => {
  it('tells two processes of one id apart, and is the same as long as it runs', async () => {
    const own = startOfProcess(process.pid);
    expect(own).toMatch(/^\d+$/);
    expect(startOfProcess(process.pid)).toBe(own);
    const child = spawn('sleep', ['30']);
    const pid = child.pid ?? 0;
    expect(startOfProcess(pid)).toMatch(/^\d+$/);
    expect(startOfProcess(pid)).not.toBe(own);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(startOfProcess(pid)).toBeUndefined();
    expect(thisHost.split(' ').filter(Boolean)).toHaveLength(3);
  });

  it('is none of one that has ended, though nobody has asked for its exit code yet', async () => {
    const child = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 30']);
    const [line] = await once(child.stdout, 'data');
    await expect.poll(() => startOfProcess(Number(line))).toBeUndefined();
    // It is still there to be asked.
    expect(process.kill(Number(line), 0)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('is unknown where a system does not tell, or the process is another user’s there', () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw systemError('EPERM');
    });
    onPlatform('darwin');
    expect(startOfProcess(1)).toBeNull();
    kill.mockImplementation(() => {
      throw systemError('EINVAL');
    });
    expect(() => startOfProcess(1)).toThrow('EINVAL');
    // Alive a moment ago, and gone when its facts are read.
    onPlatform('linux');
    kill.mockReturnValue(true);
    expect(startOfProcess(2 ** 30)).toBeNull();
  });
});

describe('the git on PATH', () => {
  it('is the first program of that name in a folder with a whole path', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, {
      'plain/git': 'no program',
      'first/git': { content: '#!/bin/sh\n', mode: 0o755 },
      'second/git': { content: '#!/bin/sh\n', mode: 0o755 },
      'windows/git.exe': { content: '', mode: 0o755 },
    });
    await mkdir(path.join(folder, 'afolder', 'git'), { recursive: true });
    await chmod(path.join(folder, 'plain', 'git'), 0o644);
    const on = (...names: string[]): string =>
      names.map((name) => (name.startsWith('.') || name === '' ? name : path.join(folder, name))).join(':');
    expect(findGitProgram({ PATH: on('.', '', 'missing', 'plain', 'afolder', 'first', 'second') })).toBe(path.join(folder, 'first', 'git'));
    expect([findGitProgram({ PATH: on('.', 'plain') }), findGitProgram({}), findGitProgram({ PATH: '' })]).toEqual([null, null, null]);
    const windows = path.join(folder, 'windows');
    expect(findGitProgram({ Path: `C;${windows}` }, 'win32')).toBe(path.join(windows, 'git.exe'));
    expect(findGitProgram({ PATH: windows }, 'win32')).toBe(path.join(windows, 'git.exe'));
    expect(findGitProgram({}, 'win32')).toBeNull();
  });
});

describe('the environment of git', () => {
  it('on Windows has no home either, and keeps only what programs need to run there', async () => {
    onPlatform('win32');
    vi.resetModules();
    const { neutralEnvironment, wholePath, forcedOptions } = await import('../../electron/snapshots/git-neutral.ts');
    const env = neutralEnvironment({ Path: '/x', SystemRoot: 'C:\\Windows', TEMP: 'C:\\T', GIT_DIR: '/evil', USERPROFILE: 'C:\\Users\\u' });
    expect(Object.keys(env).sort()).toEqual(
      [
        ...[
          'GIT_ATTR_NOSYSTEM',
          'GIT_CONFIG_GLOBAL',
          'GIT_CONFIG_NOSYSTEM',
          'GIT_NO_REPLACE_OBJECTS',
          'GIT_OPTIONAL_LOCKS',
          'GIT_TERMINAL_PROMPT',
        ],
        ...['HOME', 'LANGUAGE', 'LC_ALL', 'PATH', 'SystemRoot', 'TEMP', 'XDG_CONFIG_HOME'],
      ].sort(),
    );
    expect([env['GIT_CONFIG_GLOBAL'], env['PATH'], env['HOME']]).toEqual(['NUL', '/x', expect.stringContaining('turnback-nowhere-')]);
    expect([wholePath({ PATH: '/y' }), forcedOptions.includes('core.longpaths=true')]).toEqual(['/y', true]);
    vi.resetModules();
  });

  it('elsewhere has the usual folders when there is no PATH, and takes no variable but the four', async () => {
    const { neutralEnvironment, forcedOptions } = await import('../../electron/snapshots/git-neutral.ts');
    expect(neutralEnvironment({})['PATH']).toBe('/usr/local/bin:/usr/bin:/bin');
    expect(neutralEnvironment({ PATH: '.::rel:/abs' })['PATH']).toBe('/abs');
    expect(neutralEnvironment({}, { GIT_INDEX_FILE: '/i' })['GIT_INDEX_FILE']).toBe('/i');
    expect(() => neutralEnvironment({}, { GIT_DIR: '/x' })).toThrow('the variable GIT_DIR may not be passed to git');
    expect(forcedOptions.includes('core.symlinks=true')).toBe(true);
  });
});
