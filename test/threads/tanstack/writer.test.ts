import { appendFile, chmod, mkdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LogWriter, ThreadReader } from '../../../electron/threads/source.ts';
import { appendLine } from '../../../electron/threads/tanstack/jsonl-append.ts';
import { lockRefusal } from '../../../electron/threads/tanstack/refusals.ts';
import { tanstackScenario } from '../../scenarios/tanstack.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { applied, call, custom, event, HandLog, handLog, input, plainTurn, settled, step, transcript, tree, user } from './hand-log.ts';

function writerOf(reader: ThreadReader): LogWriter {
  if (reader.writer === null) throw new Error('the thread has no writer');
  return reader.writer;
}

async function rest(file: string): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  await utimes(file, past, past);
}

const codesOf = async (reader: ThreadReader) => (await writerOf(reader).refusals()).map((one) => one.code);

describe('an append', () => {
  test('is one line behind what was there, byte for byte, and the fold goes on with it', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const reader = await log.open();
    const writer = writerOf(reader);
    const before = await readFile(log.file);
    const batch = writer.revert({ stop: 1, now: tree('a'), files: ['x y', 'ü'], at: 42 });
    const position = writer.position();
    expect(await writer.unmoved()).toBe(true);
    await writer.append(batch);
    expect(await readFile(log.file, 'utf8')).toBe(
      `${before.toString()}[{"type":"harness.revert","revert":{"messageId":"u1","files":{"now":"${tree('a')}","files":["x y","ü"]}}},` +
        `{"type":"harness.event","operationId":"session","event":{"type":"CUSTOM","name":"harness.revert","value":{"messageId":"u1"},"timestamp":42}}]\n`,
    );
    expect(await writer.unmoved()).toBe(false);
    expect(await reader.read()).toBe(true);
    expect(writer.position()).not.toBe(position);
    expect(await writer.unmoved()).toBe(true);
    expect(reader.thread().standing?.messageId).toBe('u1');
    await writer.append(writer.unrevert(43));
    await reader.read();
    expect(reader.thread().standing).toBeNull();
  });

  test('writes nothing when the log grew, shrank or was rewritten since', async () => {
    for (const change of [
      (file: string) => appendFile(file, '[{"type":"acme/x"}]\n'),
      (file: string) => appendFile(file, '[{"torn'),
      (file: string) => truncate(file, 10),
      async (file: string) => {
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.replace(/settled/g, 'SETTLED'));
      },
    ]) {
      const log = await handLog();
      await plainTurn(log, 1, 0);
      const reader = await log.open();
      const writer = writerOf(reader);
      const batch = writer.revert({ stop: 1, now: null, files: null, at: 1 });
      await change(log.file);
      const before = await readFile(log.file);
      await expect(writer.append(batch)).rejects.toMatchObject({ code: 'LOG_MOVED' });
      expect(await readFile(log.file)).toEqual(before);
      expect(await writer.unmoved()).toBe(false);
    }
  });

  test('says when the disk refuses, and the file is as it was', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const reader = await log.open();
    const writer = writerOf(reader);
    const deep: unknown[] = [];
    let inner: unknown[] = deep;
    for (let k = 0; k < 100_000; k += 1) {
      const next: unknown[] = [];
      inner.push(next);
      inner = next;
    }
    const before = await readFile(log.file);
    await expect(writer.append([{ type: 'x', deep }])).rejects.toMatchObject({ code: 'LOG_UNWRITABLE' });
    expect(await readFile(log.file)).toEqual(before);
    const folder = { identity: 'x', offset: 0, line: 0, anchor: '', open: false };
    await expect(appendLine(path.dirname(log.file), folder, [])).rejects.toMatchObject({ code: 'LOG_UNWRITABLE' });
    await expect(appendLine(path.join(log.folder, 'none.jsonl'), folder, [])).rejects.toMatchObject({ code: 'LOG_UNWRITABLE' });
    await expect(stat(path.join(log.folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('that a crash cut off is taken back, and nothing that is whole or anybody else wrote', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const reader = await log.open();
    const writer = writerOf(reader);
    const before = await readFile(log.file);
    const batch = writer.revert({ stop: 1, now: tree('a'), files: ['x'], at: 42 });
    const position = writer.position();
    const line = `${JSON.stringify(batch)}\n`;
    const left = async (behind: string): Promise<string> => {
      await writeFile(log.file, Buffer.concat([before, Buffer.from(behind)]));
      await writer.withdraw(position, batch);
      return (await readFile(log.file, 'utf8')).slice(before.length);
    };
    for (const length of [1, line.length >> 1, line.length - 1]) expect(await left(line.slice(0, length))).toBe('');
    for (const stays of ['', line, `${line}[`, '[{"type":"app.note"}', `${line.slice(0, 9)}x`, `${line.slice(0, 9)}\n[]\n`]) {
      expect(await left(stays)).toBe(stays);
    }
    await writeFile(log.file, Buffer.concat([before.subarray(0, before.length - 3), Buffer.from(line.slice(0, 3))]));
    await writer.withdraw(position, batch);
    expect((await readFile(log.file)).length).toBe(before.length);
  });

  test('of several writers at once: one writes, the others are told that the log moved and leave nothing', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const readers = await Promise.all([log.open(), log.open(), log.open()]);
    const results = await Promise.allSettled(
      readers.map((reader, k) => writerOf(reader).append(writerOf(reader).revert({ stop: 1, now: null, files: null, at: k }))),
    );
    const fresh = await log.open();
    const written = results.filter((one) => one.status === 'fulfilled').length;
    expect(written).toBe(1);
    expect((await readFile(log.file, 'utf8')).split('\n').filter(Boolean)).toHaveLength(2 + written);
    expect(fresh.thread().bad).toEqual([]);
    for (const one of results) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'LOG_MOVED' });
  });
});

