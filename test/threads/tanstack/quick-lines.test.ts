import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSkippedRecord, QuickLines } from '../../../electron/threads/tanstack/quick-lines.ts';
import type { Thread } from '../../../shared/model.ts';
import { answer, call, event, handLog, type Rec, step, transcript, user } from './hand-log.ts';

const quick = (line: string | Buffer) => {
  const bytes = Buffer.from(line);
  const lines = new QuickLines();
  return { skipped: lines.skipped(bytes, 0, bytes.length), result: lines.result(bytes, 0, bytes.length) };
};
const line = (...records: Rec[]): string => JSON.stringify(records);
const delta = (text: string, extra: Rec = {}): Rec =>
  event({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: text, timestamp: 4 }, extra['op'] as string | undefined);
const long = 'output '.repeat(400);

test('pieces of texts are counted, alone and in batches; anything else in the batch has to be read', () => {
  expect(quick(line(delta('x'))).skipped).toBe(1);
  expect(quick(`${line(delta('x'), delta('},{"type":"harness.revert"}'), delta('z'))}\r`).skipped).toBe(3);
  expect(quick(line(event({ type: 'REASONING_ENCRYPTED_VALUE', timestamp: 1 }))).skipped).toBe(1);
  for (const other of [
    line(delta('x'), transcript(0, user('u'))),
    line(transcript(0, user('u')), delta('x')),
    line(delta('x'), { noType: true }),
    line(delta('x'), { from: 'a', type: 'tanstack/snapshots:step' }),
    line(event({ type: 'TEXT_MESSAGE_START', messageId: 'm', timestamp: 1 })),
    line(event({ type: 'CUSTOM', name: 'x', value: [{ type: 'TEXT_MESSAGE_CONTENT' }] })),
    line({ ...delta('x'), thread: 'kid' }),
    line(delta('x', { op: 'a"b' })),
    ` ${line(delta('x'))}`,
    line(delta('x')).slice(0, -1),
    `${line(delta('x')).slice(0, 60)}${line(delta('y'))}`,
    '',
    '[',
    '[{"type":"harness.event","operationId":"',
  ]) {
    expect(quick(other).skipped, other).toBe(0);
  }
});

test('the next lines of a chunk are told by their own bytes, not by those of the line before', () => {
  const lines = [
    line(delta('a')),
    line(delta('b'), { type: 'x' }),
    line(delta('c')),
    line(event({ type: 'RUN_ERROR' })),
    line(delta('d'), delta('e')),
  ];
  const chunk = Buffer.from(`${lines.join('\n')}\n`);
  const reader = new QuickLines();
  let at = 0;
  const seen = lines.map((one) => {
    const count = reader.skipped(chunk, at, at + one.length);
    at += one.length + 1;
    return count;
  });
  expect(seen).toEqual([1, 0, 1, 0, 2]);
  // The same memory holds the next chunk.
  chunk.write(line(delta('b'), { type: 'x' }), 0);
  expect(new QuickLines().skipped(chunk, 0, lines[1]?.length ?? 0)).toBe(0);
});

