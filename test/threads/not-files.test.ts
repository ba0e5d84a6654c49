import { execFileSync } from 'node:child_process';
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { sources } from '../../electron/threads/sources.ts';
import { claudeSample } from '../scenarios/claude-code.ts';
import { copyDshSample } from '../scenarios/dsh.ts';
import { unpackOpencodeSample } from '../scenarios/opencode.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { tempFolder } from '../scenarios/temp.ts';

/** What stands where a file should: reading it would wait for ever, or never come to an end. */
const STRANGE: Readonly<Record<string, (file: string) => Promise<void> | void>> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a link to an endless device': (file) => symlink('/dev/zero', file),
  'a link to a pipe': async (file) => {
    execFileSync('mkfifo', [`${file}.pipe`]);
    await symlink(`${file}.pipe`, file);
  },
  'a folder': async (file) => void (await mkdir(file)),
  'a link in a ring': (file) => symlink(path.basename(file), file),
};

/** A store of each kind: its home, the log, and the files beside it that are read too. */
const STORES: Readonly<Record<string, (folder: string) => Promise<{ home: string; log: string; beside: string[] }>>> = {
  async tanstack(folder) {
    const made = await tanstackScenario(folder, { events: false });
    await made.turn('x', []);
    const home = path.join(folder, 'home');
    const save = path.join(home, '.tanstack-harness-x');
    await rename(made.save, save);
    const log = path.join(save, 'sessions', 'thread-1.jsonl');
    const store = path.join(save, 'snapshots', path.basename(made.gitDir));
    return {
      home,
      log,
      beside: [
        path.join(save, 'metadata.json'),
        `${log}.lease`,
        path.join(store, 'info', 'attributes'),
        path.join(store, 'objects', 'pack', 'x.idx'),
      ],
    };
  },
  async dsh(folder) {
    const home = path.join(folder, 'home');
    return { home, log: await copyDshSample(home, 'session-sample-a', 'v3-plain'), beside: [] };
  },
  async opencode(folder) {
    const { home, db } = await unpackOpencodeSample(folder, 't1');
    return { home, log: db, beside: [`${db}-wal`, `${db}-journal`] };
  },
  async 'claude-code'(folder) {
    const { home, log } = await claudeSample(folder, 'interactive', 'int_t1');
    return { home, log, beside: [] };
  },
};

describe.each(Object.keys(STORES))('%s', (kind) => {
  test.each(Object.keys(STRANGE))('%s in the place of a file is refused, and nothing waits for it', { timeout: 120_000 }, async (what) => {
    const folder = await tempFolder();
    const whole = await STORES[kind]?.(path.join(folder, 'whole'));
    const source = sources.find((one) => one.kind === kind);
    if (!whole || !source) throw new Error(kind);
    for (const file of [whole.log, ...whole.beside]) {
      const home = path.join(folder, 'home');
      await rm(home, { recursive: true, force: true });
      await cp(whole.home, home, { recursive: true, verbatimSymlinks: true });
      const places = { home, env: {} };
      const [before] = (await source.list(places)).threads;
      const strange = path.join(home, path.relative(whole.home, file));
      await rm(strange, { recursive: true, force: true });
      await STRANGE[what]?.(strange);
      await source.list(places);
      const codes: string[] = [];
      const told = (thrown: { code?: string }): void => void codes.push(thrown.code ?? String(thrown));
      await source.locate(strange, places).catch(told);
      if (before) {
        const reader = await source.open(before, { root: null, data: null, places, ownData: path.join(folder, 'own') }).catch(told);
        if (reader) {
          await reader
            .read()
            .then(() => reader.body(reader.thread().messages[0]?.id ?? ''))
            .catch(told);
          await reader.liveSign?.().catch(told);
          await reader.close();
        }
      }
      for (const code of codes)
        expect([file, code]).toEqual([
          file,
          expect.stringMatching(/^(?:NOT_FOUND|LOG_UNREADABLE|NOT_A_LOG|UNKNOWN_MESSAGE|EISDIR|ELOOP|ENOENT)$/),
        ]);
    }
  });
});
