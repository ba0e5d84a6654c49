import { appendFile, mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import { logIdOfFile } from '../../../electron/threads/tanstack/jsonl-store.ts';
import { parentOf, readLogHead } from '../../../electron/threads/tanstack/log-head.ts';
import { hasObject } from '../../../electron/threads/tanstack/object-presence.ts';
import { mayHaveTable } from '../../../electron/threads/tanstack/sqlite-schema.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { answer, applied, call, custom, event, handLog, input, plainTurn, say, settled, transcript, user } from './hand-log.ts';

const codes = (reader: ThreadReader): string[] => reader.thread().notices.map((one) => one.code);

describe('live events', () => {
  test('of sub-agents name the thread of a call, by any of the names that there are', async () => {
    const log = await handLog();
    await log.batch(
      transcript(0, user('u1'), call('a1', ['c1', 'agent'], ['c2', 'agent'], ['c3', 'agent'], ['c4', 'agent'])),
      event({ type: 'SUBAGENT_STARTED', toolCallId: 'c1', subagentRunId: 'r1', threadId: 'kid' }),
      event({ type: 'SUBAGENT_STARTED', parentToolCallId: 'c2', subagentRunId: 'r2' }),
      event({ type: 'SUBAGENT_STARTED', toolCallId: 'c3' }),
      event({ type: 'SUBAGENT_STARTED', subagentRunId: 'r4' }),
    );
    expect((await log.open()).thread().messages[1]?.tools.map((one) => one.child)).toEqual(['kid', 'subagent:r2', null, null]);
  });

  test('that ask a question make the thread wait until the call is answered; a cancelled answer is none', async () => {
    const log = await handLog();
    const finished = (outcome: unknown) => event({ type: 'RUN_FINISHED', outcome, timestamp: 9 });
    const status = async () => (await log.open()).thread().messages[1]?.tools.map((one) => one.status);
    await log.batch(input('i1'), applied('i1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'], ['c2', 'bash'])));
    await log.batch(finished({ type: 'interrupt', interrupts: [{ id: 'q1', toolCallId: 'c1' }, 'junk', { toolCallId: 'c2' }] }));
    expect(await status()).toEqual(['needs-approval', 'needs-approval']);
    await log.batch(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c2', state: 'cancelled', timestamp: 9 }));
    expect(await status()).toEqual(['needs-approval', 'needs-approval']);
    await log.batch(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c2', metadata: { state: 'output-error' }, timestamp: 9 }));
    expect((await status())?.[0]).toBe('needs-approval');
    expect((await status())?.[1]).not.toBe('needs-approval');
    await log.batch(finished({ type: 'success' }));
    expect((await status())?.[0]).not.toBe('needs-approval');
  });

  test('measure a call from the end of its arguments, and only where both times are there in their order', async () => {
    const log = await handLog();
    const end = (id: string, timestamp: unknown) => event({ type: 'TOOL_CALL_END', toolCallId: id, timestamp });
    const result = (id: string, timestamp: unknown) => event({ type: 'TOOL_CALL_RESULT', toolCallId: id, content: 'ok', timestamp });
    await log.batch(input('i1'), applied('i1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'], ['c2', 'bash'], ['c3', 'bash'])));
    await log.batch(end('c1', 100), result('c1', 175), end('c2', 100), result('c2', 50), end('c3', 'now'), result('c3', 50));
    await log.batch(event({ type: 'TOOL_CALL_END', timestamp: 1 }), event({ type: 'TOOL_CALL_RESULT', timestamp: 1 }), {
      type: 'harness.event',
    });
    await log.batch(transcript(2, answer('c1'), answer('c2'), answer('c3')), settled('i1'));
    expect((await log.open()).thread().messages[1]?.tools.map((one) => one.durationMs)).toEqual([75, null, null]);
  });

  test('of the snapshot plugin say why a step has no snapshot, in whatever shape the words come', async () => {
    const failed = async (value: unknown): Promise<string | undefined> => {
      const log = await handLog();
      await log.batch(input('i1'), applied('i1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'])));
      await log.batch(
        custom('harness.plugin.event', { plugin: 'tanstack/snapshots', name: 'track.failed', value }),
        transcript(2, answer('c1')),
      );
      await log.batch(transcript(3, say('a2')), settled('i1'));
      const { steps, notices } = (await log.open()).thread();
      return [...steps.map((step) => step.captured), ...notices]
        .flatMap((one) => (typeof one === 'object' && one ? [one.message] : []))
        .join('|');
    };
    expect(await failed('disk full')).toContain('disk full');
    expect(await failed({ message: 'no space' })).toContain('no space');
    expect(await failed({ error: 'no inode' })).toContain('no inode');
    expect(await failed({ code: 7 })).toContain('the snapshot failed');
    expect(await failed(undefined)).toContain('the snapshot failed');
  });
});