test('long plain results are taken without their output; those that say more are parsed', () => {
  const result = (message: Rec): string => line({ type: 'harness.tool.result', toolCallId: 'c1', message });
  expect(quick(result(answer('c1', long))).result).toEqual({
    type: 'harness.tool.result',
    toolCallId: 'c1',
    message: { role: 'tool', toolCallId: 'c1' },
  });
  for (const other of [
    result(answer('c1', 'short')),
    result(answer('c1', `{"interrupted":true,"x":"${long}"}`)),
    result(answer('c"1', long)),
    result(answer('c1', long, { error: long })),
    line({ type: 'harness.tool.result', toolCallId: 'c1', message: answer('c1', long) }, { type: 'x' }),
    line({ type: 'harness.tool.result', toolCallId: 'c1', thread: 'kid', message: answer('c1', long) }),
    line({ type: 'harness.tool.result', toolCallId: 'c1', message: answer('c1', long), thread: 'kid' }),
  ]) {
    expect(quick(other).result, other.slice(0, 100)).toBeNull();
  }
  const end = (extra: Rec, after: Rec = {}): string =>
    line(event({ type: 'TOOL_CALL_RESULT', messageId: 'm', toolCallId: 'c1', ...extra, content: `${long}"\\`, ...after, timestamp: 17 }));
  for (const plain of [end({}), end({}, { role: 'tool' })]) {
    expect(quick(plain).result).toEqual({
      type: 'harness.event',
      operationId: '',
      event: { type: 'TOOL_CALL_RESULT', toolCallId: 'c1', timestamp: 17 },
    });
  }
  for (const other of [
    end({ state: 'output-error' }),
    end({}, { state: 'output-error' }),
    end({ metadata: { state: 'output-error' } }),
    end({}, { metadata: { state: 'output-error' } }),
    end({}, { metadata: { state: 'output-error' }, note: long }),
    end({ subagentRunId: 's' }),
    end({ toolCallId: undefined }),
    line(event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c1', content: long })),
  ]) {
    expect(quick(other).result, other.slice(0, 160)).toBeNull();
  }
});

test('one record as a text, as databases keep it, is told the same way', () => {
  expect(isSkippedRecord(JSON.stringify(delta('x'.repeat(2000))))).toBe(true);
  for (const other of [transcript(0), event({ type: 'RUN_FINISHED' }), { ...delta('x'), thread: 'k' }])
    expect(isSkippedRecord(JSON.stringify(other))).toBe(false);
  expect(isSkippedRecord('{"type":"harness.event"')).toBe(false);
});

test('whatever is read quickly gives the thread that parsing every line gives', async () => {
  const text = fc.oneof(
    fc.constantFrom('', long, '"', '\\', '},{"type":"harness.transcript"', `{"interrupted":true,"x":"${long}"}`),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const record: fc.Arbitrary<Rec> = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('TEXT_MESSAGE_CONTENT', 'REASONING_X', 'TOOL_CALL_ARGS', 'RUN_STARTED', 'RUN_FINISHED', 'TOOL_CALL_END', 'X'),
        text,
      )
      .map(([type, content]) => event({ type, toolCallId: 'c1', delta: content, timestamp: 1000 }, 'op-1')),
    fc.tuple(text, fc.constantFrom(undefined, 'output-error', 'output-cancelled'), fc.boolean()).map(([content, state, first]) =>
      event(
        {
          type: 'TOOL_CALL_RESULT',
          toolCallId: 'c1',
          ...(first ? { state } : {}),
          content,
          ...(first ? {} : { metadata: { state } }),
          timestamp: 1400,
        },
        'op-1',
      ),
    ),
    fc
      .tuple(text, fc.constantFrom({}, { error: 'e' }))
      .map(([content, extra]) => ({ type: 'harness.tool.result', toolCallId: 'c1', message: answer('c1', content, extra) })),
    text.map((content) => transcript(2, answer('c1', content))),
    fc.constant(event({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id: 'q', toolCallId: 'c1' }] } })),
    fc.constant({ type: 'acme/x' }),
    fc.constant(step('1', '2', ['a'], ['nobody'])),
  );
  const log = await handLog();
  const threadOf = async (prefix: string, batches: readonly Rec[][]): Promise<Thread> => {
    const start = [[transcript(0, user('u1'), call('a1', ['c1', 'bash', { command: 'x' }]))]];
    await writeFile(log.file, [...start, ...batches].map((batch) => `${prefix}${JSON.stringify(batch)}\n`).join(''));
    const { head: _, ...thread } = (await log.open()).thread();
    const messages = thread.messages.map((one) => ({ ...one, tools: one.tools.map((tool) => ({ ...tool, outputBytes: null })) }));
    return {
      ...thread,
      messages,
      head: { id: '', source: 'tanstack', title: null, root: null, log: '', threadId: '', parent: null, updatedAt: null, size: null },
    };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(record, { minLength: 1, maxLength: 3 }), { maxLength: 10 }), async (batches) => {
      // A space before the list is the same JSON, and no line that is known by its bytes.
      expect(await threadOf('', batches)).toEqual(await threadOf(' ', batches));
    }),
    { numRuns: 400 },
  );
});
