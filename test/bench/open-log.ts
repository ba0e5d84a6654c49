import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import type { ThreadReader } from '../../electron/threads/source.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import type { BenchRow } from './bench-row.ts';

const SIZE = 100 * 1024 * 1024;
const RUNS = 7;
const TREES = ['1', '2'].map((digit) => digit.repeat(40));

const words = 'The quick brown fox jumps over the lazy dog while the agent reads src/auth/login-form.ts and thinks about it. ';
const text = (length: number): string => words.repeat(Math.ceil(length / words.length)).slice(0, length);

/** One turn as a live harness writes it: many pieces of text, two tool calls with output, a step, an answer. */
function turnLines(n: number, keep: number): { lines: string[]; messages: number } {
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

async function writeLog(file: string): Promise<void> {
  const stream = createWriteStream(file);
  let keep = 0;
  for (let n = 0, written = 0; written < SIZE; n += 1) {
    const turn = turnLines(n, keep);
    keep = turn.messages;
    const chunk = `${turn.lines.join('\n')}\n`;
    written += chunk.length;
    if (!stream.write(chunk)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

async function openReader(file: string, folder: string): Promise<ThreadReader> {
  const places = { home: folder, env: {} };
  const head = {
    id: 'tanstack:big',
    source: 'tanstack' as const,
    title: null,
    root: null,
    log: file,
    threadId: 'big',
    parent: null,
    updatedAt: null,
    size: null,
  };
  const reader = await tanstack.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
  await reader.read();
  return reader;
}

/** Opened, folded, and the first fifty rows with their texts. */
async function firstRows(file: string, folder: string): Promise<number> {
  const reader = await openReader(file, folder);
  const rows = reader.thread().messages.slice(-50);
  for (const row of rows) await reader.body(row.id);
  return rows.length;
}

async function wholeIndex(file: string, folder: string): Promise<number> {
  const thread = (await openReader(file, folder)).thread();
  return thread.turns.length + thread.steps.reduce((sum, step) => sum + step.sideEffects, 0);
}

async function countNewlines(file: string): Promise<number> {
  const bytes = await readFile(file);
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

async function parseEachLine(file: string): Promise<number> {
  let records = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    records += (JSON.parse(line) as unknown[]).length;
  }
  return records;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function timed(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  if ((await work()) === 0) throw new Error('the benchmark did nothing');
  return performance.now() - start;
}

/** B2 and B3 of the figures to reach: a log of 100 MB to its first rows, and its whole index. Interleaved, medians of seven. */
export default async function openLog(report: (row: BenchRow) => void): Promise<void> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-bench-')));
  try {
    const file = path.join(folder, 'sessions', 'big.jsonl');
    await mkdir(path.dirname(file));
    await writeLog(file);
    const times = { rows: [] as number[], count: [] as number[], index: [] as number[], parse: [] as number[] };
    for (let run = 0; run < RUNS; run += 1) {
      times.count.push(await timed(() => countNewlines(file)));
      times.rows.push(await timed(() => firstRows(file, folder)));
      times.parse.push(await timed(() => parseEachLine(file)));
      times.index.push(await timed(() => wholeIndex(file, folder)));
    }
    report({ name: 'open a 100 MB log to its first 50 rows', ours: median(times.rows), floor: median(times.count), target: 1.3 });
    report({ name: 'index of a 100 MB log', ours: median(times.index), floor: median(times.parse), target: 0.6 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
