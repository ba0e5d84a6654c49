import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileDiffOf, filesOfRange, patchOfRange } from '../../electron/host/changes.ts';
import { sidesOf, stepsOfRange } from '../../electron/host/range.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import { reason } from '../../shared/errors.ts';
import { makeView } from '../renderer/make-view.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, revertTo, stopOf, travelling } from '../travel/tanstack-travelling.ts';

/** Turn 1 changes a.txt twice, then a person changes b.txt; turn 2 changes b.txt and adds c.txt. */
async function twoTurns() {
  const world = await travelling();
  const { t } = world;
  const put = (name: string, text: string) => (root: string) => writeFile(path.join(root, name), text);
  await writeFiles(t.root, { 'a.txt': 'a0\n', 'b.txt': 'b0\n', '.gitignore': 'ignored\n' });
  const one = await t.turn('First', [
    { tool: 'edit_file', edit: put('a.txt', 'a1\n') },
    { tool: 'edit_file', edit: put('a.txt', 'a2\n') },
  ]);
  await writeFile(path.join(t.root, 'b.txt'), 'mine\n');
  const two = await t.turn('Second', [
    { tool: 'edit_file', edit: put('b.txt', 'b2\n') },
    { tool: 'write_file', edit: put('c.txt', 'c2\n') },
  ]);
  return { ...world, one, two };
}

const stops = (from: number, to: number | null) => ({ kind: 'stops', from, to }) as const;
const paths = (files: { path: string; change: string }[]) => files.map(({ path: name, change }) => `${change} ${name}`);

