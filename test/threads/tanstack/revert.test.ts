import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import type { Step } from '../../../shared/model.ts';
import { type ModelStep, type TanstackScenario, tanstackScenario } from '../../scenarios/tanstack.ts';
import { harnessRevert, harnessUndo, harnessUnrevert } from '../../scenarios/tanstack-harness.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { applied, call, HandLog, handLog, input, revert, say, settled, step, transcript, tree, user } from './hand-log.ts';

/** The files that the harness would put back for a revert to the message, and to which tree: its own rule, on its own lists. */
function harnessFiles(t: TanstackScenario, at: number): { from: string | null; files: string[] } {
  const calls = new Set(
    t.messages.slice(at + 1).flatMap((message) => (message['toolCalls'] as { id: string }[] | undefined)?.map((one) => one.id) ?? []),
  );
  const steps = t.steps.filter((one) => one.toolCallIds.some((id) => calls.has(id)));
  return { from: steps[0]?.from ?? null, files: [...new Set(steps.flatMap((one) => one.files))] };
}

function ourFiles(steps: readonly Step[], stop: number): { from: string | null; files: string[] } {
  const covered = steps.filter((one) => one.stop !== null && one.stop > stop && one.from !== null);
  return { from: covered[0]?.from ?? null, files: [...new Set(covered.flatMap((one) => one.listed ?? []))] };
}

function compare(t: TanstackScenario, reader: ThreadReader): void {
  const thread = reader.thread();
  const live = thread.messages.filter((message) => message.stop !== null);
  expect(live.map((message) => message.stop)).toEqual(t.messages.map((_, index) => index + 1));
  expect(live.map((message) => message.role)).toEqual(t.messages.map((message) => message.role));
  for (const [index, message] of t.messages.entries()) if (message['id'] !== undefined) expect(live[index]?.id).toBe(message['id']);
  const at = t.revert === null ? -1 : t.messages.findIndex((message) => message['id'] === t.revert?.messageId);
  expect(live.map((message) => message.hidden !== null)).toEqual(t.messages.map((_, index) => at >= 0 && index > at));
  expect(thread.standing?.files ?? null).toEqual(t.revert === null ? null : (t.revert.files?.files ?? []));
  for (const [index, message] of t.messages.entries()) {
    if (message['id'] === undefined) continue;
    expect(ourFiles(thread.steps, index + 1)).toEqual(harnessFiles(t, index));
  }
}

const NAMES = ['a.txt', 'b c.txt', 'src/[x].ts', 'ü.md'];

type Act = { act: 'turn'; edits: [number, number][] } | { act: 'revert'; to: number } | { act: 'unrevert' } | { act: 'undo' };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('turn' as const), edits: fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('revert' as const), to: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('unrevert' as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('undo' as const) }) },
);

function modelSteps(edits: readonly [number, number][], salt: number): ModelStep[] {
  return edits.map(([file, how], index) => {
    const name = NAMES[file] ?? 'a.txt';
    const edit = async (root: string): Promise<void> => {
      if (how === 0) await rm(path.join(root, name), { force: true });
      else await writeFiles(root, { [name]: `content ${salt} ${index} ${how}` });
    };
    return { tool: how === 1 ? 'bash' : 'write_file', edit };
  });
}

test('random histories fold to what the harness itself holds, and every stop takes back the files that it would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 8 }), async (acts) => {
      const t = await tanstackScenario(await tempFolder());
      await writeFiles(t.root, { 'a.txt': '0' });
      let reader: ThreadReader | null = null;
      for (const [index, next] of acts.entries()) {
        if (next.act === 'turn') {
          const start = await t.track();
          await t.turn(`turn ${index}`, modelSteps(next.edits, index));
          if (index % 3 === 0) await writeFile(path.join(t.root, 'mine.txt'), `user ${index} ${start}`);
        } else if (next.act === 'revert') {
          const targets = t.messages.filter((message) => message['id'] !== undefined);
          const target = targets[next.to % Math.max(1, targets.length)];
          if (target) await harnessRevert(t, String(target['id']));
        } else if (next.act === 'unrevert') await harnessUnrevert(t);
        else if (t.revert === null && t.messages.some((message) => message.role === 'user')) {
          const tree = await t.track();
          await harnessUndo(t, { start: tree, end: tree });
        }
        if (reader === null) reader = await new HandLog(t.folder, t.log).open();
        else await reader.read();
        compare(t, reader);
      }
    }),
    { numRuns: 8 },
  );
});