describe('writing is refused', () => {
  test('not at all for a log that rests and is understood', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    expect(await codesOf(await log.open())).toEqual([]);
  });

  test('while an input is open', async () => {
    for (const [op, open] of [
      ['prompt', true],
      ['agent', true],
      ['reset', true],
      ['command', false],
    ] as const) {
      const log = await handLog();
      await plainTurn(log, 1, 0);
      await log.batch(input('x', op), applied('x'));
      expect(await codesOf(await log.open())).toEqual(open ? ['LOG_RUNNING'] : []);
    }
  });

  test('while a question waits', async () => {
    const log = await handLog();
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'])));
    await log.batch(event({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id: 'q', toolCallId: 'c1' }] } }));
    await log.batch(settled('in1', 'interrupted'));
    expect(await codesOf(await log.open())).toEqual(['LOG_WAITING']);
  });

  test('when metadata says that a turn waits', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await writeFile(
      path.join(log.folder, 'save', 'metadata.json'),
      JSON.stringify({ 'harness:interrupted': { t1: { runId: 'r', interrupts: [] } } }),
    );
    const reader = await log.open();
    expect(reader.thread().status).toBe('waiting');
    expect(await codesOf(reader)).toEqual(['LOG_WAITING']);
  });

  test('for records that are not understood, a torn tail, a bad line, a projection', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch({ type: 'harness.owner', hostId: 'h' });
    await log.bytes('x\n');
    await log.batch(transcript(40, user('u2')));
    await log.bytes('[{');
    const reasons = await writerOf(await log.open()).refusals();
    expect(reasons.map((one) => one.code)).toEqual(['LOG_NOT_UNDERSTOOD', 'LOG_BAD_LINE', 'LOG_PROJECTED', 'LOG_TORN']);
    expect(reasons.map((one) => one.message)).toEqual([
      expect.stringContaining('harness.owner'),
      expect.stringContaining('Line 4 '),
      expect.any(String),
      expect.stringContaining('last 2 bytes'),
    ]);
  });

  test('when the log grew since the last look', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const reader = await log.open();
    await log.batch({ type: 'acme/x' });
    expect(await codesOf(reader)).toEqual(['LOG_MOVED']);
  });

  test('while the log grows', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const reader = await log.open();
    const timer = setInterval(() => void log.batch(custom('x', {})), 100);
    onTestFinished(() => clearInterval(timer));
    expect(await reader.liveSign()).toBe('the log grows');
    expect(await codesOf(reader)).toEqual(['LOG_LIVE']);
    clearInterval(timer);
  });

  test('when the log may not be written', async (context) => {
    if (process.getuid?.() === 0) context.skip();
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await chmod(log.file, 0o444);
    expect(await codesOf(await log.open())).toEqual(['LOG_READ_ONLY']);
  });

  test('while a lock lies in the snapshot repository, or a recorder holds log or repository', async () => {
    const t = await tanstackScenario(await tempFolder());
    await writeFiles(t.root, { 'a.txt': 'one' });
    await t.turn('first', [{ tool: 'bash', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two') }]);
    const log = new HandLog(t.folder, t.log);
    await writeFile(path.join(t.gitDir, 'index.lock'), '');
    expect(await codesOf(await log.open())).toEqual(['STORE_BUSY']);
    expect((await stat(path.join(t.gitDir, 'index.lock'))).size).toBe(0);
    // One that lies there since long is not waited for.
    await utimes(path.join(t.gitDir, 'index.lock'), new Date(0), new Date(0));
    const refusal = lockRefusal(t.gitDir);
    await sleep(100);
    await rm(path.join(t.gitDir, 'index.lock'));
    expect(await refusal).toMatchObject({ code: 'STORE_BUSY' });
    const now = Date.now();
    const lease = {
      version: 1,
      owner: 'o',
      pid: process.pid,
      started: null,
      host: 'elsewhere',
      hostName: 'box',
      since: now,
      renewed: now,
      ttl: 1000,
    };
    for (const held of [t.gitDir, t.log]) {
      await writeFile(`${held}.lease`, JSON.stringify(lease));
      const reader = await log.open();
      expect(await reader.liveSign()).toBe(`a recorder holds it: process ${process.pid} on box`);
      expect(await codesOf(reader)).toEqual(['LOG_LIVE']);
      await writeFile(`${held}.lease`, '{"version":2}');
      expect(await (await log.open()).liveSign()).toContain('says that a recorder holds it');
      await rm(`${held}.lease`);
    }
    expect(await codesOf(await log.open())).toEqual([]);
  });

  test('while a turn runs in another log of the app that may work in the same folder', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await rest(log.file);
    const other = new HandLog(log.folder, path.join(path.dirname(log.file), 'other.jsonl'));
    await other.batch(input('in1'), applied('in1'));
    expect(await (await log.open({ root: '/w' })).liveSign()).toBe('a turn of the thread other is running in this workspace');
    const metadata = (cwd: string) =>
      writeFile(path.join(log.folder, 'save', 'metadata.json'), JSON.stringify({ 'harness:settings': { other: { cwd } } }));
    await metadata('/elsewhere');
    expect(await (await log.open({ root: '/w' })).liveSign()).toBeNull();
    await metadata('/w');
    expect(await (await log.open({ root: '/w' })).liveSign()).not.toBeNull();
    await rest(other.file);
    expect(await (await log.open({ root: '/w' })).liveSign()).not.toBeNull();
    const old = new Date(Date.now() - 3_600_000);
    await utimes(other.file, old, old);
    expect(await (await log.open({ root: '/w' })).liveSign()).toBeNull();
  });

  test('when the workspace is not known although files would change, or is another one', async () => {
    const log = await handLog();
    await log.batch(
      input('in1'),
      applied('in1'),
      transcript(0, user('u1'), call('a1', ['c1', 'bash'])),
      step('1', '2', ['a'], ['c1']),
      settled('in1'),
    );
    expect(await codesOf(await log.open())).toEqual(['UNKNOWN_WORKSPACE']);
    const t = await tanstackScenario(await tempFolder(), { knowsRoot: false });
    await writeFiles(t.root, { 'a.txt': 'one' });
    await t.turn('first', [{ tool: 'bash', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two') }]);
    const wrong = path.join(t.folder, 'other');
    await mkdir(wrong);
    const reader = await new HandLog(t.folder, t.log).open({ root: wrong });
    expect(reader.thread().notices.map((one) => one.code)).toEqual(['WRONG_WORKSPACE']);
    expect(await codesOf(reader)).toEqual(['WRONG_WORKSPACE']);
    for (const root of [t.root, `${t.root}/`]) expect(await codesOf(await new HandLog(t.folder, t.log).open({ root }))).toEqual([]);
  });
});
