import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/** Bytes of the log that the figures speak about. */
export const LOG_BYTES = 100 * 1024 * 1024;
const TREES = ['1', '2'].map((digit) => digit.repeat(40));

const words = 'The quick brown fox jumps over the lazy dog while the agent reads src/auth/login-form.ts and thinks about it. ';
const text = (length: number): string => words.repeat(Math.ceil(length / words.length)).slice(0, length);

/** One turn as a live harness writes it: many pieces of text, two tool calls with output, a step, an answer. */
export function turnLines(n: number, keep: number): { lines: string[]; messages: number } {
  const at = 1_790_000_000_000 + n * 60_000;
  const op = `op-chat-${n}`;
  const event = (value: object): object => ({ type: 'harness.event', operationId: op, event: { ...value, timestamp: at } });
  const call = (k: number): string => `call_${n}_${k}`;
  const lines: object[][] = [
    [{ type: 'harness.input', inputId: `in-${n}`, input: { op: 'prompt', message: text(160), busy: 'queue' }, at }],
    [{ type: 'harness.input.applied', inputId: `in-${n}`, operationId: op, attempt: 1 }],
    [{ type: 'harness.transcript', keep, add: [{ id: `u${n}`, role: 'user', content: text(160) }] }],
    [event({ type: 'RUN_STARTED', runId: op })],
  ];
  let length = keep + 1;
  for (let k = 0; k < 2; k += 1) {
    for (let piece = 0; piece < 30; piece += 1)
      lines.push([event({ type: 'REASONING_MESSAGE_CONTENT', messageId: `r${n}`, delta: text(90) })]);
    for (let piece = 0; piece < 20; piece += 1) lines.push([event({ type: 'TOOL_CALL_ARGS', toolCallId: call(k), delta: text(120) })]);
    const args = JSON.stringify(k === 0 ? { path: `src/file-${n}.ts`, content: text(2400) } : { command: 'npm test' });
    const toolCalls = [{ id: call(k), type: 'function', function: { name: k === 0 ? 'write_file' : 'bash', arguments: args } }];
    lines.push([{ type: 'harness.transcript', keep: length, add: [{ id: `a${n}-${k}`, role: 'assistant', content: null, toolCalls }] }]);
    lines.push([
      event({ type: 'TOOL_CALL_END', toolCallId: call(k) }),
      { type: 'harness.tool.started', toolCallId: call(k), name: 'bash', replay: 'never' },
    ]);
    const message = { role: 'tool', toolCallId: call(k), content: text(k === 0 ? 60 : 9000) };
    lines.push([{ type: 'harness.tool.result', toolCallId: call(k), message }]);
    lines.push([{ type: 'tanstack/snapshots:step', from: TREES[0], to: TREES[1], files: [`src/file-${n}.ts`], toolCallIds: [call(k)] }]);
    lines.push([event({ type: 'TOOL_CALL_RESULT', toolCallId: call(k), content: message.content })]);
    lines.push([{ type: 'harness.transcript', keep: length + 1, add: [message] }]);
    length += 2;
  }
  for (let piece = 0; piece < 20; piece += 1) lines.push([event({ type: 'TEXT_MESSAGE_CONTENT', messageId: `z${n}`, delta: text(80) })]);
  lines.push([{ type: 'harness.transcript', keep: length, add: [{ id: `z${n}`, role: 'assistant', content: text(1600) }] }]);
  lines.push([
    event({ type: 'RUN_FINISHED', runId: op }),
    { type: 'harness.input.settled', inputId: `in-${n}`, operationId: op, outcome: 'completed' },
    event({ type: 'CUSTOM', name: 'harness.operation.finished', value: { operationId: op, status: 'completed' } }),
  ]);
  return { lines: lines.map((batch) => JSON.stringify(batch)), messages: length + 1 };
}

/** Writes a log of about `size` bytes as a live harness does; gives the number of its messages. */
export async function writeLog(file: string, size = LOG_BYTES): Promise<number> {
  const stream = createWriteStream(file);
  let keep = 0;
  for (let n = 0, written = 0; written < size; n += 1) {
    const turn = turnLines(n, keep);
    keep = turn.messages;
    const chunk = `${turn.lines.join('\n')}\n`;
    written += chunk.length;
    if (!stream.write(chunk)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
  return keep;
}
