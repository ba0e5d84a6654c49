import { utimes } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Thread } from '../../../shared/model.ts';
import { answer, applied, call, custom, event, handLog, input, plainTurn, say, settled, transcript, user } from './hand-log.ts';

const turnsOf = (thread: Thread) =>
  thread.turns.map(({ index, id, prompt, startedAt, status, firstStop, lastStop }) => [
    index,
    id,
    prompt,
    startedAt,
    status,
    firstStop,
    lastStop,
  ]);

describe('turns', () => {
  test('come from chat operations: not from commands, cancels, settings or agents', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch(input('cmd', 'command', { name: 'help' }), applied('cmd', 'op-command-1'));
    await log.batch(input('can', 'cancel'), applied('can', 'op-in1'));
    await log.batch(input('cfg', 'config', { key: 'k', value: 1 }), applied('cfg', 'session'));
    await log.batch(input('ag', 'agent', { agent: 'scout' }), applied('ag', 'op-agent-1'), settled('ag'));
    await log.batch(input('up', 'followUp'), applied('up'), transcript(2, user('u2')), transcript(3, say('a2')), settled('up', 'failed'));
    const thread = (await log.open()).thread();
    expect(turnsOf(thread)).toEqual([
      [1, 'op-in1', 'prompt in1', 1000, 'completed', 0, 2],
      [2, 'op-up', 'prompt up', 1000, 'failed', 2, 4],
    ]);
    expect(thread.status).toBe('idle');
    expect(thread.messages.map((message) => message.turn)).toEqual([1, 1, 2, 2]);
  });

  test('with several attempts stay one; the last attempt names it', async () => {
    const log = await handLog();
    await log.batch(input('in1'), applied('in1', 'op-first', 1), transcript(0, user('u1')));
    await log.batch(applied('in1', 'op-second', 2), transcript(1, say('a1')), { ...settled('in1', 'aborted') });
    const thread = (await log.open()).thread();
    expect(turnsOf(thread)).toEqual([[1, 'op-second', 'prompt in1', 1000, 'aborted', 0, 2]]);
  });

  test('take in the steers that join them, with the time of each message', async () => {
    const log = await handLog();
    await log.batch(input('in1', 'prompt', {}, 1000), applied('in1'), transcript(0, user('u1', 'prompt in1')));
    await log.batch(transcript(1, call('a1', ['c1', 'bash', { command: 'make' }])));
    await log.batch(input('in2', 'steer', {}, 2000));
    await log.batch(transcript(2, answer('c1'), user('u2', 'prompt in2')), { type: 'harness.input.joined', inputId: 'in2', into: 'in1' });
    await log.batch(transcript(4, say('a2')), settled('in1'), { ...settled('in2'), operationId: 'op-in1' });
    const thread = (await log.open()).thread();
    expect(turnsOf(thread)).toEqual([[1, 'op-in1', 'prompt in1', 1000, 'completed', 0, 5]]);
    expect(thread.messages.map((message) => message.at)).toEqual([1000, null, null, 2000, null]);
    expect(thread.status).toBe('idle');
  });

  test('go on with the answer to a question and with a nudge', async () => {
    const log = await handLog();
    await log.batch(
      input('in1'),
      applied('in1'),
      transcript(0, user('u1')),
      transcript(1, call('a1', ['c1', 'bash'])),
      settled('in1', 'interrupted'),
    );
    await log.batch(input('in2', 'resolve', { message: undefined }), applied('in2'), transcript(2, answer('c1')), transcript(3, say('a2')));
    await log.batch(settled('in2', 'completed'));
    await log.batch(input('in3', 'continue', { message: undefined }), applied('in3'), transcript(4, say('a3')), settled('in3', 'failed'));
    const thread = (await log.open()).thread();
    expect(turnsOf(thread)).toEqual([[1, 'op-in1', 'prompt in1', 1000, 'failed', 0, 5]]);
    expect(thread.messages.map((message) => message.turn)).toEqual([1, 1, 1, 1, 1]);
  });

  test('of a fork or another writer begin at each user message, without a time', async () => {
    const log = await handLog();
    await log.batch(transcript(0, user('u1'), say('a1'), user('u2'), { role: 'assistant', content: 'no id' }));
    const thread = (await log.open()).thread();
    expect(turnsOf(thread)).toEqual([
      [1, 'u1', 'prompt u1', null, 'unknown', 0, 2],
      [2, 'u2', 'prompt u2', null, 'unknown', 2, 4],
    ]);
    expect(thread.messages.map((message) => [message.id, message.canStand === true])).toEqual([
      ['u1', true],
      ['a1', true],
      ['u2', true],
      ['#4', false],
    ]);
  });

  test('begin with their message even when it is written before the input is applied', async () => {
    const log = await handLog();
    await log.batch(input('in1'), transcript(0, user('u1', 'prompt in1')));
    await log.batch(applied('in1'), transcript(1, say('a1')), settled('in1'));
    expect(turnsOf((await log.open()).thread())).toEqual([[1, 'op-in1', 'prompt in1', 1000, 'completed', 0, 2]]);
  });

  test('keep older messages where they are when their metadata is written again', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch(input('in2'), applied('in2'), transcript(2, user('u2')));
    await log.batch(transcript(1, { ...say('a1'), metadata: { x: 1 } }, user('u2'), say('a2')), settled('in2'));
    const thread = (await log.open()).thread();
    expect(thread.messages.map(({ id, turn, stop, hidden }) => [id, turn, stop, hidden])).toEqual([
      ['u1', 1, 1, null],
      ['a1', 1, 2, null],
      ['u2', 2, 3, null],
      ['a2', 2, 4, null],
    ]);
  });
});

