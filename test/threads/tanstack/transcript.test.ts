import { describe, expect, test } from 'vitest';
import type { Thread } from '../../../shared/model.ts';
import {
  answer,
  applied,
  call,
  custom,
  handLog,
  input,
  plainTurn,
  type Rec,
  revert,
  say,
  settled,
  step,
  transcript,
  tree,
  user,
} from './hand-log.ts';

const rows = (thread: Thread) => thread.messages.map(({ id, stop, hidden }) => [id, stop, hidden?.reason ?? null]);
const codes = (thread: Thread) => thread.notices.map((notice) => notice.code);

describe('messages', () => {
  test('carry their first words, size, pictures, thinking and time, and their whole content on demand', async () => {
    const log = await handLog();
    const long = `${'ü'.repeat(239)}\u{1f600}tail`;
    const picture = { type: 'image', source: { type: 'data', mediaType: 'image/png', value: 'QUJD' } };
    await log.batch(
      transcript(
        0,
        { id: 'u1', role: 'user', content: [{ type: 'text', content: 'look' }, picture], createdAt: '2026-10-01T12:00:00.000Z' },
        { id: 'a1', role: 'assistant', content: long, thinking: [{ content: 'hm', signature: 's' }], createdAt: 1234 },
        { id: 'x1', role: 'developer', content: null, createdAt: 'nonsense' },
      ),
    );
    await log.batch(
      transcript(3, call('a2', ['c1', 'bash', { command: 'make' }])),
      transcript(4, answer('c1', '{"exitCode":2,"stdout":"no"}', { error: 'failed' })),
    );
    const reader = await log.open();
    const [first, second, third] = reader.thread().messages;
    expect(first).toMatchObject({ excerpt: 'look', bytes: 4, images: 1, thinking: false, at: 1_790_856_000_000, role: 'user' });
    expect(second).toMatchObject({ excerpt: 'ü'.repeat(239), bytes: 239 * 2 + 4 + 4, images: 0, thinking: true, at: 1234 });
    expect(third).toMatchObject({ role: 'system', at: null, bytes: 0 });
    expect((await reader.body('u1')).parts).toEqual([
      { kind: 'text', text: 'look' },
      { kind: 'image', mediaType: 'image/png', data: 'QUJD' },
    ]);
    expect((await reader.body('a1')).parts).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: long },
    ]);
    expect((await reader.body('a2')).parts).toMatchObject([
      { kind: 'call', input: '{"command":"make"}', call: { id: 'c1', status: 'failed' } },
    ]);
    expect((await reader.body('#5')).parts).toEqual([
      { kind: 'output', callId: 'c1', text: '{"exitCode":2,"stdout":"no"}', failed: true, exit: 2 },
    ]);
    await expect(reader.body('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('media that the harness keeps elsewhere have no data here, and parts that are not known are raw', async () => {
    const log = await handLog();
    const media = { type: 'image', source: { type: 'url', mediaType: 'image/png', value: 'harness-media:abc' } };
    await log.batch(
      transcript(
        0,
        user('u1', [
          media,
          { type: 'image', source: { data: 'data:image/gif;base64,R0lG', mediaType: 'image/gif' } },
          { type: 'video', x: 1 },
        ]),
      ),
    );
    expect((await (await log.open()).body('u1')).parts).toEqual([
      { kind: 'image', mediaType: 'image/png', data: null },
      { kind: 'image', mediaType: 'image/gif', data: 'R0lG' },
      { kind: 'raw', type: 'video', json: '{\n  "type": "video",\n  "x": 1\n}' },
    ]);
  });

  test('in odd shapes show what they have', async () => {
    const log = await handLog();
    await log.batch(
      transcript(
        0,
        user('u1', [
          'plain',
          7,
          { type: 'text', text: 'other key' },
          { type: 'image' },
          { type: 'document', mediaType: 'image/svg+xml', data: 'PHN2Zz4=' },
        ]),
        {
          id: 'a1',
          role: 'assistant',
          content: '',
          thinking: [{ content: '' }, 'x', { redacted: true }],
          toolCalls: [{ id: 'c1', name: 'bash', arguments: { command: 'ls' } }, { name: 'no id' }, 9],
        },
        { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', content: '{"exit_code":3}' }, { type: 'video' }], error: false },
        { role: 'tool', toolCallId: 'c2', content: '', error: 'it broke' },
        { role: 'tool', content: '{"exit":' },
      ),
    );
    const reader = await log.open();
    expect((await reader.body('u1')).parts).toEqual([
      { kind: 'text', text: 'plain' },
      { kind: 'raw', type: 'number', json: '7' },
      { kind: 'text', text: 'other key' },
      { kind: 'image', mediaType: 'image', data: null },
      { kind: 'image', mediaType: 'image/svg+xml', data: 'PHN2Zz4=' },
    ]);
    expect((await reader.body('a1')).parts).toMatchObject([
      { kind: 'call', call: { id: 'c1', name: 'bash', summary: 'ls', status: 'done' }, input: '{"command":"ls"}' },
    ]);
    expect((await reader.body('#3')).parts).toEqual([
      { kind: 'output', callId: 'c1', text: '{"exit_code":3}', failed: false, exit: 3 },
      { kind: 'raw', type: 'video', json: '{\n  "type": "video"\n}' },
    ]);
    expect((await reader.body('#4')).parts).toEqual([{ kind: 'output', callId: 'c2', text: 'it broke', failed: true, exit: null }]);
    expect((await reader.body('#5')).parts).toEqual([{ kind: 'output', callId: '', text: '{"exit":', failed: false, exit: null }]);
    expect(reader.thread().messages[0]).toMatchObject({ excerpt: 'plain\nother key', images: 2 });
  });

  test('with one id belong to the first of them, as a revert would find it', async () => {
    const log = await handLog();
    await log.batch(
      transcript(0, user('u1'), say('same', 'one'), user('u2'), say('same', 'two'), user('#4'), { role: 'user', content: 'x' }),
    );
    const reader = await log.open();
    expect(reader.thread().messages.map(({ id, canStand }) => [id, canStand === true])).toEqual([
      ['u1', true],
      ['same', true],
      ['u2', true],
      ['##4', false],
      ['#4', true],
      ['#6', false],
    ]);
    expect((await reader.body('##4')).parts).toEqual([{ kind: 'text', text: 'two' }]);
    expect(() => reader.writer?.revert({ stop: 4, now: null, files: null, at: 1 })).toThrow(
      expect.objectContaining({ code: 'STOP_WITHOUT_ID' }),
    );
  });

  test('that a truncation took away stay visible as dropped, and come back as themselves', async () => {
    const log = await handLog();
    await log.batch(transcript(0, user('u1'), say('a1'), user('u2'), say('a2')));
    const reader = await log.open();
    await log.batch(transcript(2));
    await reader.read();
    expect(rows(reader.thread())).toEqual([
      ['u1', 1, null],
      ['a1', 2, null],
      ['u2', null, 'dropped'],
      ['a2', null, 'dropped'],
    ]);
    expect(reader.thread().messages[2]?.canStand).toMatchObject({ code: 'STOP_DROPPED' });
    await log.batch(transcript(2, user('u3')), transcript(2, user('u2'), say('a2', 'again')));
    await reader.read();
    expect(rows(reader.thread())).toEqual([
      ['u1', 1, null],
      ['a1', 2, null],
      ['u2', 3, null],
      ['a2', 4, null],
      ['u3', null, 'dropped'],
    ]);
    expect((await reader.body('a2')).parts).toEqual([{ kind: 'text', text: 'again' }]);
  });
});

