import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldSurface } from '../../electron/threads/dsh/surface.ts';
import { validateLog } from '../../electron/threads/dsh/validator.ts';
import type { DshSample } from '../scenarios/dsh.ts';
import {
  answerEvents,
  type DshSession,
  dshSession,
  fakeHost,
  notesFiles,
  openWithoutWrites,
  promptEvents,
  recordedChanges,
  restorableChanges,
} from '../scenarios/dsh-session.ts';
import { type CliRun, runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, manifest } from '../scenarios/temp.ts';

interface Shown {
  thread: {
    id: string;
    source: string;
    standing: null | { messageId: string; hidden: number; pending?: string };
    can: Record<string, unknown>;
    notices: { code: string }[];
  };
  turns: { index: number; status: string; steps: string[] }[];
  messages: { stop: number | null; id: string; role: string; text: string; hidden: null | { reason: string } }[];
}
interface Previewed {
  files: { path: string; verb: string }[];
  skipped: { path: string }[];
  sideEffects: { tool: string }[];
  refusal: null | { code: string; message: string };
  recall?: { text: string; log: string; changed: { path: string }[] };
}
interface Refused {
  error: { code: string; message: string };
}

function cliOf(session: DshSession): (...args: string[]) => Promise<CliRun> {
  const env = { ...cleanEnv(session.folder), HOME: session.home, ...session.env };
  return (...args) => runCli([...args, '--json'], env);
}

const stops = (shown: Shown): number[] =>
  shown.messages.flatMap((message) => (message.role === 'user' && message.stop !== null ? [message.stop - 1] : []));