describe('the status', () => {
  test('is running while work is open in a young log, unknown in an old one', async () => {
    const log = await handLog();
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1')));
    expect((await log.open()).thread()).toMatchObject({ status: 'running', turns: [{ status: 'running' }] });
    const old = new Date(Date.now() - 3_600_000);
    await utimes(log.file, old, old);
    expect((await log.open()).thread().status).toBe('unknown');
  });

  test('counts a pending prompt, an agent and an operation that is not known as work, a command never', async () => {
    for (const op of ['prompt', 'agent', 'reset', 'something-new']) {
      const log = await handLog();
      await log.batch(input('in1', op));
      expect((await log.open()).thread().status).toBe('running');
      await log.batch({ type: 'harness.input.rejected', inputId: 'in1', reason: 'busy' });
      expect((await log.open()).thread().status).toBe('idle');
    }
    const log = await handLog();
    for (const op of ['command', 'cancel', 'config', 'configure', 'answer', 'cancelInput', 'setDelivery', 'revert']) {
      await log.batch(input(op, op), applied(op, 'session'));
    }
    expect((await log.open()).thread().status).toBe('idle');
  });

  test('is waiting while a question stands, until its call has a result or a later run ends', async () => {
    const log = await handLog();
    const question = { type: 'interrupt', interrupts: [{ id: 'q1', reason: 'approval', toolCallId: 'c1' }] };
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1')), transcript(1, call('a1', ['c1', 'bash'], ['c2', 'bash'])));
    await log.batch(event({ type: 'RUN_FINISHED', subagentRunId: 'x', outcome: { type: 'interrupt', interrupts: [{ id: 'qx' }] } }));
    await log.batch(event({ type: 'RUN_FINISHED', outcome: question }), settled('in1', 'interrupted'));
    const reader = await log.open();
    expect(reader.thread().status).toBe('waiting');
    expect(reader.thread().messages[1]?.tools.map((one) => one.status)).toEqual(['needs-approval', 'requested']);
    await log.batch(input('in2', 'resolve'), applied('in2'));
    await log.batch(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c1', state: 'output-cancelled', content: '' }));
    await reader.read();
    expect(reader.thread().messages[1]?.tools[0]?.status).toBe('needs-approval');
    await log.batch(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c1', content: 'ok' }), settled('in2'));
    await reader.read();
    expect(reader.thread().status).toBe('idle');
  });

  test('is waiting when the last turn was interrupted and nothing came after, also without stored events', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.batch(input('in2'), applied('in2'), transcript(2, user('u2')), settled('in2', 'interrupted'));
    const reader = await log.open();
    expect(reader.thread().status).toBe('waiting');
    await plainTurn(log, 3, 3);
    await reader.read();
    expect(reader.thread().status).toBe('idle');
  });
});

describe('tool calls', () => {
  test('have a status, a summary, a duration, the size of their output and a child', async () => {
    const log = await handLog();
    const calls: [string, string, unknown?][] = [
      ['c1', 'edit_file', { path: 'a.ts' }],
      ['c2', 'bash', { command: 'npm test' }],
      ['c3', 'bash', { command: 'x' }],
      ['c4', 'task', { prompt: 'look' }],
      ['c5', 'read_file', { path: 'b' }],
    ];
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1')), transcript(1, call('a1', ...calls)));
    await log.batch({ type: 'harness.tool.started', toolCallId: 'c1' }, { type: 'harness.tool.started', toolCallId: 'c2' });
    await log.batch(event({ type: 'TOOL_CALL_END', toolCallId: 'c1', timestamp: 1000 }));
    await log.batch({ type: 'harness.tool.result', toolCallId: 'c1', message: answer('c1', 'Edited ü.') });
    await log.batch(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c1', content: 'Edited ü.', timestamp: 1250 }));
    await log.batch({ type: 'harness.tool.result', toolCallId: 'c3', message: answer('c3', '{"error":"no"}', { error: 'no' }) });
    await log.batch(event({ type: 'SUBAGENT_STARTED', subagentRunId: 'r9', toolCallId: 'c4', name: 'scout' }));
    const reader = await log.open();
    expect(reader.thread().messages[1]?.tools).toEqual([
      {
        id: 'c1',
        name: 'edit_file',
        summary: 'a.ts',
        status: 'done',
        sideEffect: null,
        wrote: ['a.ts'],
        durationMs: 250,
        outputBytes: 10,
        child: null,
      },
      {
        id: 'c2',
        name: 'bash',
        summary: 'npm test',
        status: 'running',
        sideEffect: 'shell',
        wrote: null,
        durationMs: null,
        outputBytes: null,
        child: null,
      },
      {
        id: 'c3',
        name: 'bash',
        summary: 'x',
        status: 'failed',
        sideEffect: 'shell',
        wrote: null,
        durationMs: null,
        outputBytes: 14,
        child: null,
      },
      {
        id: 'c4',
        name: 'task',
        summary: 'look',
        status: 'requested',
        sideEffect: 'subagent',
        wrote: null,
        durationMs: null,
        outputBytes: null,
        child: 'subagent:r9',
      },
      {
        id: 'c5',
        name: 'read_file',
        summary: 'b',
        status: 'requested',
        sideEffect: null,
        wrote: [],
        durationMs: null,
        outputBytes: null,
        child: null,
      },
    ]);
    await log.batch(
      transcript(2, answer('c2', '{"interrupted":true,"note":"n"}', { error: 'lost' }), answer('c5', 'text')),
      settled('in1', 'failed'),
    );
    await log.batch(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c4', content: 'x', metadata: { state: 'output-error' } }));
    await reader.read();
    expect(reader.thread().messages[1]?.tools.map((one) => one.status)).toEqual(['done', 'lost', 'failed', 'failed', 'done']);
    expect(
      reader
        .thread()
        .messages.slice(2)
        .map((message) => message.step),
    ).toEqual(['s2', 's2']);
  });

  test('that began in a turn that ended without their result are lost', async () => {
    const log = await handLog();
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'])));
    await log.batch({ type: 'harness.tool.started', toolCallId: 'c1', name: 'bash', replay: 'never' }, settled('in1', 'failed'));
    expect((await log.open()).thread().messages[1]?.tools[0]?.status).toBe('lost');
  });
});

test('a snapshot that failed is named on the step that it is missing for', async () => {
  const log = await handLog();
  await log.batch(
    input('in1'),
    applied('in1'),
    transcript(0, user('u1')),
    transcript(1, call('a1', ['c1', 'bash'], ['c2', 'edit_file', { path: 'a' }])),
  );
  await log.batch({ type: 'harness.tool.result', toolCallId: 'c1', message: answer('c1') });
  await log.batch({ type: 'harness.tool.result', toolCallId: 'c2', message: answer('c2') });
  await log.batch(
    custom('harness.plugin.event', { plugin: 'tanstack/snapshots', name: 'failed', value: { message: 'snapshots: disk full' } }),
  );
  await log.batch(transcript(2, answer('c1'), answer('c2')), transcript(4, say('a2')), settled('in1'));
  const [first, second] = (await log.open()).thread().steps;
  expect(first?.captured).toMatchObject({ code: 'NOT_CAPTURED' });
  expect(first?.captured).toMatchObject({ message: expect.stringContaining('snapshots: disk full') });
  expect(second?.captured).toBe(true);
});