describe('a reset', () => {
  test('draws a line and starts no turn', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const marker = { id: 'reset-in2', role: 'user', content: '', metadata: { harness: { reset: {} } } };
    await log.batch(input('in2', 'reset'), applied('in2'), transcript(2, marker), settled('in2'));
    const reader = await log.open();
    expect(reader.thread().messages[2]).toMatchObject({ id: 'reset-in2', divider: 'reset', turn: 1 });
    expect(reader.thread().turns).toHaveLength(1);
    expect(reader.writer?.undoPoint()).toBeNull();
  });
});

describe('a compaction', () => {
  const compaction = (extra: Rec): Rec => ({ type: 'tanstack.compaction', reason: 'threshold', tokensBefore: 9, tokensAfter: 1, ...extra });

  test('puts its summary before what it keeps; what it took away stays visible, and positions count on the new list', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await plainTurn(log, 2, 2);
    await log.batch(compaction({ head: [say('sum', 'so far')], from: 0, firstKeptId: 'u2' }));
    await log.batch(transcript(3, user('u3')));
    const thread = (await log.open()).thread();
    expect(rows(thread)).toEqual([
      ['u1', null, 'compacted'],
      ['a1', null, 'compacted'],
      ['sum', 1, null],
      ['u2', 2, null],
      ['a2', 3, null],
      ['u3', 4, null],
    ]);
    expect(thread.messages.map((message) => message.divider)).toEqual([null, null, 'compaction', null, null, null]);
    expect(thread.steps.map((one) => [one.id, one.stop])).toEqual([
      ['s2', null],
      ['s4', 3],
    ]);
    expect(thread.turns.map((turn) => [turn.firstStop, turn.hidden])).toEqual([
      [null, { reason: 'compacted' }],
      [1, null],
      [3, null],
    ]);
    expect(codes(thread)).toEqual([]);
  });

  test('cuts at `from` when no kept id is given', async () => {
    const log = await handLog();
    await log.batch(transcript(0, user('u1'), say('a1'), user('u2')), compaction({ head: [], from: 2 }));
    expect(rows((await log.open()).thread())).toEqual([
      ['u1', null, 'compacted'],
      ['a1', null, 'compacted'],
      ['u2', 1, null],
    ]);
  });

  test.each([
    { head: [], from: 9 },
    { head: [], from: 0.5 },
    { head: [], from: 0, firstKeptId: 'nobody' },
    { head: 'x', from: 0 },
    { head: [1], from: 0 },
    {},
  ])('that the harness would skip changes nothing and switches writing off: %j', async (extra) => {
    const log = await handLog();
    await log.batch(transcript(0, user('u1'), say('a1')), compaction(extra));
    const reader = await log.open();
    expect(rows(reader.thread())).toEqual([
      ['u1', 1, null],
      ['a1', 2, null],
    ]);
    expect(codes(reader.thread())).toEqual(['LOG_PROJECTED']);
    expect((await reader.writer?.refusals())?.map((one) => one.code)).toEqual(['LOG_PROJECTED']);
  });

  test('of an app that projects on its own shows in a position beyond the list', async () => {
    const log = await handLog();
    await log.batch(transcript(0, user('u1')), transcript(4, say('a1')));
    const thread = (await log.open()).thread();
    expect(rows(thread)).toEqual([
      ['u1', 1, null],
      ['a1', 2, null],
    ]);
    expect(codes(thread)).toEqual(['LOG_PROJECTED']);
  });
});

