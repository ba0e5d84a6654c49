import { appendFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { historyOf } from '../../electron/travel/history.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { record } from '../figures.ts';
import { type DshSession, dshSession, fakeHost, notesFiles, openWithoutWrites, restorableChanges } from '../scenarios/dsh-session.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, manifest } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { Faults, faultyFileSystem, systemError } from './faults.ts';
import { both, cutOff, lids, recover } from './recall-lab.ts';
import { DEFAULTS, revertTo } from './tanstack-travelling.ts';

/** Changes what an opened session log does, for the tests of this file alone. */
const logHandle = vi.hoisted(() => ({ wrap: null as ((handle: FileHandle) => void) | null, noLocks: false }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    access: async (...parts: Parameters<typeof real.access>) => {
      if (logHandle.noLocks && parts[0] === '/proc/locks') throw new Error('ENOENT: injected');
      return real.access(...parts);
    },
    open: async (...parts: Parameters<typeof real.open>) => {
      const handle = await real.open(...parts);
      if (typeof parts[1] === 'number' && String(parts[0]).includes('session.v3')) logHandle.wrap?.(handle);
      return handle;
    },
  };
});
afterEach(() => {
  logHandle.wrap = null;
  logHandle.noLocks = false;
});

const STOP = 8;
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: injected`), { code }));

describe('a tombstone that cannot be written', () => {
  const FAILURES: [name: string, wrap: (handle: FileHandle) => void][] = [
    ['the disk is full before the first byte', (handle) => void Object.assign(handle, { write: failing('ENOSPC') })],
    [
      'the disk is full in the middle',
      (handle) => {
        const write = handle.write.bind(handle);
        Object.assign(handle, {
          write: async (bytes: Buffer) => {
            await write(bytes.subarray(0, 40));
            throw Object.assign(new Error('ENOSPC: injected'), { code: 'ENOSPC' });
          },
        });
      },
    ],
    [
      'fewer bytes than asked for',
      (handle) => {
        const write = handle.write.bind(handle);
        Object.assign(handle, { write: (bytes: Buffer) => write(bytes.subarray(0, 40)) });
      },
    ],
    [
      'the disk fails while it is made durable',
      (handle) => {
        let syncs = 0;
        const sync = handle.sync.bind(handle);
        Object.assign(handle, { sync: () => (syncs++ === 0 ? failing('EIO')() : sync()) });
      },
    ],
  ];
  for (const [name, wrap] of FAILURES) {
    test(`${name}: the log has the end that it had, and the travel says so`, async () => {
      const session = await openWithoutWrites();
      const before = await session.bytes();
      const context = await session.context();
      logHandle.wrap = wrap;
      await expect(runTravel(context, revertTo(STOP, 'messages'), DEFAULTS)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
      logHandle.wrap = null;
      expect((await session.bytes()).equals(before)).toBe(true);
      expect(await cutOff(session)).toEqual([]);
      expect(await historyOf(context)).toEqual([]);
      expect(await runTravel(context, revertTo(STOP, 'messages'), DEFAULTS)).toMatchObject({ log: 'appended' });
      expect(await lids(session)).toBe(1);
    });
  }

  test('on a system that does not tell who holds the lock, a session that has one counts as open', async () => {
    const session = await openWithoutWrites();
    const before = await session.bytes();
    logHandle.noLocks = true;
    await writeFile(path.join(path.dirname(session.log), 'session.lock'), '');
    const context = await session.context();
    await expect(runTravel(context, revertTo(STOP, 'messages'), DEFAULTS)).rejects.toMatchObject({ code: 'LOG_LIVE' });
    expect((await session.bytes()).equals(before)).toBe(true);
    await rm(path.join(path.dirname(session.log), 'session.lock'));
    expect(await runTravel(context, revertTo(STOP, 'messages'), DEFAULTS)).toMatchObject({ log: 'appended' });
  });

  test('another program writes at the very moment: what we added behind it goes again, its record stays', async () => {
    const session = await openWithoutWrites();
    const before = await session.bytes();
    const line = `${JSON.stringify({ type: 'todo/write', seq: 34, time: 1, data: { todos: [] } })}\n`;
    logHandle.wrap = (handle) => {
      const write = handle.write.bind(handle);
      Object.assign(handle, {
        write: (bytes: Buffer) => {
          appendFileSync(session.log, line);
          return write(bytes);
        },
      });
    };
    await expect(runTravel(await session.context(), revertTo(STOP, 'messages'), DEFAULTS)).rejects.toMatchObject({ code: 'LOG_MOVED' });
    logHandle.wrap = null;
    expect((await session.bytes()).toString()).toBe(before.toString() + line);
    expect(await lids(session)).toBe(0);
  });

  test('half of it stays because nothing works any more: both ways out of it are whole', async () => {
    for (const how of ['finish', 'roll-back'] as const) {
      const session = await openWithoutWrites();
      const before = await session.bytes();
      logHandle.wrap = (handle) => {
        const write = handle.write.bind(handle);
        Object.assign(handle, {
          write: async (bytes: Buffer) => {
            await write(bytes.subarray(0, 100));
            throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
          },
          truncate: failing('EIO'),
        });
      };
      await expect(runTravel(await session.context(), revertTo(STOP, 'messages'), DEFAULTS)).rejects.toThrow();
      logHandle.wrap = null;
      expect((await session.bytes()).length).toBe(before.length + 100);
      const [result] = await recover(session, how);
      if (how === 'roll-back') expect((await session.bytes()).equals(before)).toBe(true);
      else expect([result?.log, await lids(session)]).toEqual(['appended', 1]);
      expect(await cutOff(session)).toEqual([]);
    }
  });
});

describe('files and tombstone are one', () => {
  test('both go, and restore brings the files back while the recall stays', async () => {
    const { session, context } = await both();
    const at = await context();
    const before = await manifest(session.root);
    const result = await runTravel(at, revertTo(0), DEFAULTS);
    expect(result).toMatchObject({ log: 'appended', message: 'Recalled: the thread stands before turn 1. 5 files put back.' });
    const wanted = await notesFiles('beforeTurn1');
    for (const name of ['crlf.txt', 'nonl.txt', 'notes.txt', 'old.txt']) {
      expect([name, await readFile(path.join(session.root, name))]).toEqual([name, wanted[name]]);
    }
    expect(await lids(session)).toBe(1);
    await runTravel(at, { kind: 'restore', stop: null, entry: result.entry, scope: 'files' }, DEFAULTS);
    expect(await manifest(session.root)).toEqual(before);
    expect((await viewOf(at)).messages.filter((message) => message.hidden?.reason === 'recalled').length).toBe(16);
  });

  test('the tombstone fails: the files are as they were', async () => {
    const { session, context } = await both();
    const at = await context();
    const [files, log] = [await manifest(session.root), await session.bytes()];
    logHandle.wrap = (handle) => void Object.assign(handle, { write: failing('ENOSPC') });
    await expect(runTravel(at, revertTo(0), DEFAULTS)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    logHandle.wrap = null;
    expect(await manifest(session.root)).toEqual(files);
    expect((await session.bytes()).equals(log)).toBe(true);
  });

  test(
    'a call fails, or the process ends at it, anywhere: all before, or all after, or both offered',
    async () => {
      const counting = await both();
      const count = new Faults();
      const whole = await counting.context(count);
      count.calls.length = 0;
      await runTravel(whole, revertTo(0), DEFAULTS);
      const after = await manifest(counting.session.root);
      expect(count.calls.length).toBeGreaterThan(50);
      const step = size(13, 1);
      let points = 0;
      for (let k = 1 + (seedOf() % step); k <= count.calls.length + 1; k += step) {
        for (const forever of [false, true]) {
          const { session, context } = await both();
          const [files, log] = [await manifest(session.root), await session.bytes()];
          const faults = new Faults();
          const at = await context(faults);
          faults.calls.length = 0;
          faults.failAt(k, systemError('EIO'), forever);
          const failed = await runTravel(at, revertTo(0), DEFAULTS).then(
            () => false,
            () => true,
          );
          const state = `call ${k}${forever ? ' and all later' : ''}: ${faults.calls[k - 1]}`;
          const open = await cutOff(session);
          if (open.length === 0) {
            // Nothing is open: the state is the one that the call told, or either where nobody was left to tell it.
            const went = (await session.bytes()).length > log.length;
            if (!forever) expect([state, went]).toEqual([state, !failed]);
            expect([state, await manifest(session.root)]).toEqual([state, went ? after : files]);
            continue;
          }
          const written = (await lids(session)) === 1;
          if (written) {
            await expect(recover(session, 'roll-back')).rejects.toMatchObject({ code: 'RECALL_WRITTEN' });
            await recover(session, 'finish');
            expect([state, await manifest(session.root), await lids(session)]).toEqual([state, after, 1]);
          } else if (k % 2 === 0) {
            await recover(session, 'roll-back');
            expect([state, await manifest(session.root), (await session.bytes()).equals(log)]).toEqual([state, files, true]);
          } else {
            await recover(session, 'finish');
            expect([state, await manifest(session.root), await lids(session)]).toEqual([state, after, 1]);
          }
          expect(await cutOff(session)).toEqual([]);
          expect((await readdir(session.root)).filter((name) => name.includes('.turnback-'))).toEqual([]);
        }
        points += 1;
      }
      record('crash', 'calls of a recall failed, and ended at', points);
    },
    size(400_000, 3_600_000),
  );

  test(
    'a plan with files: a call fails anywhere, and neither plan nor file is left over',
    async () => {
      const make = async (): Promise<DshSession> => {
        const session = await dshSession('session-sample-a');
        Object.assign(session.env, (await fakeHost(await restorableChanges())).env);
        return session;
      };
      const counting = await make();
      const count = new Faults();
      await runTravel(await counting.context({ fs: faultyFileSystem(count) }), revertTo(0), DEFAULTS);
      for (let k = 1 + (seedOf() % size(19, 1)); k <= count.calls.length; k += size(19, 1)) {
        const session = await make();
        const [files, log] = [await manifest(session.root), await session.bytes()];
        const faults = new Faults();
        faults.failAt(k, systemError('ENOSPC'));
        const context = await session.context({ fs: faultyFileSystem(faults) });
        const failed = await runTravel(context, revertTo(0), DEFAULTS).then(
          () => false,
          () => true,
        );
        if ((await cutOff(session)).length > 0) await recover(session, 'roll-back');
        else if (!failed) continue;
        expect([k, faults.calls[k - 1], await manifest(session.root)]).toEqual([k, faults.calls[k - 1], files]);
        expect((await session.bytes()).equals(log)).toBe(true);
        expect((await viewOf(await session.context())).standing).toBeNull();
      }
    },
    size(400_000, 3_600_000),
  );
});

describe('a process that is killed at the tombstone', () => {
  /** Loaded before the command line: ends the process where the session log is appended to. */
  const killer = (moment: 'before' | 'half' | 'after') => `
    const files = require('node:fs/promises');
    const open = files.open;
    files.open = async (file, ...rest) => {
      const handle = await open(file, ...rest);
      if (typeof rest[0] !== 'number' || !String(file).includes('session.v3')) return handle;
      const write = handle.write.bind(handle);
      handle.write = async (bytes) => {
        ${moment === 'before' ? '' : `await write(bytes${moment === 'half' ? '.subarray(0, bytes.length >> 1)' : ''});`}
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      };
      return handle;
    };`;

  for (const moment of ['before', 'half', 'after'] as const) {
    for (const how of ['finish', 'roll-back'] as const) {
      test(`${moment} the write, then ${how}`, async () => {
        const session = await openWithoutWrites();
        const before = await session.bytes();
        const env = { ...cleanEnv(session.folder), HOME: session.home };
        const hook = path.join(session.folder, 'kill.cjs');
        await writeFile(hook, killer(moment));
        const killed = await runCli(['revert', session.log, `stop:${STOP}`, '--root', session.root, '--json'], {
          ...env,
          NODE_OPTIONS: `--require ${hook}`,
        });
        expect(killed).toMatchObject({ exit: 255, stdout: '' });
        const torn = await session.bytes();
        expect(torn.subarray(0, before.length).equals(before)).toBe(true);
        expect([moment, torn.length > before.length]).toEqual([moment, moment !== 'before']);
        // What is torn is no event, so the thread opens as it was.
        const preview = await runCli(['preview', session.log, `stop:${STOP}`, '--json'], env);
        if (moment !== 'after') expect(preview.json<{ refusal: { code: string } }>().refusal.code).toBe('INTERRUPTED');
        if (moment === 'after' && how === 'roll-back') {
          await expect(recover(session, how)).rejects.toMatchObject({ code: 'RECALL_WRITTEN' });
          expect((await session.bytes()).equals(torn)).toBe(true);
          return;
        }
        const [result] = await recover(session, how);
        expect(result?.log).toBe(how === 'finish' ? 'appended' : 'none');
        expect(await lids(session)).toBe(how === 'finish' ? 1 : 0);
        if (how === 'roll-back') expect((await session.bytes()).equals(before)).toBe(true);
        expect(await cutOff(session)).toEqual([]);
      });
    }
  }
});

describe('two viewers', () => {
  test('of one session write one tombstone, also when they name different folders for it', async () => {
    const session = await openWithoutWrites();
    const env = { ...cleanEnv(session.folder), HOME: session.home };
    const args = ['revert', session.log, `stop:${STOP}`, '--json'];
    const runs = await Promise.all([
      runCli([...args, '--root', session.root], env),
      runCli([...args, '--root', session.home], env),
      runCli([...args, '--root', session.root], { ...env, TURNBACK_DATA: path.join(session.folder, 'another') }),
    ]);
    expect(runs.filter((run) => run.exit === 0).length).toBe(1);
    const codes = runs.filter((run) => run.exit !== 0).map((run) => run.json<{ error: { code: string } }>().error.code);
    for (const code of codes)
      expect(['LOG_MOVED', 'LOG_LIVE', 'PLAN_STALE', 'UNKNOWN_MESSAGE', 'NOTHING_AFTER', 'LEASE_HELD']).toContain(code);
    expect(await lids(session)).toBe(1);
  });
});
