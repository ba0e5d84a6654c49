import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Thread } from '../../../shared/model.ts';
import { OPENCODE_STATES, type OpencodeState } from '../../scenarios/opencode.ts';
import { openSample } from './open-sample.ts';

/** One line a step: turn, stop, trees, tools, and why it is hidden. */
const stepLines = (thread: Thread): string[] =>
  thread.steps.map((step) => {
    const hidden = step.hidden ? ` ${step.hidden.reason}` : '';
    return `T${step.turn} @${step.stop ?? '-'} ${step.from?.slice(0, 7)} ${step.to?.slice(0, 7)} [${step.tools.join(' ')}]${hidden}`;
  });

const T1 = [
  'T1 @2 6db032c 6db032c [read]',
  'T1 @3 6db032c 43ff434 [write]',
  'T1 @4 43ff434 8e17064 [edit edit]',
  'T1 @5 8e17064 8e17064 []',
];
const T2 = ['T2 @7 8e17064 48c6b53 [bash]', 'T2 @8 48c6b53 48c6b53 [read]', 'T2 @9 48c6b53 09d489d [edit]', 'T2 @10 09d489d 09d489d []'];
const T3 = ['T3 @12 09d489d aef7c84 [bash]', 'T3 @13 aef7c84 a90b2b1 [write bash]', 'T3 @14 a90b2b1 a90b2b1 []'];
const T4 = [
  'T4 @16 e75d2d0 e75d2d0 [edit]',
  'T4 @17 e75d2d0 e75d2d0 [bash]',
  'T4 @18 e75d2d0 e75d2d0 [read]',
  'T4 @19 e75d2d0 84b5992 [edit]',
  'T4 @20 84b5992 1ea2247 [edit]',
  'T4 @21 1ea2247 1ea2247 []',
];
const hidden = (lines: readonly string[], why: string): string[] =>
  lines.map((line) => `${why === 'dropped' ? line.replace(/@\d+/, '@-') : line} ${why}`);

const STEPS: Record<OpencodeState, string[]> = {
  t1: T1,
  t2: [...T1, ...T2],
  before_revert: [...T1, ...T2, ...T3, ...T4],
  after_revert: [...T1, ...hidden([...T2, ...T3, ...T4], 'reverted')],
  after_unrevert: [...T1, ...T2, ...T3, ...T4],
  after_revert_prompt: [...T1, ...T2, ...hidden([...T3, ...T4], 'dropped'), 'T5 @12 552858d da27f31 [write]', 'T5 @13 da27f31 da27f31 []'],
};

const PROMPTS = [
  'Add a greeting module. [T1]',
  'Rename util to helpers. [T2]',
  'Replace the notes with a guide. [T3]',
  'Make the greeting less formal. [T4]',
];

test.each(OPENCODE_STATES)('%s: turns, steps and trees are those that were recorded', async (state) => {
  const { reader, sample } = await openSample(state);
  const thread = reader.thread();
  expect(stepLines(thread)).toEqual(STEPS[state]);
  const prompts = state === 't1' ? PROMPTS.slice(0, 1) : state === 't2' ? PROMPTS.slice(0, 2) : PROMPTS;
  expect(thread.turns.map((turn) => turn.prompt)).toEqual(
    state === 'after_revert_prompt' ? [...prompts, 'Add a bye module. [T5]'] : prompts,
  );
  expect(thread.turns.map((turn) => turn.status)).toEqual(thread.turns.map(() => 'completed'));
  expect(thread.steps.map((step) => step.captured)).toEqual(thread.steps.map(() => null));
  expect(thread).toMatchObject({ status: 'idle', bad: [], notices: [], keeps: 'overlay' });
  expect(thread.head).toMatchObject({
    id: `opencode:${sample.sessionId}`,
    source: 'opencode',
    title: 'Mock session title',
    root: sample.root,
    log: sample.db,
    parent: null,
  });
  expect(reader.writer).toBeNull();
  expect(await reader.liveSign()).toBeNull();
});