describe('a revert', () => {
  test('of a message that is not there hides nothing, and still stands', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch(revert('nobody', { now: tree('9'), files: ['a'] }));
    const thread = (await log.open()).thread();
    expect(thread.standing).toEqual({ messageId: 'nobody', stop: 2, hidden: 0, files: ['a'], now: tree('9') });
    expect(thread.messages.every((message) => message.hidden === null)).toBe(true);
  });

  test('with files in another shape stands with files unknown; one without files changed none', async () => {
    for (const [files, shown] of [
      [undefined, []],
      [{ now: 7, files: [] }, null],
      ['x', null],
      [{ now: tree('9') }, null],
      [null, null],
    ]) {
      const log = await handLog();
      await plainTurn(log, 1, 0);
      await log.batch(revert('u1', files));
      expect((await log.open()).thread().standing).toEqual({ messageId: 'u1', stop: 1, hidden: 1, files: shown, now: null });
    }
  });

  test('can go forward inside a standing one: the last record counts', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await plainTurn(log, 2, 2);
    await log.batch(revert('u1'), revert(null), revert('u2'));
    const reader = await log.open();
    expect(rows(reader.thread()).map(([, , hidden]) => hidden)).toEqual([null, null, null, 'reverted']);
    await log.batch(revert(null));
    await reader.read();
    expect(reader.thread().standing).toBeNull();
  });

  test('lets notes wait until its end, as messages behind all others', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch({ type: 'harness.note', noteId: 'n0', note: 'early' }, transcript(2, say('n0', 'early')));
    await log.batch(revert('u1'), { type: 'harness.note', noteId: 'n1', note: 'Job ended.' });
    const reader = await log.open();
    expect(reader.writer?.unrevert(7)).toEqual([
      { type: 'harness.revert', revert: null },
      {
        type: 'harness.event',
        operationId: 'session',
        event: { type: 'CUSTOM', name: 'harness.revert', value: { messageId: null }, timestamp: 7 },
      },
      { type: 'harness.transcript', keep: 3, add: [{ id: 'n1', role: 'assistant', content: 'Job ended.' }] },
    ]);
  });
});

