import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCli } from '../scenarios/run-cli.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv } from '../scenarios/temp.ts';

const words = 'The quick brown fox jumps over the lazy dog while the agent reads src/auth/login-form.ts and thinks about it. ';
const text = (length: number): string => words.repeat(Math.ceil(length / words.length)).slice(0, length);

/** Messages of one turn: the prompt, a call, its output, an answer. */
const PER_TURN = 4;

function turnLines(n: number, prefix: string, from: string, to: string, files: readonly string[]): string {
  const call = `${prefix}c${n}`;
  const op = `${prefix}op${n}`;
  const keep = n * PER_TURN;
  const shell = n % 5 === 0;
  const args = JSON.stringify(shell ? { command: 'npm test' } : { path: files[0] ?? 'notes.txt', content: 'x' });
  const toolCalls = [{ id: call, type: 'function', function: { name: shell ? 'bash' : 'write_file', arguments: args } }];
  const message = { role: 'tool', toolCallId: call, content: text(shell ? 900 : 60) };
  const add = (at: number, ...entries: object[]): object => ({ type: 'harness.transcript', keep: keep + at, add: entries });
  const batches: object[][] = [
    [
      {
        type: 'harness.input',
        inputId: `${prefix}in${n}`,
        input: { op: 'prompt', message: `Turn ${n}`, busy: 'queue' },
        at: 1_790_000_000_000 + n * 60_000,
      },
      { type: 'harness.input.applied', inputId: `${prefix}in${n}`, operationId: op, attempt: 1 },
    ],
    [add(0, { id: `${prefix}u${n}`, role: 'user', content: `Turn ${n} of ${prefix}: ${text(80 + (n % 7) * 60)}` })],
    [add(1, { id: `${prefix}a${n}`, role: 'assistant', content: text(60 + (n % 5) * 90), toolCalls })],
    [
      { type: 'harness.tool.started', toolCallId: call, name: 'bash', replay: 'never' },
      { type: 'harness.tool.result', toolCallId: call, message },
    ],
    ...(files.length === 0 ? [] : [[{ type: 'tanstack/snapshots:step', from, to, files, toolCallIds: [call] }]]),
    [add(2, message, { id: `${prefix}z${n}`, role: 'assistant', content: text(200 + (n % 9) * 120) })],
    [{ type: 'harness.input.settled', inputId: `${prefix}in${n}`, operationId: op, outcome: 'completed' }],
  ];
  return batches.map((batch) => `${JSON.stringify(batch)}\n`).join('');
}

/** What the last turns of a long thread change besides: a step of each size. */
export interface LastSteps {
  /** Files that one step each changes. */
  files: readonly number[];
  /** Bytes of a file of one line that the last step changes; 0 for none. */
  oneLine: number;
}

/**
 * A thread with that many messages below `folder`, with a real repository behind its steps, known to a viewer that runs with
 * `cleanEnv(folder)`. Every turn changes three files. Its prompts begin with "Turn N of NAME:".
 */
export async function longThread(folder: string, name: string, messages: number, last: LastSteps): Promise<TanstackScenario> {
  await mkdir(folder, { recursive: true });
  const t = await tanstackScenario(folder, { threadId: name, events: false });
  const small = ['src/one.ts', 'src/two.ts', 'docs/three.md'];
  const write = async (files: readonly string[], version: number): Promise<string> => {
    for (const file of files) {
      await mkdir(path.dirname(path.join(t.root, file)), { recursive: true });
      const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = ${line % 9 === 0 ? version : line};`);
      await writeFile(path.join(t.root, file), `${lines.join('\n')}\n`);
    }
    return t.track();
  };
  const groups = last.files.map((count) => Array.from({ length: count }, (_, at) => `set${count}/part${at % 40}/file${at}.ts`));
  for (const group of groups) await write(group, 0);
  if (last.oneLine > 0) await writeFile(path.join(t.root, 'bundle.js'), `var a=1;${'x=f(x);'.repeat(last.oneLine / 7)}`);
  const states = [await write(small, 0), await write(small, 1)] as const;
  const turns = Math.floor(messages / PER_TURN);
  const special = groups.length + (last.oneLine > 0 ? 1 : 0);
  const plain = Math.max(0, turns - special);
  let tree = states[1];
  for (let n = 0, chunk = ''; n < plain; n += 1) {
    const to = states[n % 2] ?? tree;
    chunk += turnLines(n, name, n === 0 ? states[1] : tree, to, small);
    tree = to;
    if (chunk.length > 1 << 20 || n === plain - 1) {
      await appendFile(t.log, chunk);
      chunk = '';
    }
  }
  await write(small, plain % 2 === 1 ? 0 : 1);
  let n = plain;
  for (const group of groups) {
    const to = await write(group, 1);
    await appendFile(t.log, turnLines(n++, name, tree, to, group));
    tree = to;
  }
  if (last.oneLine > 0) {
    await writeFile(path.join(t.root, 'bundle.js'), `var a=2;${'x=f(x);'.repeat(last.oneLine / 7)}`);
    const to = await t.track();
    await appendFile(t.log, turnLines(n++, name, tree, to, ['bundle.js']));
  }
  return t;
}

/** Makes the viewer of `folder` know a thread that lies anywhere, as opening it once by hand does. */
export async function remember(folder: string, thread: TanstackScenario): Promise<void> {
  await runCli(['show', thread.log], cleanEnv(folder));
}
