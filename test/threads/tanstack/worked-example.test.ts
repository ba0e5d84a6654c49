import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Places } from '../../../electron/threads/source.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { type TanstackScenario, tanstackScenario } from '../../scenarios/tanstack.ts';
import { harnessRevert } from '../../scenarios/tanstack-harness.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';

async function openOnly(t: TanstackScenario) {
  const places: Places = { home: path.join(t.folder, 'home'), env: {} };
  const [head] = await tanstack.locate(t.log, places);
  if (!head) throw new Error('no thread was found');
  const reader = await tanstack.open(head, { root: null, data: null, places, ownData: path.join(t.folder, 'own') });
  await reader.read();
  return reader;
}

test('the worked example of the format description: two turns, a revert, and the prompt that makes it final', async () => {
  const t = await tanstackScenario(await tempFolder());
  await writeFiles(t.root, { 'a.txt': 'one' });
  const first = await t.turn(
    'Edit a',
    [{ tool: 'edit_file', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two'), files: ['a.txt'] }],
    {
      answer: 'First.',
    },
  );
  const second = await t.turn('Add b', [
    { tool: 'write_file', edit: (root) => writeFile(path.join(root, 'b.txt'), 'b'), files: ['b.txt'] },
  ]);
  const reader = await openOnly(t);
  let thread = reader.thread();
  expect(thread.status).toBe('idle');
  expect(thread.head).toMatchObject({ id: 'tanstack:thread-1', title: 'Edit a', root: t.root, parent: null });
  expect(thread.messages.map((message) => [message.stop, message.id, message.role, message.turn])).toEqual([
    [1, first.userId, 'user', 1],
    [2, first.messages[1], 'assistant', 1],
    [3, '#3', 'tool', 1],
    [4, first.answerId, 'assistant', 1],
    [5, second.userId, 'user', 2],
    [6, second.messages[1], 'assistant', 2],
    [7, '#7', 'tool', 2],
    [8, second.answerId, 'assistant', 2],
  ]);
  expect(thread.steps.map((step) => [step.id, step.turn, step.stop, step.from, step.to, step.listed])).toEqual([
    ['s2', 1, 2, first.steps[0]?.from, first.steps[0]?.to, ['a.txt']],
    ['s4', 1, 4, null, null, []],
    ['s6', 2, 6, second.steps[0]?.from, second.steps[0]?.to, ['b.txt']],
    ['s8', 2, 8, null, null, []],
  ]);
  expect(reader.objectFolders()).toEqual([path.join(t.gitDir, 'objects')]);
  expect(reader.writer?.revert({ stop: 4, now: 'N', files: ['b.txt'], at: 9 })).toEqual([
    { type: 'harness.revert', revert: { messageId: first.answerId, files: { now: 'N', files: ['b.txt'] } } },
    {
      type: 'harness.event',
      operationId: 'session',
      event: { type: 'CUSTOM', name: 'harness.revert', value: { messageId: first.answerId }, timestamp: 9 },
    },
  ]);

  await harnessRevert(t, first.answerId);
  expect(await reader.read()).toBe(true);
  thread = reader.thread();
  expect(thread.standing).toEqual({ messageId: first.answerId, stop: 4, hidden: 4, files: ['b.txt'], now: second.steps[0]?.to });
  expect(thread.messages.map((message) => message.hidden)).toEqual([null, null, null, null, ...Array(4).fill({ reason: 'reverted' })]);
  expect(thread.turns.map((turn) => [turn.firstStop, turn.lastStop, turn.hidden])).toEqual([
    [0, 4, null],
    [4, 8, { reason: 'reverted' }],
  ]);

  await t.turn('Go on', []);
  expect(await reader.read()).toBe(true);
  thread = reader.thread();
  expect(thread.standing).toBeNull();
  expect(thread.messages.map((message) => [message.stop, message.hidden?.reason ?? null])).toEqual([
    [1, null],
    [2, null],
    [3, null],
    [4, null],
    [null, 'dropped'],
    [null, 'dropped'],
    [null, 'dropped'],
    [null, 'dropped'],
    [5, null],
    [6, null],
  ]);
  expect(thread.steps.find((step) => step.id === 's6')).toMatchObject({ stop: null, hidden: { reason: 'dropped' } });
  expect(thread.turns[1]).toMatchObject({ firstStop: null, lastStop: null, hidden: { reason: 'dropped' } });
  expect((await reader.body(second.answerId)).parts).toEqual([{ kind: 'text', text: 'Done.' }]);
  expect(await readFile(path.join(t.root, 'a.txt'), 'utf8')).toBe('two');
});
