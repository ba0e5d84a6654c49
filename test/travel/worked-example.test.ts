import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { harnessUnrevert } from '../scenarios/tanstack-harness.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, revertTo, stopOf, type Travelling, travelling, UNREVERT } from './tanstack-travelling.ts';

/** formats/tanstack.md 17: turn 1 edits a.txt, turn 2 adds b.txt. */
async function workedExample(): Promise<Travelling & { answer1: string; trees: string[] }> {
  const world = await travelling();
  const { t } = world;
  await writeFiles(t.root, { 'a.txt': 'one\n' });
  const one = await t.turn('Edit a', [
    { tool: 'edit_file', files: ['a.txt'], edit: (root) => writeFile(path.join(root, 'a.txt'), 'two\n') },
  ]);
  const two = await t.turn('Add b', [
    { tool: 'write_file', files: ['b.txt'], edit: (root) => writeFile(path.join(root, 'b.txt'), 'new\n') },
  ]);
  const trees = [...one.steps, ...two.steps].flatMap((step) => [step.from, step.to]);
  return { ...world, answer1: one.answerId, trees };
}

test('the plan names b.txt alone; nothing is written by looking', async () => {
  const { t, context, answer1 } = await workedExample();
  const ctx = await context();
  const before = await manifest(t.folder, { mtimes: true, skip: ['own-data'] });
  const plan = await previewTravel(ctx, revertTo(stopOf(ctx, answer1)));
  expect(plan).toMatchObject({
    kind: 'revert',
    target: { messageId: answer1, stop: 4 },
    scope: 'both',
    turns: [2],
    messages: 4,
    files: [
      {
        path: 'b.txt',
        verb: 'delete',
        drift: false,
        choice: 'write',
        choices: ['write', 'keep'],
        why: null,
        added: 0,
        removed: 1,
        binary: false,
      },
    ],
    sideEffects: [],
    skipped: [],
    refusal: null,
  });
  expect(await manifest(t.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
});

test('a revert adds exactly one line with exactly the two records of the harness', async () => {
  const { t, context, answer1, trees } = await workedExample();
  const ctx = await context();
  const before = await readFile(t.log);
  const result = await runTravel(ctx, revertTo(stopOf(ctx, answer1)), DEFAULTS);
  expect(result).toMatchObject({
    message: 'Reverted: the thread stands before turn 2. 1 file put back.',
    log: 'appended',
    files: [{ path: 'b.txt', outcome: 'deleted', why: null }],
  });
  const after = await readFile(t.log);
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  expect(after.subarray(before.length).toString()).toBe(
    `${JSON.stringify([
      { type: 'harness.revert', revert: { messageId: answer1, files: { now: trees[3], files: ['b.txt'] } } },
      {
        type: 'harness.event',
        operationId: 'session',
        event: { type: 'CUSTOM', name: 'harness.revert', value: { messageId: answer1 }, timestamp: 1_800_000_000_000 },
      },
    ])}\n`,
  );
  expect((await manifest(t.root)).map((line) => line.split(' ')[0])).toEqual(['a.txt']);
  expect(await readFile(path.join(t.root, 'a.txt'), 'utf8')).toBe('two\n');
  expect((await viewOf(ctx)).standing).toEqual({ messageId: answer1, stop: 4, hidden: 4, files: ['b.txt'], now: trees[3] });
});

test("the harness's own unrevert works on what we wrote", async () => {
  const { t, context, answer1 } = await workedExample();
  const before = await manifest(t.root);
  const ctx = await context();
  await runTravel(ctx, revertTo(stopOf(ctx, answer1)), DEFAULTS);
  const [last] = (await readFile(t.log, 'utf8')).trimEnd().split('\n').slice(-1);
  t.revert = JSON.parse(last ?? '')[0].revert;
  await harnessUnrevert(t);
  expect(await manifest(t.root)).toEqual(before);
  await ctx.thread.refresh();
  expect((await viewOf(ctx)).standing).toBeNull();
});

test('our unrevert, after a restart, brings the same files and messages back', async () => {
  const { t, context, answer1 } = await workedExample();
  const before = await manifest(t.root);
  const first = await context();
  await runTravel(first, revertTo(stopOf(first, answer1)), DEFAULTS);
  const again = await context();
  expect((await viewOf(again)).can.unrevert).toBe(true);
  const result = await runTravel(again, UNREVERT, DEFAULTS);
  expect(result).toMatchObject({ message: 'Took the revert back. 1 file put back.', files: [{ path: 'b.txt', outcome: 'written' }] });
  expect(await manifest(t.root)).toEqual(before);
  const lines = (await readFile(t.log, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual([
    { type: 'harness.revert', revert: null },
    {
      type: 'harness.event',
      operationId: 'session',
      event: { type: 'CUSTOM', name: 'harness.revert', value: { messageId: null }, timestamp: 1_800_000_000_000 },
    },
  ]);
  const view = await viewOf(again);
  expect(view.standing).toBeNull();
  expect(view.messages.filter((message) => message.hidden !== null)).toEqual([]);
});

test('the next prompt makes the revert final: unrevert says so and changes nothing', async () => {
  const { t, context, answer1 } = await workedExample();
  const ctx = await context();
  await runTravel(ctx, revertTo(stopOf(ctx, answer1)), DEFAULTS);
  const [last] = (await readFile(t.log, 'utf8')).trimEnd().split('\n').slice(-1);
  t.revert = JSON.parse(last ?? '')[0].revert;
  t.messages = t.messages.slice(0, 4).concat(t.messages.slice(4));
  await t.turn('Go on', []);
  await ctx.thread.refresh();
  const before = await manifest(t.folder, { mtimes: true, skip: ['own-data'] });
  await expect(runTravel(ctx, UNREVERT, DEFAULTS)).rejects.toMatchObject({ code: 'REVERT_FINAL' });
  expect(await manifest(t.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
});