describe('the start of a log', () => {
  test('tells the parent by the id', () => {
    expect(['t', 'kid:agent', 'subagent:r1', 't:scout:in1', 'a:b:scout:in1', 't/agent/r1', '/agent/r1'].map(parentOf)).toEqual([
      null,
      'kid',
      null,
      't',
      'a:b',
      't',
      null,
    ]);
    expect(['/s/a%2Fb.jsonl', '/s/100%.jsonl'].map(logIdOfFile)).toEqual(['a/b', '100%']);
  });

  test('is read behind a byte-order mark, without its last newline, and behind a first line of a megabyte', async () => {
    const log = await handLog();
    await log.bytes('\ufeff');
    await plainTurn(log, 1, 0);
    await log.bytes(JSON.stringify([{ ...transcript(0, user('k')), thread: 'kid' }]));
    expect(await readLogHead(log.file)).toEqual({ threads: ['kid'], title: 'prompt u1', root: null, turns: 1, files: null });
    const long = await handLog();
    await long.batch(transcript(0, user('u1', 'long '.repeat(200_000))));
    expect(await readLogHead(long.file)).toEqual({ threads: [], title: null, root: null, turns: null, files: null });
    for (const [bytes, what] of [
      ['\n \n', 'blank lines'],
      ['{"type":"harness.transcript"}\n', 'objects'],
      ['[{"no":"type"}]\n[7]\n', 'lists of others'],
    ]) {
      const other = await handLog();
      await other.bytes(bytes ?? '');
      expect([what, await readLogHead(other.file)]).toEqual([what, null]);
    }
  });

  test('does not name all that share the log: those are looked for in all of it, whatever lines cannot be read', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch({ ...transcript(0, user('k')), thread: 'kid' }, { type: 'acme/x', thread: 't1' }, { type: 'acme/x', thread: 7 });
    await log.bytes('{"thread":"lost"}\n[{"thread":"torn"\n');
    await log.batch({ type: 'acme/x', thread: 'late' });
    await mkdir(path.join(log.folder, 'home', '.tanstack-harness-empty'), { recursive: true });
    const places = { home: path.join(log.folder, 'home'), env: {} };
    const heads = await tanstack.locate(log.file, places);
    expect(heads.map(({ threadId, parent, title }) => [threadId, parent, title])).toEqual([
      ['t1', null, 'prompt u1'],
      ['kid', 't1', null],
      ['late', 't1', null],
    ]);
    expect(await tanstack.list(places)).toEqual({ threads: [], problems: [] });
  });

  test('a folder, a pipe or nothing in its place is refused', async () => {
    const log = await handLog();
    await expect(readLogHead(path.dirname(log.file))).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await expect(readLogHead(`${log.file}.gone`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await tanstack.head?.(`${log.file}.gone`, 't1', { home: log.folder, env: {} })).toBeNull();
  });
});

describe('the metadata beside a log', () => {
  test('counts as missing where it is no object, and is a notice where it is damaged', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const file = path.join(log.folder, 'save', 'metadata.json');
    await writeFile(file, '[1]');
    const reader = await log.open();
    expect(codes(reader)).toEqual([]);
    await writeFile(file, '{broken');
    expect(await reader.read()).toBe(true);
    expect(codes(reader)).toEqual(['LOG_UNREADABLE']);
    expect(await reader.liveSign()).toBeNull();
  });
});