describe('before_revert', () => {
  test('every message has its stop, and the cursor may stand at each', async () => {
    const { messages, turns } = (await openSample('before_revert')).reader.thread();
    expect(messages.map((message) => message.stop)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
    expect(messages.every((message) => message.canStand === true)).toBe(true);
    expect(turns.map((turn) => [turn.index, turn.firstStop, turn.lastStop])).toEqual([
      [1, 0, 5],
      [2, 5, 10],
      [3, 10, 14],
      [4, 14, 21],
    ]);
    expect(messages.map((message) => message.role[0]).join('')).toBe('uaaaauaaaauaaauaaaaaa');
  });

  test('calls say what they wrote, and what no revert reaches', async () => {
    const { messages, steps } = (await openSample('before_revert')).reader.thread();
    const calls = messages.flatMap((message) => message.tools);
    expect(calls.map((call) => [call.name, call.summary, call.status, call.sideEffect, call.wrote])).toEqual([
      ['read', 'src/app.js', 'done', null, []],
      ['write', 'src/greet.js', 'done', null, ['src/greet.js']],
      ['edit', 'src/app.js', 'done', null, ['src/app.js']],
      ['edit', 'src/app.js', 'done', null, ['src/app.js']],
      ['bash', 'mv src/util.js src/helpers.js && ls src', 'done', 'shell', null],
      ['read', 'src/app.js', 'done', null, []],
      ['edit', 'src/app.js', 'done', null, ['src/app.js']],
      ['bash', 'rm docs/notes.txt && echo "See docs/guide.md" >> README.md', 'done', 'shell', null],
      ['write', 'docs/guide.md', 'done', null, ['docs/guide.md']],
      ['bash', `printf '\\000\\001\\002\\377' > assets.bin && wc -c assets.bin`, 'done', 'shell', null],
      ['edit', 'src/greet.js', 'failed', null, []],
      ['bash', 'ls no-such-dir; exit 3', 'done', 'shell', null],
      ['read', 'src/greet.js', 'done', null, []],
      ['edit', 'src/greet.js', 'done', null, ['src/greet.js']],
      ['edit', 'src/greet.js', 'done', null, ['src/greet.js']],
    ]);
    expect(steps.flatMap((step) => step.toolCallIds)).toEqual(calls.map((call) => call.id));
    expect(new Set(calls.map((call) => call.id)).size).toBe(15);
    expect(steps.map((step) => step.sideEffects)).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0]);
  });

  test('the edit of the user between T3 and T4 is a gap, and the only one', async () => {
    const { gaps, steps } = (await openSample('before_revert')).reader.thread();
    expect(gaps).toEqual([
      {
        afterStep: steps[10]?.id,
        beforeStep: steps[11]?.id,
        from: 'a90b2b1c73632ee91c720d7fce2b52977acc518d',
        to: 'e75d2d001bae783abe4f5570533f729de148bf75',
      },
    ]);
  });

  test('a message is read whole: thinking, text, calls with their output and exit code', async () => {
    const { reader } = await openSample('before_revert');
    const ids = reader.thread().messages.map((message) => message.id);
    expect((await reader.body(ids[0] ?? '')).parts).toEqual([{ kind: 'text', text: 'Add a greeting module. [T1]' }]);
    const first = (await reader.body(ids[1] ?? '')).parts;
    expect(first.map((part) => part.kind)).toEqual(['thinking', 'text', 'call', 'output']);
    expect(first[0]).toEqual({ kind: 'thinking', text: 'Look at the app first.' });
    expect(first[2]).toMatchObject({
      call: { id: 'call_mock_2_0', name: 'read' },
      input: '{\n  "filePath": "/workspace/scratch-oc/src/app.js"\n}',
    });
    const failed = (await reader.body(ids[15] ?? '')).parts.find((part) => part.kind === 'output');
    expect(failed).toMatchObject({ callId: 'call_mock_13_0', failed: true, exit: null });
    const shell = (await reader.body(ids[16] ?? '')).parts.find((part) => part.kind === 'output');
    expect(shell).toEqual({
      kind: 'output',
      callId: 'call_mock_14_0',
      text: "ls: cannot access 'no-such-dir': No such file or directory\n",
      failed: false,
      exit: 3,
    });
    await expect(reader.body('msg_none')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('nothing new: no second copy is made, and nothing stays behind once closed', async () => {
    const { reader, ownData } = await openSample('before_revert');
    const thread = reader.thread();
    expect(await reader.read()).toBe(false);
    expect(reader.thread()).toBe(thread);
    // The texts of its parts, and the copy that the next commit is added to.
    expect((await readdir(path.join(ownData, 'tmp'))).map((name) => name.split('-')[0]).sort()).toEqual(['opencode', 'sqlite']);
    await reader.close();
    expect(await readdir(path.join(ownData, 'tmp'))).toEqual([]);
  });
});

test('after_revert: the revert that OpenCode made stands', async () => {
  const thread = (await openSample('after_revert')).reader.thread();
  expect(thread.standing).toEqual({
    messageId: thread.messages[4]?.id,
    stop: 5,
    hidden: 16,
    files: ['README.md', 'assets.bin', 'docs/guide.md', 'docs/notes.txt', 'src/app.js', 'src/greet.js', 'src/helpers.js'],
    now: '1ea2247531c4fd06f6c8133d64d45c259b83e463',
  });
  expect(thread.messages.map((message) => message.hidden?.reason ?? null)).toEqual([...Array(5).fill(null), ...Array(16).fill('reverted')]);
  expect(thread.messages.map((message) => message.stop)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
});

describe('after_revert_prompt', () => {
  test('T3 and T4 are shown as dropped, at the place where they stood', async () => {
    const thread = (await openSample('after_revert_prompt')).reader.thread();
    expect(thread.standing).toBeNull();
    const line = thread.messages.map((message) => (message.hidden ? message.hidden.reason : message.stop));
    expect(line).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...Array(11).fill('dropped'), 11, 12, 13]);
    expect(thread.turns.map((turn) => turn.hidden?.reason ?? null)).toEqual([null, null, 'dropped', 'dropped', null]);
    expect(thread.turns.map((turn) => [turn.firstStop, turn.lastStop])).toEqual([
      [0, 5],
      [5, 10],
      [null, null],
      [null, null],
      [10, 13],
    ]);
    expect(thread.messages[10]).toMatchObject({ stop: null, canStand: { code: 'STOP_DROPPED' }, excerpt: PROMPTS[2] });
  });

  test('their calls and their text are whole', async () => {
    const { reader } = await openSample('after_revert_prompt');
    const dropped = reader.thread().messages.filter((message) => message.hidden);
    expect(dropped.flatMap((message) => message.tools.map((call) => `${call.name} ${call.status}`))).toEqual([
      'bash done',
      'write done',
      'bash done',
      'edit failed',
      'bash done',
      'read done',
      'edit done',
      'edit done',
    ]);
    const last = dropped.at(-1);
    expect((await reader.body(last?.id ?? '')).parts).toEqual([
      { kind: 'text', text: 'Turn 4 done: changed the greeting in src/greet.js.' },
    ]);
  });

  test('the turn after them is compared with the turn that it really follows', async () => {
    const { gaps, steps } = (await openSample('after_revert_prompt')).reader.thread();
    expect(gaps.map((gap) => [gap.afterStep, gap.beforeStep, gap.from.slice(0, 7), gap.to.slice(0, 7)])).toEqual([
      [steps[10]?.id, steps[11]?.id, 'a90b2b1', 'e75d2d0'],
      [steps[7]?.id, steps[17]?.id, '09d489d', '552858d'],
    ]);
  });
});