describe('records that are not known', () => {
  test('are shown raw where they stand; those of the harness switch writing off', async () => {
    const log = await handLog();
    await log.batch(
      transcript(0, user('u1')),
      { type: 'acme/progress', n: 1 },
      { type: 'acme/progress', n: 2 },
      { type: 'harness.run', id: 'r' },
    );
    await log.batch(transcript(1, say('a1')), { noType: true });
    const reader = await log.open();
    const { messages, notices } = reader.thread();
    expect(messages.map(({ id, role, excerpt, stop, step }) => [id, role, excerpt, stop, step])).toEqual([
      ['u1', 'user', 'prompt u1', 1, null],
      ['record:2', 'system', 'acme/progress ×2', null, null],
      ['record:4', 'system', 'harness.run', null, null],
      ['a1', 'assistant', 'answer a1', 2, 's4'],
      ['record:6', 'system', 'record without a type', null, null],
    ]);
    expect((await reader.body('record:2')).parts).toEqual([
      { kind: 'raw', type: 'acme/progress', json: '{\n  "type": "acme/progress",\n  "n": 1\n}' },
      { kind: 'raw', type: 'acme/progress', json: '{\n  "type": "acme/progress",\n  "n": 2\n}' },
    ]);
    expect(notices.map((notice) => notice.code)).toEqual(['LOG_NOT_UNDERSTOOD']);
    expect(notices[0]?.message).toContain('harness.run');
  });

  test('known records that change nothing are not shown', async () => {
    const log = await handLog();
    await log.batch(
      { type: 'harness.usage', model: 'm', usage: { totalTokens: 1 } },
      { type: 'harness.job', jobId: 'c1', ended: false },
      { type: 'harness.tool.step', toolCallId: 'c1', name: 'x', value: 1 },
      { type: 'harness.turn.retry', inputId: 'i', retries: 1 },
      { type: 'harness.input.delivery', inputId: 'i', delivery: 'steer' },
      { type: 'harness.input.abort', inputId: 'i' },
      custom('harness.reloaded', {}),
    );
    const thread = (await log.open()).thread();
    expect([thread.messages, thread.notices, thread.status]).toEqual([[], [], 'idle']);
  });

  test('a transcript or a revert of another shape switches writing off', async () => {
    for (const record of [
      { type: 'harness.transcript', keep: -1, add: [] },
      { type: 'harness.transcript', keep: 0.5, add: [] },
      { type: 'harness.transcript', add: [] },
      { type: 'harness.transcript', keep: 0 },
      { type: 'harness.transcript', keep: 0, add: ['x'] },
      { type: 'harness.revert' },
      { type: 'harness.revert', revert: { files: {} } },
    ]) {
      const log = await handLog();
      await log.batch(transcript(0, user('u1')), record);
      const reader = await log.open();
      expect(codes(reader.thread())).toEqual(['LOG_NOT_UNDERSTOOD']);
      expect(rows(reader.thread())).toEqual([['u1', 1, null]]);
    }
  });
});

describe('a shared log', () => {
  test('gives each thread its own records; writing names the thread', async () => {
    const log = await handLog('root');
    const child = (record: Rec): Rec => ({ ...record, thread: 'kid' });
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1')), child(input('k1')), child(applied('k1')));
    await log.batch(
      child(transcript(0, user('ku'))),
      { ...transcript(1, say('a1')), thread: 'root' },
      child(transcript(1, call('ka', ['c1', 'edit_file', { path: 'x' }]))),
    );
    await log.batch(child(step('1', '2', ['x'], ['c1'])), settled('in1'));
    const root = await log.open();
    const kid = await log.open({ threadId: 'kid' });
    expect(rows(root.thread()).map(([id]) => id)).toEqual(['u1', 'a1']);
    expect(root.thread().steps.map((one) => one.listed)).toEqual([[]]);
    expect(rows(kid.thread()).map(([id]) => id)).toEqual(['ku', 'ka']);
    expect(kid.thread().steps).toMatchObject([{ id: 's2', stop: 2, listed: ['x'], turn: 1 }]);
    expect((await root.writer?.refusals())?.[0]).toMatchObject({ code: 'LOG_RUNNING', message: expect.stringContaining('prompt of kid') });
    await log.batch(child(settled('k1')));
    await kid.read();
    expect(kid.writer?.revert({ stop: 1, now: tree('3'), files: ['x'], at: 4 })).toEqual([
      { type: 'harness.revert', revert: { messageId: 'ku', files: { now: tree('3'), files: ['x'] } }, thread: 'kid' },
      {
        type: 'harness.event',
        operationId: 'session',
        event: { type: 'CUSTOM', name: 'harness.revert', value: { messageId: 'ku' }, timestamp: 4 },
        thread: 'kid',
      },
    ]);
  });
});

describe('a fork', () => {
  test('has the copied messages, ids and all, and no steps for them', async () => {
    const log = await handLog('fork');
    await log.batch(transcript(0, user('u1'), call('a1', ['c1', 'edit_file', { path: 'a' }]), answer('c1'), say('a2')));
    await plainTurn(log, 9, 4);
    const thread = (await log.open()).thread();
    expect(thread.messages.map((message) => message.stop)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(thread.steps.every((one) => one.from === null && one.listed?.length === 0)).toBe(true);
    expect(thread.turns.map((turn) => turn.prompt)).toEqual(['prompt u1', 'prompt in9']);
  });
});