describe('every recorded session opens', () => {
  const SAMPLES: [DshSample, 'v0-plain' | 'v0-zstd' | 'v3-plain' | 'v3-zstd', number, string][] = [
    ['session-sample-a', 'v0-plain', 3, 'UNSUPPORTED_FORMAT'],
    ['session-sample-a', 'v0-zstd', 3, 'UNSUPPORTED_FORMAT'],
    ['session-sample-a', 'v3-plain', 3, 'CHANGES_LOST'],
    ['session-sample-a', 'v3-zstd', 3, 'CHANGES_LOST'],
    ['session-sample-a-recalled', 'v3-plain', 4, 'CHANGES_LOST'],
    ['session-sample-a-recalled', 'v3-zstd', 4, 'CHANGES_LOST'],
    ['session-sample-b', 'v3-plain', 3, 'CHANGES_NOT_READY'],
    ['session-sample-b', 'v3-zstd', 3, 'CHANGES_NOT_READY'],
    ['session-sample-b-open', 'v0-plain', 2, 'UNSUPPORTED_FORMAT'],
    ['session-sample-b-open', 'v0-zstd', 2, 'UNSUPPORTED_FORMAT'],
    ['session-sample-b-open', 'v3-plain', 2, 'CHANGES_NOT_READY'],
    ['session-sample-b-open', 'v3-zstd', 2, 'CHANGES_NOT_READY'],
  ];
  for (const [sample, form, turns, code] of SAMPLES) {
    test(`${sample} (${form}): shown whole; taking its first prompt back is refused (${code}), by preview and by revert`, async () => {
      const session = await dshSession(sample, form);
      const cli = cliOf(session);
      const before = await manifest(session.folder, { mtimes: true, skip: ['own-data'] });
      const shown = (await cli('show', session.log)).json<Shown>();
      expect(shown.thread).toMatchObject({ id: `dsh:${sample}`, source: 'dsh', standing: null });
      expect(shown.turns.length).toBe(turns);
      const first = stops(shown)[0] ?? -1;
      const previewed = await cli('preview', shown.thread.id, `stop:${first}`);
      expect([previewed.exit, previewed.json<Previewed>().refusal?.code]).toEqual([1, code]);
      const reverted = await cli('revert', shown.thread.id, `stop:${first}`);
      expect([reverted.exit, reverted.json<Refused>().error.code]).toEqual([1, code]);
      expect(reverted.stderr).toContain(reverted.json<Refused>().error.message);
      expect(await manifest(session.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
    });
  }
});

describe('a recall on the command line', () => {
  test('take-back of the last prompt writes the tombstone into the open step and gives the text back', async () => {
    const session = await openWithoutWrites();
    const cli = cliOf(session);
    const before = await session.bytes();
    const shown = (await cli('show', session.log)).json<Shown>();
    const prompt = shown.messages.findLast((message) => message.role === 'user');
    const previewed = (await cli('preview', shown.thread.id, `stop:${(prompt?.stop ?? 0) - 1}`)).json<Previewed>();
    expect(previewed).toMatchObject({ refusal: null, files: [], recall: { log: 'appended', text: prompt?.text, changed: [] } });
    expect(previewed.sideEffects.map((effect) => effect.tool)).toEqual(['bash']);
    const back = await cli('take-back', shown.thread.id, prompt?.id ?? '');
    expect(back.exit).toBe(0);
    expect(back.json()).toMatchObject({ log: 'appended', files: [], text: 'Write extra.txt, then run the long command' });
    const log = await session.read();
    expect((await session.bytes()).subarray(0, before.length).equals(before)).toBe(true);
    expect(validateLog(log.header, log.events)).toBeNull();
    expect(log.events.slice(-2).map((event) => event.type)).toEqual(['tool/result', 'system/message']);
    expect(foldSurface(log.events).nodes.at(-1)).toBe(log.events.length - 1);
    const after = (await cli('show', shown.thread.id)).json<Shown>();
    expect(after.messages.filter((message) => message.hidden?.reason === 'recalled').map((message) => message.id)).toContain(prompt?.id);
    expect(after.thread.can).toMatchObject({
      unrevert: { code: 'RECALL_FINAL' },
      undo: { code: 'NOT_SUPPORTED' },
      redo: { code: 'NOT_SUPPORTED' },
    });
    for (const command of ['unrevert', 'undo', 'redo']) expect((await cli(command, shown.thread.id)).exit).toBe(1);
    const { entries } = (await cli('history', shown.thread.id)).json<{ entries: { kind: string }[] }>();
    expect(entries.map((entry) => entry.kind)).toEqual(['recall']);
    // What was recalled cannot be recalled again.
    expect((await cli('take-back', shown.thread.id, prompt?.id ?? '')).json<Refused>().error.code).toBe('STOP_DROPPED');
  });

  test('a live session is refused by name, and nothing is written', async () => {
    const session = await openWithoutWrites();
    const before = await session.bytes();
    const lock = path.join(path.dirname(session.log), 'session.lock');
    await writeFile(lock, '');
    const holder = spawn('flock', ['-x', lock, '-c', 'echo held; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    await once(holder.stdout, 'data');
    const run = await cliOf(session)('revert', session.log, 'stop:8');
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    expect([run.exit, run.json<Refused>().error.code]).toEqual([1, 'LOG_LIVE']);
    expect(run.json<Refused>().error.message).toMatch(/process \d+ holds session\.lock/);
    expect((await session.bytes()).equals(before)).toBe(true);
  });

  test('between turns it is planned: show and doctor tell, a later revert carries it out, unrevert drops it', async () => {
    const session = await dshSession('session-sample-a-recalled');
    const cli = cliOf(session);
    const shown = (await cli('show', session.log)).json<Shown>();
    const stop = stops(shown).at(-1) ?? -1;
    const planned = await cli('revert', shown.thread.id, `stop:${stop}`);
    expect(planned.json()).toMatchObject({ log: 'pending', message: expect.stringContaining('not yet effective') });
    const again = (await cli('show', shown.thread.id)).json<Shown>();
    expect(again.thread.standing).toMatchObject({ hidden: 2, pending: 'waits' });
    expect((await runCli(['show', shown.thread.id], { ...cleanEnv(session.folder), HOME: session.home })).stdout).toContain(
      'Recall planned, not yet effective: it takes effect when DSH opens the next step.',
    );
    expect((await cli('doctor', shown.thread.id)).json()).toMatchObject({ pending: { stop, messages: 2 } });
    expect((await cli('revert', shown.thread.id, `stop:${stop}`)).json<Refused>().error.code).toBe('RECALL_PLANNED');
    expect((await cli('unrevert', shown.thread.id)).json()).toMatchObject({ message: 'The planned recall was dropped.', log: 'none' });
    // That this source keeps no snapshots is no fault of the thread; that its workspace is not there is one.
    const health = await cli('doctor', shown.thread.id);
    expect(health.json<{ problems: { code: string }[] }>().problems.map((one) => one.code)).toEqual(['NO_WORKSPACE']);
    expect(health.json<{ remarks: { code: string }[] }>().remarks.map((one) => one.code)).toContain('NO_SNAPSHOTS_DSH');
    expect((await cli('show', shown.thread.id)).json<Shown>().thread.standing).toBeNull();
    await cli('revert', shown.thread.id, `stop:${stop}`);
    await session.append(...promptEvents(5, 'Another job'));
    expect((await cli('revert', shown.thread.id, `stop:${stop}`)).json()).toMatchObject({ log: 'appended' });
    const log = await session.read();
    expect([validateLog(log.header, log.events), log.events.at(-1)?.sourceEventSeqs]).toEqual([null, [62, 63]]);
    // The other way: an answered prompt makes a plan stale, and that is told.
    const stale = await dshSession('session-sample-a-recalled');
    const other = cliOf(stale);
    await other('revert', stale.log, `stop:${stop}`);

    await stale.append(...promptEvents(5, 'Another job'), ...answerEvents(5, 'Done.'));
    expect((await other('show', stale.log)).json<Shown>().thread.notices.map((notice) => notice.code)).toContain('STALE_PENDING');
    expect((await other('doctor', stale.log)).json<{ problems: { code: string }[] }>().problems.map((one) => one.code)).toContain(
      'STALE_PENDING',
    );
  });
});

describe('the files of a recall', () => {
  test('stay unless they are asked for; with a host that holds the lists they go back exactly', async () => {
    const session = await dshSession('session-sample-a');
    const host = await fakeHost(await restorableChanges());
    const cli = cliOf(session);
    const token = path.join(session.folder, 'token');
    await writeFile(token, `${host.env.TURNBACK_DSH_TOKEN}\n`);
    const flags = ['--root', session.root, '--dsh-url', host.env.TURNBACK_DSH_URL, '--dsh-token-file', token];
    const before = await manifest(session.root);
    const messages = (await cli('preview', session.log, 'stop:0', ...flags)).json<Previewed>();
    expect([messages.refusal, messages.files, messages.recall?.changed.length]).toEqual([null, [], 6]);
    const plain = await runCli(['preview', session.log, 'stop:0', ...flags], { ...cleanEnv(session.folder), HOME: session.home });
    expect(plain.stdout).toContain('left as they are (--restore-files puts them back)');
    expect(plain.stdout).toContain('  turn 1  old.txt\n');
    const files = (await cli('preview', session.log, 'stop:0', '--restore-files', ...flags)).json<Previewed>();
    expect(files.files.map((file) => `${file.verb} ${file.path}`)).toEqual([
      'restore crlf.txt',
      'delete new.txt',
      'restore nonl.txt',
      'restore notes.txt',
      'recreate old.txt',
    ]);
    expect(await manifest(session.root)).toEqual(before);
    const done = await cli('revert', session.log, 'stop:0', '--restore-files', ...flags);
    expect([done.exit, done.json<{ log: string }>().log]).toEqual([0, 'pending']);
    const wanted = await notesFiles('beforeTurn1');
    for (const name of ['notes.txt', 'old.txt', 'crlf.txt', 'nonl.txt'])
      expect([name, await readFile(path.join(session.root, name))]).toEqual([name, wanted[name]]);
    expect(await readdir(session.root)).not.toContain('new.txt');
    const { entry } = done.json<{ entry: string }>();
    expect((await cli('restore', session.log, entry)).exit).toBe(0);
    expect(await manifest(session.root)).toEqual(before);
  });

  test('with a renamed and a binary one the whole is refused, both named', async () => {
    const session = await dshSession('session-sample-a', 'v3-zstd');
    Object.assign(session.env, (await fakeHost(await recordedChanges())).env);
    const cli = cliOf(session);
    const before = await manifest(session.folder, { mtimes: true, skip: ['own-data'] });
    const { refusal, skipped } = (await cli('preview', session.log, 'stop:0', '--restore-files', '--root', session.root)).json<Previewed>();
    expect(refusal?.code).toBe('NOT_RESTORABLE');
    expect(refusal?.message).toMatch(/bin\.dat.*moved\.txt/);
    expect(skipped.map((one) => one.path)).toEqual(['bin.dat', 'moved.txt']);
    expect((await cli('revert', session.log, 'stop:0', '--scope', 'both')).json<Refused>().error.code).toBe('NOT_RESTORABLE');
    expect(await manifest(session.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
  });

  test('the token is never an argument', async () => {
    const session = await dshSession('session-sample-a');
    const cli = cliOf(session);
    const run = await cli('preview', session.log, 'stop:0', '--dsh-token', 'secret-words');
    expect([run.exit, run.json<Refused>().error.code]).toEqual([2, 'USAGE']);
    expect(run.stderr + run.stdout).not.toContain('secret-words');
    expect((await cli('preview', session.log, 'stop:0', '--dsh-token-file', '/nowhere/token')).json<Refused>().error.code).toBe(
      'FILE_UNREADABLE',
    );
    expect((await cli('revert', session.log, 'stop:0', '--restore-files', '--scope', 'messages')).exit).toBe(2);
    const far = (await cli('preview', session.log, 'stop:0', '--dsh-url', 'http://example.org')).json<Previewed>();
    expect(far.refusal).toMatchObject({
      code: 'HOST_UNREACHABLE',
      message: expect.stringContaining('only an http address of this machine'),
    });
  });
});
