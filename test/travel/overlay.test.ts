import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { historyOf } from '../../electron/travel/history.ts';
import { keyOf } from '../../electron/travel/own-files.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, REDO, restoreOf, revertTo, UNDO, UNREVERT } from './tanstack-travelling.ts';

const text = (n: Neutral, name: string): Promise<string> => readFile(path.join(n.root, name), 'utf8');

/** Two turns that each write f. */
async function twoTurns(): Promise<Neutral> {
  const n = await neutral();
  await writeFiles(n.root, { f: '0\n' });
  await n.base();
  for (const value of ['1', '2']) {
    await n.user(`write ${value}`);
    await writeFile(path.join(n.root, 'f'), `${value}\n`);
    await n.step(`write ${value}`, ['f']);
  }
  return n;
}

test('a revert hides messages, steps and turns for us alone, and says that the agent remembers them', async () => {
  const n = await twoTurns();
  const context = await n.context();
  const log = await readFile(n.log);
  const plan = await previewTravel(context, revertTo(2));
  expect(plan.notes).toEqual(['The agent still remembers the hidden messages: only Turnback hides them.']);
  expect((await runTravel(context, revertTo(2), DEFAULTS)).log).toBe('overlay');
  const view = await viewOf(context);
  expect(view.standing).toEqual({ messageId: 's0002', stop: 2, hidden: 2, files: ['f'], now: null });
  expect(view.messages.map((message) => message.hidden?.reason ?? null)).toEqual([null, null, 'reverted', 'reverted']);
  expect(view.steps.map((step) => step.hidden?.reason ?? null)).toEqual([null, 'reverted']);
  expect(view.turns.map((turn) => turn.hidden?.reason ?? null)).toEqual([null, 'reverted']);
  expect(await readFile(n.log)).toEqual(log);
  expect(view.can).toMatchObject({
    revert: true,
    unrevert: true,
    undo: { code: 'NOT_SUPPORTED' },
    redo: { code: 'NOT_SUPPORTED' },
    patch: true,
  });
  for (const request of [UNDO, REDO]) await expect(runTravel(context, request, DEFAULTS)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});

test('it can stand before the first message, and the next prompt makes it final', async () => {
  const n = await twoTurns();
  const context = await n.context();
  await runTravel(context, revertTo(0), DEFAULTS);
  expect(await text(n, 'f')).toBe('0\n');
  expect((await viewOf(context)).messages.every((message) => message.hidden?.reason === 'reverted')).toBe(true);
  // The agent's own answer to something that was going on is no prompt.
  await n.stepRaw(n.tree, n.tree, 'late answer', []);
  await context.thread.refresh();
  expect((await viewOf(context)).can.unrevert).toBe(true);
  await n.user('go on');
  await writeFile(path.join(n.root, 'f'), '3\n');
  await n.base();
  await context.thread.refresh();
  const view = await viewOf(context);
  expect(view.standing).toBeNull();
  expect(view.can.unrevert).toMatchObject({ code: 'REVERT_FINAL' });
  await expect(runTravel(context, UNREVERT, DEFAULTS)).rejects.toMatchObject({ code: 'REVERT_FINAL' });
  expect(view.messages.map((message) => message.hidden?.reason ?? null)).toEqual([...Array(4).fill('dropped'), null, null]);
  expect(await text(n, 'f')).toBe('3\n');
  // Its files can still come back from the history, your line on top staying.
  const [entry] = await historyOf(context);
  expect(entry).toMatchObject({ kind: 'revert', target: 'before turn 1', files: 1, can: true });
  const plan = await previewTravel(context, restoreOf(entry?.id ?? ''));
  expect(plan.files).toMatchObject([{ path: 'f', drift: true, choice: 'keep', choices: ['keep', 'overwrite'] }]);
  await runTravel(context, restoreOf(entry?.id ?? ''), { ...DEFAULTS, drift: 'overwrite' });
  expect(await text(n, 'f')).toBe('2\n');
  const [undo] = await historyOf(context);
  await runTravel(context, restoreOf(undo?.id ?? ''), DEFAULTS);
  expect(await text(n, 'f')).toBe('3\n');
});

test('a later revert over one that became final finds its way exactly', async () => {
  const n = await twoTurns();
  const context = await n.context();
  await runTravel(context, revertTo(2), DEFAULTS);
  await n.base();
  await n.user('third');
  await writeFile(path.join(n.root, 'f'), '3\n');
  await n.step('write 3', ['f']);
  await context.thread.refresh();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files).toMatchObject([{ path: 'f', verb: 'restore', drift: false }]);
  expect(plan.turns).toEqual([1, 3]);
  await runTravel(context, revertTo(0), DEFAULTS);
  expect(await text(n, 'f')).toBe('0\n');
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await text(n, 'f')).toBe('3\n');
});

test('restoring the standing revert’s entry brings its messages back, too', async () => {
  const n = await twoTurns();
  const context = await n.context();
  const { entry } = await runTravel(context, revertTo(2), DEFAULTS);
  expect((await previewTravel(context, restoreOf(entry))).messages).toBe(2);
  expect((await runTravel(context, restoreOf(entry), DEFAULTS)).log).toBe('overlay');
  expect(await text(n, 'f')).toBe('2\n');
  expect((await viewOf(context)).standing).toBeNull();
});

test('every entry of the history brings back its own moment, also the one before the last', async () => {
  const n = await twoTurns();
  const context = await n.context();
  const first = await runTravel(context, revertTo(2, 'files'), DEFAULTS);
  const second = await runTravel(context, revertTo(0, 'files'), DEFAULTS);
  expect(await text(n, 'f')).toBe('0\n');
  await runTravel(context, restoreOf(first.entry), DEFAULTS);
  expect(await text(n, 'f')).toBe('2\n');
  await runTravel(context, restoreOf(second.entry), DEFAULTS);
  expect(await text(n, 'f')).toBe('1\n');
  expect((await historyOf(context)).map(({ kind, target, bytes }) => [kind, target, bytes])).toEqual([
    ['restore', 'before the revert (before turn 1)', 2],
    ['restore', 'before the revert (before turn 2)', 2],
    ['revert', 'before turn 1', 2],
    ['revert', 'before turn 2', 2],
  ]);
});

test('a history that cannot be read is said with its path, and nothing is guessed', async () => {
  const n = await twoTurns();
  const context = await n.context();
  await runTravel(context, revertTo(2), DEFAULTS);
  const file = path.join(n.folder, 'own-data', 'overlay', `${keyOf('opencode:session-A')}.json`);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: 1, standing: { messageId: 's0002', stop: 2 }, final: [] });
  for (const broken of ['{', '{"version":2}']) {
    await writeFile(file, broken);
    await expect(viewOf(context)).rejects.toMatchObject({ code: 'HISTORY_UNREADABLE', message: expect.stringContaining(file) });
    await expect(runTravel(context, UNREVERT, DEFAULTS)).rejects.toMatchObject({ code: 'HISTORY_UNREADABLE' });
  }
});
