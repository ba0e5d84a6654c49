import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { alternatesFile, alternatesVariable } from '../../electron/snapshots/alternates.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { findGitProgram } from '../../electron/snapshots/git-program.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { makeLab } from './lab.ts';

const { platform } = process;

/** The modules as they are on that system: some look at it once, when they are loaded. */
beforeEach(() => {
  Object.defineProperty(process, 'platform', { value: 'win32' });
  vi.resetModules();
});

afterEach(() => {
  Object.defineProperty(process, 'platform', { value: platform });
  vi.resetModules();
});

it('folders of objects are named with slashes and parted by semicolons', () => {
  expect(alternatesFile(['C:\\Users\\u v\\objects', 'D:\\x'])).toBe('C:/Users/u v/objects\nD:/x\n');
  expect(alternatesVariable(['C:\\a', 'D:\\b;c'])).toBe('C:/a;"D:/b;c"');
});

it('a file has no exec bit to compare, but its kind and bytes', async () => {
  const { sameAsEntry } = await import('../../electron/snapshots/disk.ts');
  const oid = 'a'.repeat(40);
  const file = { kind: 'file', mode: 0o666, size: 1, mtimeMs: 0, oid } as const;
  const same = (['100644', '100755', '120000', '160000'] as const).map((mode) => sameAsEntry(file, { mode, oid }));
  expect(same).toEqual([true, true, false, false]);
  expect(sameAsEntry(file, { mode: '100755', oid: 'b'.repeat(40) })).toBe(false);
});

it('files are opened without the flags that it lacks, and kept whole', async () => {
  const program = findGitProgram(process.env, 'linux') ?? '';
  const lab = await makeLab({ git: createGit({ command: [program] }) });
  const large = Buffer.alloc(3 * 1024 * 1024, 'words ');
  await writeFiles(lab.root, { small: 'small', large });
  const store = await lab.safety();
  const { capturePaths } = await import('../../electron/snapshots/capture.ts');
  const { openRegular } = await import('../../electron/snapshots/regular-file.ts');
  const { tree, bytes } = await capturePaths(store, { root: lab.root, paths: ['small', 'large'] });
  expect([tree, bytes]).toEqual([lab.snap(), large.length + 5]);
  const handle = await openRegular(path.join(lab.root, 'small'));
  expect(await handle.readFile('utf8')).toBe('small');
  await handle.close();
});

it('a host is known by its name, where a system tells no more', async () => {
  const { thisHost } = await import('../../electron/snapshots/process-alive.ts');
  expect(thisHost).toBe(os.hostname());
});

it('a process that nobody asks anything is let go after half a second, since its open files could not be removed', async () => {
  vi.useFakeTimers();
  try {
    const { BatchProcess } = await import('../../electron/snapshots/batch-process.ts');
    const oid = 'a'.repeat(40);
    let ended = false;
    let leave = (_exit: number): void => undefined;
    const batch = new BatchProcess(
      () => ({
        write: () => undefined,
        stdout: (async function* () {})(),
        each: async (take) => {
          await Promise.resolve();
          take(Buffer.from(`${oid} blob 1\n`));
          await new Promise(() => undefined);
        },
        end: () => {
          ended = true;
          leave(0);
        },
        done: new Promise((resolve) => {
          leave = resolve;
        }),
        kill: () => undefined,
        stderr: () => '',
      }),
      false,
    );
    expect(await batch.ask(oid, 0)).toMatchObject({ type: 'blob', size: 1 });
    await vi.advanceTimersByTimeAsync(499);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toBe(true);
    await batch.close();
  } finally {
    vi.useRealTimers();
  }
});