test('the records of a revert are those that the harness writes, also over one that stands', async () => {
  const t = await tanstackScenario(await tempFolder());
  await writeFiles(t.root, { 'a.txt': 'one' });
  const first = await t.turn('first', [{ tool: 'edit_file', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two') }]);
  const second = await t.turn('second', [{ tool: 'edit_file', edit: (root) => writeFile(path.join(root, 'a.txt'), 'three') }]);
  const reader = await new HandLog(t.folder, t.log).open();
  const now = await t.track();
  const stopOf = (id: string): number => t.messages.findIndex((message) => message['id'] === id) + 1;
  const theirs = await harnessRevert(t, second.userId);
  const at = (theirs[1] as { event: { timestamp: number } }).event.timestamp;
  expect(reader.writer?.revert({ stop: stopOf(second.userId), now, files: ['a.txt'], at })).toEqual(theirs);
  await reader.read();
  const over = reader.writer?.revert({ stop: stopOf(first.answerId), now, files: ['a.txt'], at: 5 }) ?? [];
  expect(over.map((record) => record.type)).toEqual(['harness.revert', 'harness.revert', 'harness.event']);
  expect(over[0]).toEqual({ type: 'harness.revert', revert: null });
  expect(reader.writer?.revert({ stop: stopOf(first.answerId), now, files: null, at: 5 })[1]).toEqual({
    type: 'harness.revert',
    revert: { messageId: first.answerId },
  });
  expect(() => reader.writer?.revert({ stop: 0, now, files: [], at: 1 })).toThrow(expect.objectContaining({ code: 'STOP_FIRST_MESSAGE' }));
  expect(() => reader.writer?.revert({ stop: 99, now, files: [], at: 1 })).toThrow(expect.objectContaining({ code: 'UNKNOWN_MESSAGE' }));
  expect(() => reader.writer?.revert({ stop: 3, now, files: [], at: 1 })).toThrow(expect.objectContaining({ code: 'STOP_WITHOUT_ID' }));
});

test('a step belongs to the last message that names one of its calls; one that names none cannot be travelled', async () => {
  const log = await handLog();
  await log.batch(input('in1'), applied('in1'), transcript(0, user('u1'), call('a1', ['c1', 'edit_file', { path: 'a' }])));
  await log.batch(step('1', '2', ['a'], ['c1']), transcript(2, call('a2', ['c2', 'bash'], ['c1', 'edit_file', { path: 'a' }])));
  await log.batch(step('2', '3', ['b'], ['c2']), step('3', '4', ['c'], ['c2']));
  await log.batch({ ...step('4', '5', ['d'], []), toolCallIds: undefined }, { ...step('5', '6', [], ['c2']), files: undefined });
  await log.batch(
    { ...step('6', '7', ['e'], ['c2']), from: 'HEAD' },
    step('7', '8', ['f'], ['nobody']),
    transcript(3, say('a3')),
    settled('in1'),
  );
  const thread = (await log.open()).thread();
  expect(thread.steps.map(({ id, stop, listed, captured, turn }) => [id, stop, listed, captured, turn])).toEqual([
    ['s2', 2, [], true, 1],
    ['s3', 3, ['a'], null, 1],
    ['r6', 3, ['b'], null, 1],
    ['r7', 3, ['c'], null, 1],
    ['r8', null, ['d'], null, 1],
    ['r9', null, null, null, 1],
    ['r10', 3, ['e'], expect.objectContaining({ code: 'TREE_EMPTY' }), 1],
    ['r11', null, ['f'], null, 1],
    ['s4', 4, [], true, 1],
  ]);
  expect(thread.notices.map((notice) => notice.code)).toContain('NO_TOOL_CALLS');
});

test('a file tool that wrote without a snapshot says that nothing was recorded; one that failed or only read is no loss', async () => {
  const log = await handLog();
  const done = (id: string, extra = {}) => ({
    type: 'harness.tool.result',
    toolCallId: id,
    message: { role: 'tool', toolCallId: id, content: 'x', ...extra },
  });
  await log.batch(input('in1'), applied('in1'), transcript(0, user('u1')));
  await log.batch(transcript(1, call('a1', ['c1', 'write_file', { path: 'a' }])), done('c1'));
  await log.batch(transcript(2, call('a2', ['c2', 'write_file', { path: 'a' }])), done('c2', { error: 'no' }));
  await log.batch(transcript(3, call('a3', ['c3', 'read_file', { path: 'a' }], ['c4', 'bash', { command: 'ls' }])), done('c3'), done('c4'));
  expect((await log.open()).thread().steps.map(({ captured, files, sideEffects }) => [captured, files, sideEffects])).toEqual([
    [expect.objectContaining({ code: 'TREE_EMPTY' }), [], 0],
    [true, [], 0],
    [true, [], 1],
  ]);
});

test('gaps between steps are the edits of the user; what a revert or an undo changed is none', async () => {
  const log = await handLog();
  await log.batch(
    input('in1'),
    applied('in1'),
    transcript(0, user('u1'), call('a1', ['c1', 'bash'])),
    step('1', '2', ['a'], ['c1']),
    settled('in1'),
  );
  await log.batch(
    input('in2'),
    applied('in2'),
    transcript(2, user('u2'), call('a2', ['c2', 'bash'])),
    step('3', '4', ['a'], ['c2']),
    settled('in2'),
  );
  await log.batch(revert('u2', { now: tree('5'), files: ['a'] }));
  await log.batch(transcript(3), revert(null), input('in3'), applied('in3'), transcript(3, user('u3'), call('a3', ['c3', 'bash'])));
  await log.batch(step('6', '7', ['a'], ['c3']), step('7', '8', ['b'], ['c3']), settled('in3'));
  expect((await log.open()).thread().gaps).toEqual([
    { afterStep: 's2', beforeStep: 's4', from: tree('2'), to: tree('3') },
    { afterStep: 's4', beforeStep: 's6', from: tree('4'), to: tree('5') },
  ]);
});