test('a turn that runs in a log beside this one is a sign of life in the same folder, and none elsewhere or long ago', async () => {
  const log = await handLog();
  await plainTurn(log, 1, 0);
  const other = path.join(path.dirname(log.file), 'other.jsonl');
  await writeFile(other, `${JSON.stringify([input('i1'), applied('i1'), transcript(0, user('x'))])}\n`);
  const sign = async (root: string | null) => (await log.open({ root })).liveSign();
  const running = 'a turn of the thread other is running in this workspace';
  expect([await sign(null), await sign(log.folder)]).toEqual([running, running]);
  const settings = { 'harness:settings': { other: { cwd: '/elsewhere' } } };
  await writeFile(path.join(log.folder, 'save', 'metadata.json'), JSON.stringify(settings));
  expect([await sign(null), await sign(log.folder)]).toEqual([running, null]);
  await utimes(other, 1, 1);
  expect(await sign(null)).toBeNull();
  await utimes(other, new Date(), new Date());
  await appendFile(other, `${JSON.stringify([settled('i1')])}\n`);
  expect(await sign(null)).toBeNull();
});

test('a line that could not be read is shown as it is; other lines are no messages', async () => {
  const log = await handLog();
  await log.bytes('{"not":"a batch"}\n');
  await plainTurn(log, 1, 0);
  const reader = await log.open();
  expect((await reader.body('line:1')).parts).toEqual([{ kind: 'raw', type: 'unreadable line', json: '{"not":"a batch"}' }]);
  for (const id of ['line:2', 'line:x', 'nobody']) await expect(reader.body(id)).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  expect(reader.recorded?.()).toBeNull();
});

test('records that are no messages are one row, the first fifty of them shown, and none of a log that became another', async () => {
  const log = await handLog();
  for (let n = 0; n < 60; n += 1) await log.batch({ type: 'acme/x', n });
  const reader = await log.open();
  const [row] = reader.thread().messages;
  expect([row?.excerpt, reader.thread().messages.length]).toEqual(['acme/x ×60', 1]);
  const { parts } = await reader.body(row?.id ?? '');
  expect([parts.length, parts.at(-1)]).toEqual([
    50,
    { kind: 'raw', type: 'acme/x', json: JSON.stringify({ type: 'acme/x', n: 49 }, null, 2) },
  ]);
  await writeFile(log.file, (await readFile(log.file, 'utf8')).replaceAll('[', '{'));
  expect((await reader.body(row?.id ?? '')).parts).toEqual([]);
});

test('an event of a plugin that gives no name, or another one, is no failed snapshot', async () => {
  const log = await handLog();
  await log.batch(input('i1'), applied('i1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'])));
  await log.batch(
    custom('harness.plugin.event', {}),
    custom('harness.plugin.event', { plugin: 'acme', name: 'failed' }),
    custom('harness.plugin.event', { plugin: 'tanstack/snapshots', name: 'tracked' }),
    custom('harness.plugin.event', 'text'),
    custom('harness.operation.finished', {}),
  );
  await log.batch(transcript(2, answer('c1')), transcript(3, say('a2')), settled('i1'));
  const { steps, notices } = (await log.open()).thread();
  expect([...steps.map((step) => step.captured), ...notices]).toEqual(steps.map(() => true));
});