test('two stops are compared by what the steps before them left, in either order, and with the disk', async () => {
  const { t, context, one, two } = await twoTurns();
  const ctx = await context();
  const [afterOne, end] = [stopOf(ctx, one.answerId), stopOf(ctx, two.answerId)];
  expect(paths(await filesOfRange(ctx, stops(0, afterOne)))).toEqual(['modified a.txt']);
  expect(paths(await filesOfRange(ctx, stops(afterOne, end)))).toEqual(['modified b.txt', 'created c.txt']);
  expect(paths(await filesOfRange(ctx, stops(end, 0)))).toEqual(['modified a.txt', 'modified b.txt', 'deleted c.txt']);
  expect(await filesOfRange(ctx, stops(end, end))).toEqual([]);
  await rm(path.join(t.root, 'c.txt'));
  await writeFiles(t.root, { 'd.txt': 'new\n', ignored: 'x' });
  const before = await manifest(t.folder, { mtimes: true, skip: ['own-data'] });
  expect(paths(await filesOfRange(ctx, stops(afterOne, null)))).toEqual(['modified b.txt', 'created d.txt']);
  const side = await fileDiffOf(ctx, stops(0, afterOne), 'a.txt', false);
  expect([side.before?.text, side.after?.text]).toEqual(['a0\n', 'a2\n']);
  const now = await fileDiffOf(ctx, stops(end, null), 'c.txt', false);
  expect([now.before?.text, now.after]).toEqual(['c2\n', null]);
  expect(await manifest(t.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
});

test('one step between the stops does not stand for what a person changed as well', async () => {
  const { context, one, two } = await twoTurns();
  const ctx = await context();
  const between = stops(stopOf(ctx, one.answerId), stopOf(ctx, two.messages[1] ?? ''));
  expect(stepsOfRange(ctx.thread.thread(), between)).toHaveLength(1);
  const diff = await fileDiffOf(ctx, between, 'b.txt', false);
  expect([diff.before?.text, diff.after?.text]).toEqual(['b0\n', 'b2\n']);
  expect(await filesOfRange(ctx, between)).toEqual([{ path: 'b.txt', change: 'modified', added: 1, removed: 1, binary: false }]);
});

test('the patch of a comparison, and of one file of it, is what git makes of the two trees', async () => {
  const { t, context, one, two } = await twoTurns();
  const ctx = await context();
  const range = stops(stopOf(ctx, one.answerId), stopOf(ctx, two.answerId));
  const trees = [one.steps.at(-1)?.to ?? '', two.steps.at(-1)?.to ?? ''];
  const git = (...only: string[]) =>
    execFileSync('git', ['--git-dir', t.gitDir, 'diff', '--binary', '--full-index', '--no-renames', ...trees, '--', ...only]).toString();
  const whole = await patchOfRange(ctx, range, null);
  expect(whole).toMatchObject({ files: 2, name: `turnback-stops-${range.from}-${range.to}.patch` });
  expect(whole.bytes.toString()).toBe(git());
  const file = await patchOfRange(ctx, range, 'c.txt');
  expect(file).toMatchObject({ files: 1, name: `turnback-stops-${range.from}-${range.to}-c.txt.patch` });
  expect(file.bytes.toString()).toBe(git('c.txt'));
  const step = { kind: 'turn', turn: 2 } as const;
  expect((await patchOfRange(ctx, step, 'b.txt')).bytes.toString()).toContain('-mine\n+b2\n');
  await expect(patchOfRange(ctx, step, 'a.txt')).rejects.toMatchObject({ code: 'NO_FILES_IN_PATCH' });
});

test('a stop that a standing revert hides can still be compared; one that is not there is refused', async () => {
  const { t, context, one, two } = await twoTurns();
  const ctx = await context();
  const [afterOne, end] = [stopOf(ctx, one.answerId), stopOf(ctx, two.answerId)];
  await runTravel(ctx, revertTo(afterOne), DEFAULTS);
  const later = await context();
  expect(await readFile(path.join(t.root, 'b.txt'), 'utf8')).toBe('mine\n');
  expect(paths(await filesOfRange(later, stops(afterOne, end)))).toEqual(['modified b.txt', 'created c.txt']);
  expect(paths(await filesOfRange(later, stops(end, null)))).toEqual(['modified b.txt', 'deleted c.txt']);
  await expect(filesOfRange(later, stops(0, 99))).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE', message: /stop:99/ });
});

test('the files of a plan that is refused and has none are its reason, not an empty list', async () => {
  const { t, context, one, two } = await twoTurns();
  const ctx = await context();
  const plan = (stop: number) => filesOfRange(ctx, { kind: 'plan', stop });
  expect(paths(await plan(0))).toEqual(['modified a.txt', 'modified b.txt', 'deleted c.txt']);
  await expect(plan(stopOf(ctx, two.answerId))).rejects.toMatchObject({ code: 'NOTHING_AFTER' });
  await runTravel(ctx, revertTo(stopOf(ctx, one.answerId), 'files'), DEFAULTS);
  await expect(plan(stopOf(ctx, one.answerId))).rejects.toMatchObject({ code: 'FILES_ALREADY_THERE' });
  // Where a change of the agent stays, there is a list.
  await rm(path.join(t.root, 'a.txt'));
  await writeFiles(t.root, { 'a.txt/mine': 'mine\n' });
  await rm(path.join(t.root, 'b.txt'));
  await writeFiles(t.root, { 'b.txt': { link: 'a.txt/mine' } });
  expect((await plan(0)).map((file) => file.path)).toEqual(['a.txt', 'b.txt']);
  await rm(t.root, { recursive: true });
  const gone = await context();
  await expect(filesOfRange(gone, { kind: 'plan', stop: 0 })).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
});

test('a state that was not captured is refused with its reason, never taken from a neighbour', () => {
  const view = makeView(['a', 'b', 'c'].map((name) => ({ role: 'assistant', text: name, files: [{ path: name }] })));
  const [first, second] = view.steps;
  if (first === undefined || second === undefined) throw new Error('no steps');
  second.captured = reason('TREES_EQUAL', { files: 'b' });
  expect(() => sidesOf(view, stops(0, 2))).toThrow(/^Step 2 was not captured.*the change was not captured/);
  expect(() => sidesOf(view, stops(2, null))).toThrow(/^Step 2 was not captured/);
  expect(sidesOf(view, stops(1, 3))).toMatchObject({ from: first.to, to: view.steps[2]?.to, steps: [{ id: 's2' }, { id: 's3' }] });
  // Nothing tells what the files were before a first step without a snapshot.
  Object.assign(first, { from: null, to: null, captured: reason('TREE_EMPTY') });
  expect(() => sidesOf(view, stops(0, 3))).toThrow(/^Step 1 was not captured/);
  // A step that changed nothing needs no snapshot.
  Object.assign(first, { captured: true });
  expect(sidesOf(view, stops(0, 3))).toMatchObject({ from: second.from });
  for (const step of view.steps) Object.assign(step, { from: null, to: null, captured: true });
  expect(sidesOf(view, stops(0, 3))).toBeNull();
});
