import { appendFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { Emitter, type EventType } from '../../electron/recorder/emitter.ts';
import { FileChanged } from '../../electron/recorder/recorder-events.ts';
import { Recording, said } from './recording.ts';

const FILES = { 'a.txt': 'one\n' };

test('a turn leaves its records in the order of the harness', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open({ user: { id: 'ada' } });
  await session.send('Fix', async (turn) => {
    await turn.step(async (step) => {
      const thinking = [{ content: 'hm', signature: 's' }];
      const usage = { model: 'acme/m', promptTokens: 1, completionTokens: 2, totalTokens: 3 };
      await step.assistant({
        content: 'I will.',
        thinking,
        usage,
        toolCalls: [{ id: 'c1', name: 'edit_file', arguments: { path: 'a.txt' } }],
      });
      await r.call(step, 'c1', { edit: { 'a.txt': 'two\n' } });
    });
    await turn.answer({ id: 'given', content: [{ type: 'text', content: 'Done.' }] });
  });
  const records = (await r.records()).slice(1);
  const words = records.map(({ type, event }) => {
    const { type: kind, name } = (event ?? {}) as { type?: string; name?: string };
    return type === 'harness.event' ? (name ?? kind) : type;
  });
  expect(words).toEqual([
    'harness.input',
    'harness.input.accepted',
    'harness.input.applied',
    'harness.input.applied',
    'harness.operation.started',
    'harness.transcript',
    'RUN_STARTED',
    'REASONING_MESSAGE_START',
    'REASONING_MESSAGE_CONTENT',
    'REASONING_MESSAGE_END',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'TOOL_CALL_START',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_END',
    'harness.transcript',
    'harness.usage',
    'harness.tool.started',
    'harness.tool.result',
    'TOOL_CALL_RESULT',
    'tanstack/snapshots:step',
    'harness.transcript',
    'harness.transcript',
    'RUN_FINISHED',
    'turnback/undo-point',
    'harness.input.settled',
    'harness.input.settled',
    'harness.operation.finished',
  ]);
  expect(records[0]).toMatchObject({
    input: { op: 'prompt', message: 'Fix', busy: 'queue' },
    principal: { id: 'ada' },
    at: expect.any(Number),
  });
  const transcripts = records.filter(({ type }) => type === 'harness.transcript').map(({ keep, add }) => [keep, (add as unknown[]).length]);
  expect(transcripts).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
  expect(await session.transcript()).toEqual([
    { id: expect.stringMatching(/^msg-/), role: 'user', content: 'Fix', createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
    {
      id: expect.stringMatching(/^msg-/),
      role: 'assistant',
      content: 'I will.',
      createdAt: expect.any(String),
      thinking: [{ content: 'hm', signature: 's' }],
      toolCalls: [{ id: 'c1', type: 'function', function: { name: 'edit_file', arguments: '{"path":"a.txt"}' } }],
    },
    { role: 'tool', toolCallId: 'c1', content: 'ok' },
    { id: 'given', role: 'assistant', content: [{ type: 'text', content: 'Done.' }], createdAt: expect.any(String) },
  ]);
});

test('an agent that throws settles its turn as failed, and undo still works', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  const sent = session.send('Fix', async (turn) => {
    await r.step(turn, { edit: { 'a.txt': 'two\n' } });
    throw new Error('model is gone');
  });
  await expect(sent).rejects.toThrow('model is gone');
  expect((await r.records('harness.input.settled'))[0]).toMatchObject({ outcome: 'failed', error: { message: 'model is gone' } });
  expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
});

test('prompts run one after another in the order they were sent', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  const running: string[] = [];
  await Promise.all(
    ['one', 'two', 'three'].map((prompt) =>
      session.send(prompt, async (turn) => {
        running.push(`${prompt} begins`);
        await r.step(turn, { bash: 'sleep 0.05' });
        running.push(`${prompt} ends`);
      }),
    ),
  );
  expect(running).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});

test('a steer during a step joins when its messages are in the log; one without a turn is refused', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await expect(session.steer('Hello?')).rejects.toMatchObject({ code: 'NO_TURN' });
  let late: Promise<void> | undefined;
  await session.send('Fix', async (turn) => {
    const step = await turn.beginStep();
    await step.assistant({ toolCalls: [{ id: 'c1', name: 'bash', arguments: {} }] });
    const steer = session.steer('And quickly');
    await r.call(step, 'c1', { bash: 'true' });
    expect(turn.steered()).toEqual([]);
    await step.end();
    await steer;
    expect(turn.steered()).toEqual(['And quickly']);
    await turn.answer('Yes.');
    const ending = turn.end();
    late = turn.join({ inputId: 'in-late', message: 'Too late' });
    late.catch(() => undefined);
    await ending;
  });
  await expect(late).rejects.toMatchObject({ code: 'NO_TURN' });
  expect(await said(session)).toEqual(['user: Fix', 'assistant: null', 'tool: ', 'user: And quickly', 'assistant: Yes.']);
  expect((await r.records('harness.input.joined')).length).toBe(1);
  expect((await r.records('harness.input.settled')).map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
});