describe('contents of every kind', () => {
  test('are shown: texts, images with and without bytes, thinking, and what is not known as it is', async () => {
    const log = await handLog();
    const parts = [
      'plain',
      7,
      { type: 'text', text: 'older' },
      { type: 'text' },
      { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
      { type: 'image', source: { type: 'url', value: 'https://x.test/a.png' }, mediaType: 'image/gif' },
      { type: 'image', data: 'data:image/png;base64,BBBB' },
      { type: 'image' },
      { no: 'type' },
    ];
    await log.batch(transcript(0, user('u1', parts), { ...say('a1', ''), thinking: [{ content: 'hm' }, 'odd', {}] }));
    await log.batch(
      transcript(2, call('a2', ['c1', 'bash']), answer('c1', '{"exitCode":3}'), answer('c1', '{oops'), answer('c1', '', { error: 'no' })),
    );
    await log.batch(
      transcript(6, {
        role: 'tool',
        toolCallId: 'c1',
        content: [{ type: 'text', content: 'out' }, 'more', { type: 'image', data: 'CCCC' }],
      }),
    );
    const reader = await log.open();
    expect((await reader.body('u1')).parts).toEqual([
      { kind: 'text', text: 'plain' },
      { kind: 'raw', type: 'number', json: '7' },
      { kind: 'text', text: 'older' },
      { kind: 'text', text: '' },
      { kind: 'image', mediaType: 'image/png', data: 'AAAA' },
      { kind: 'image', mediaType: 'image/gif', data: null },
      { kind: 'image', mediaType: 'image', data: 'BBBB' },
      { kind: 'image', mediaType: 'image', data: null },
      { kind: 'raw', type: 'part', json: '{\n  "no": "type"\n}' },
    ]);
    expect((await reader.body('a1')).parts).toEqual([{ kind: 'thinking', text: 'hm' }]);
    const outputs = await Promise.all(
      reader
        .thread()
        .messages.slice(3)
        .map(async (one) => (await reader.body(one.id)).parts),
    );
    expect(outputs).toMatchObject([
      [{ kind: 'output', text: '{"exitCode":3}', exit: 3, failed: false }],
      [{ kind: 'output', text: '{oops', exit: null }],
      [{ kind: 'output', text: 'no', failed: true }],
      [
        { kind: 'output', text: 'out\nmore' },
        { kind: 'image', data: 'CCCC' },
      ],
    ]);
  });
});

describe('files that look like others', () => {
  test('a pack index of another version, or one that ends early, holds no object that anyone can name', async () => {
    const folder = await tempFolder();
    const id = 'ab'.repeat(20);
    const index = (version: number, names: Buffer): Buffer => {
      const head = Buffer.alloc(8 + 1024);
      head.writeUInt32BE(0xff744f63, 0);
      head.writeUInt32BE(version, 4);
      for (let lead = 0xab; lead < 256; lead += 1) head.writeUInt32BE(1, 8 + lead * 4);
      return Buffer.concat([head, names]);
    };
    const whole = Buffer.from(id, 'hex');
    const holds = async (bytes: Buffer): Promise<boolean> => {
      await writeFiles(folder, { 'pack/pack-1.idx': bytes, 'pack/pack-1.pack': '' });
      return hasObject(folder, id);
    };
    expect(await holds(index(2, whole))).toBe(true);
    expect([await holds(index(3, whole)), await holds(index(2, whole.subarray(0, 19))), await holds(Buffer.alloc(2000))]).toEqual([
      false,
      false,
      false,
    ]);
    await mkdir(path.join(folder, 'ab', 'ab'.repeat(19)), { recursive: true });
    expect(await hasObject(folder, id)).toBe(false);
    expect(await hasObject(path.join(folder, 'pack', 'pack-1.idx'), id)).toBe(false);
    // What cannot be looked at is not taken to be missing.
    await symlink('ring', path.join(folder, 'ring'));
    await expect(hasObject(path.join(folder, 'ring'), id)).rejects.toMatchObject({ code: 'ELOOP' });
    await mkdir(path.join(folder, 'other'));
    await symlink('pack', path.join(folder, 'other', 'pack'));
    await expect(hasObject(path.join(folder, 'other'), id)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  test('a database whose schema pages lead nowhere, in a circle or past the end has no table', async () => {
    const folder = await tempFolder();
    const page = (size: number, fill: (bytes: Buffer) => void): Buffer => {
      const bytes = Buffer.alloc(size);
      bytes.write('SQLite format 3\0', 0, 'latin1');
      bytes.writeUInt16BE(size === 65_536 ? 1 : size, 16);
      fill(bytes);
      return bytes;
    };
    const interior = (bytes: Buffer): void => {
      bytes[100] = 0x05;
      bytes.writeUInt16BE(40_000, 103);
      bytes.writeUInt32BE(1, 108);
      bytes.writeUInt16BE(bytes.length - 2, 112);
      bytes.writeUInt16BE(200, 114);
      bytes.writeUInt32BE(99, 200);
    };
    const leaf = (bytes: Buffer): void => {
      bytes[100] = 0x0d;
      bytes.write('tanstack_log', 200);
    };
    const has = async (bytes: Buffer): Promise<boolean> => {
      await writeFile(path.join(folder, 'x.db'), bytes);
      return mayHaveTable(path.join(folder, 'x.db'), 'tanstack_log');
    };
    expect(await has(page(1024, interior))).toBe(false);
    expect([await has(page(1024, leaf)), await has(page(65_536, leaf)), await has(page(256, leaf))]).toEqual([true, true, false]);
    expect([await has(page(1024, leaf).subarray(0, 105)), await has(Buffer.from('SQLite'))]).toEqual([false, false]);
    await mkdir(path.join(folder, 'x.db-wal'));
    await expect(has(page(1024, interior))).rejects.toThrow();
  });
});