test('what comes too late or names an unknown call is refused', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  const turn = await session.beginTurn('Fix');
  const step = await turn.beginStep();
  await step.assistant({ content: 'x', toolCalls: [{ id: 'c1', name: 'bash', arguments: '{}' }] });
  await expect(step.assistant('again' as never)).rejects.toMatchObject({ code: 'TURN_ENDED' });
  await expect(step.toolStarted('c2')).rejects.toMatchObject({ code: 'UNKNOWN_CALL' });
  expect(() => step.reportFile('a.txt', 'c2')).toThrow('no tool call c2');
  await step.toolStarted('c1');
  await step.toolStarted('c1');
  await step.toolResult('c1', 'ok');
  await step.toolResult('c1', 'twice');
  await turn.beginStep();
  await expect(step.toolResult('c1', 'late')).rejects.toMatchObject({ code: 'TURN_ENDED' });
  await turn.end();
  await turn.end('failed');
  await expect(turn.beginStep()).rejects.toMatchObject({ code: 'TURN_ENDED' });
  expect((await r.records('harness.tool.result')).length).toBe(1);
  expect((await r.records('harness.input.settled')).length).toBe(1);
  await session.close();
  await session.close();
  await expect(session.beginTurn('x')).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  await expect(session.runCommand({ name: 'undo' })).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  await expect(session.revert({ messageId: 'x' })).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
});

test('closing in a turn settles it as aborted', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  const turn = await session.beginTurn('Fix');
  const step = await turn.beginStep();
  await step.assistant({ toolCalls: [{ id: 'c1', name: 'bash', arguments: {} }] });
  await step.toolStarted('c1');
  await r.write('a.txt', 'two\n');
  await session.close();
  expect((await r.records('harness.input.settled')).map(({ outcome }) => outcome)).toEqual(['aborted']);
  const again = await r.again().open();
  expect(await again.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
});

test('another writer in the middle of a turn: what changes no message is followed, what does stops the turn', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  const turn = await session.beginTurn('Fix');
  await appendFile(session.log, `${JSON.stringify([{ type: 'app.note', text: 'hello' }])}\n`);
  await turn.answer('One.');
  const types = (await r.records()).map(({ type }) => type).filter((type) => type !== 'harness.event');
  expect(types.slice(-2)).toEqual(['app.note', 'harness.transcript']);
  await appendFile(session.log, `${JSON.stringify([{ type: 'harness.transcript', keep: 0, add: [] }])}\n`);
  await expect(turn.answer('Two.')).rejects.toMatchObject({ code: 'LOG_MOVED' });
  await turn.end().catch(() => undefined);
});

test('a file tool tells its change with its call, and the step does not tell it again', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await session.send('Fix', (turn) =>
    turn.step(async (step) => {
      await step.assistant({ toolCalls: [{ id: 'c1', name: 'edit_file', arguments: {} }] });
      await step.toolStarted('c1');
      await r.write('a.txt', 'two\n');
      step.reportFile('a.txt', 'c1', { change: 'updated', patch: 'p' });
      await step.toolResult('c1', 'ok');
    }),
  );
  expect(r.events).toEqual([{ change: 'updated', path: `${r.root}/a.txt`, patch: 'p', toolCallId: 'c1' }]);
});

test('listeners: several, ended, kept until the first, and one that throws does not stop the others', async () => {
  const Ping: EventType<number> = { name: 'ping' };
  const emitter = new Emitter();
  const [one, two] = [vi.fn(), vi.fn()];
  emitter.keep(Ping, 1);
  emitter.emit(Ping, 2);
  const end = emitter.on(Ping, one);
  emitter.on(Ping, two);
  emitter.keep(Ping, 3);
  end();
  emitter.emit(Ping, 4);
  expect([one.mock.calls, two.mock.calls]).toEqual([
    [[1], [3]],
    [[3], [4]],
  ]);
  const thrown = vi.fn();
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', thrown);
  emitter.on(Ping, () => {
    throw new Error('mine');
  });
  emitter.on(Ping, one);
  emitter.emit(Ping, 5);
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.removeListener('uncaughtException', thrown);
  for (const listener of others) process.on('uncaughtException', listener);
  expect(one.mock.lastCall).toEqual([5]);
  expect(thrown.mock.calls[0]?.[0]).toMatchObject({ message: 'mine' });
  expect(FileChanged.name).toBe('file-changed');
});
