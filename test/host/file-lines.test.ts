import { rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type LinesAt, linesOfFile } from '../../electron/host/lines.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { ModelStep } from '../scenarios/tanstack.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, revertTo, stopOf, travelling } from '../travel/tanstack-travelling.ts';

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const edit = (name: string, content: string | Uint8Array, rest: Partial<ModelStep> = {}): ModelStep => ({
  tool: 'edit_file',
  args: { path: name },
  edit: (root) => writeFile(path.join(root, name), content),
  ...rest,
});

/** The owner of each line as a word: `s2` for step 2, `you`, `before`, `?`. */
async function owners(context: TravelContext, file: string, at: LinesAt, signal?: AbortSignal): Promise<string[]> {
  const { runs, text: lines } = await linesOfFile(context, file, at, signal);
  const numbers = new Map(context.thread.thread().steps.map((step) => [step.id, step.index]));
  const words = runs.flatMap(({ who, step, count }) => {
    const word = who === 'step' ? `s${numbers.get(step ?? '')}` : who === 'unknown' ? `?${numbers.get(step ?? '') ?? ''}` : who;
    return Array.from({ length: count }, () => word);
  });
  expect(words).toHaveLength(lines.length);
  expect(runs.map(({ from }) => from)).toEqual(runs.map((_, at) => runs.slice(0, at).reduce((sum, run) => sum + run.count, 1)));
  return words;
}

/** a.txt: step 1 adds a line, a person changes another, step 2 (turn 2) changes a third, then a person adds the last. */
async function edited() {
  const world = await travelling();
  const { t } = world;
  await writeFiles(t.root, { 'a.txt': text('one', 'two', 'three', 'four'), 'still.txt': text('x') });
  const one = await t.turn('First', [edit('a.txt', text('zero', 'one', 'two', 'three', 'four'))]);
  await writeFile(path.join(t.root, 'a.txt'), text('zero', 'one', 'two, mine', 'three', 'four'));
  const two = await t.turn('Second', [edit('a.txt', text('zero', 'one', 'two, mine', 'three', 'FOUR'))]);
  await writeFile(path.join(t.root, 'a.txt'), text('zero', 'one', 'two, mine', 'three', 'FOUR', 'after'));
  await writeFile(path.join(t.root, 'still.txt'), text('x', 'y'));
  return { ...world, one, two };
}

test('each line belongs to the step that brought it, to somebody outside, or to before', async () => {
  const { t, context, one, two } = await edited();
  const ctx = await context();
  const before = await manifest(t.folder, { mtimes: true, skip: ['own-data'] });
  expect(await owners(ctx, 'a.txt', null)).toEqual(['s1', 'before', 'you', 'before', 's3', 'you']);
  expect(await owners(ctx, 'a.txt', stopOf(ctx, two.answerId))).toEqual(['s1', 'before', 'you', 'before', 's3']);
  expect(await owners(ctx, 'a.txt', stopOf(ctx, one.answerId))).toEqual(['s1', 'before', 'before', 'before', 'before']);
  expect(await owners(ctx, 'a.txt', 0)).toEqual(['before', 'before', 'before', 'before']);
  const steps = ctx.thread.thread().steps;
  expect(await owners(ctx, 'a.txt', steps[0]?.id ?? '')).toEqual(['s1', 'before', 'before', 'before', 'before']);
  expect((await linesOfFile(ctx, 'a.txt', null)).runs[0]).toEqual({ from: 1, count: 1, who: 'step', step: steps[0]?.id, turn: 1 });
  expect(await owners(ctx, 'still.txt', null)).toEqual(['before', 'you']);
  expect(await manifest(t.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
});

test('a file that a person made while the thread ran was not there before it', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { 'a.txt': 'a\n' });
  await t.turn('First', [edit('a.txt', 'b\n')]);
  await writeFiles(t.root, { 'mine.txt': text('1', '2') });
  await t.turn('Second', [edit('mine.txt', text('1', '2', '3'))]);
  const ctx = await context();
  expect(await owners(ctx, 'mine.txt', null)).toEqual(['you', 'you', 's3']);
});

test('deleted and made again, binary in between, moved line ends: what reads the same keeps its owner only while it is there', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { 'a.txt': text('a', 'b'), 'b.txt': text('a', 'b'), 'c.txt': text('a', 'b') });
  await t.turn('First', [
    { tool: 'delete_file', args: { path: 'a.txt' }, edit: (root) => rm(path.join(root, 'a.txt')) },
    edit('a.txt', text('a', 'b')),
    edit('b.txt', new Uint8Array([0, 1, 2])),
    edit('b.txt', text('a', 'b')),
    edit('c.txt', 'a\r\nb\r\nc\r\n'),
  ]);
  const ctx = await context();
  expect(await owners(ctx, 'a.txt', null)).toEqual(['s2', 's2']);
  expect(await owners(ctx, 'b.txt', null)).toEqual(['s4', 's4']);
  expect(await owners(ctx, 'c.txt', null)).toEqual(['before', 'before', 's5']);
});

test('what a step that was not captured may have changed is not known, and only that', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { 'a.txt': text('1', '2', '3'), 'b.txt': text('1', '2') });
  const gone = 'ab'.repeat(20);
  await t.turn('First', [
    edit('a.txt', text('1', 'two', '3')),
    edit('a.txt', text('1', 'two', 'lost'), { record: { from: gone, to: gone, files: ['a.txt'] } }),
    edit('b.txt', text('1', '2', 'b')),
    edit('a.txt', text('1', 'two', 'lost', '4')),
  ]);
  await writeFile(path.join(t.root, 'a.txt'), text('1', 'two', 'lost', '4', 'mine'));
  const ctx = await context();
  expect(await owners(ctx, 'a.txt', null)).toEqual(['before', 's1', '?2', 's4', 'you']);
  expect(await owners(ctx, 'b.txt', null)).toEqual(['before', 'before', 's3']);
  await expect(linesOfFile(ctx, 'a.txt', ctx.thread.thread().steps[1]?.id ?? '')).rejects.toMatchObject({ code: 'NOT_CAPTURED' });
});

test('a standing revert took the lines of its steps with it; at a later stop they are still told', async () => {
  const { t, context, one, two } = await edited();
  await writeFile(path.join(t.root, 'a.txt'), text('zero', 'one', 'two, mine', 'three', 'FOUR'));
  const ctx = await context();
  const end = stopOf(ctx, two.answerId);
  await runTravel(ctx, revertTo(stopOf(ctx, one.answerId)), DEFAULTS);
  const later = await context();
  expect(await owners(later, 'a.txt', null)).toEqual(['s1', 'before', 'you', 'before', 'before']);
  expect(await owners(later, 'a.txt', end)).toEqual(['s1', 'before', 'you', 'before', 's3']);
});

test('a file that a standing revert kept as it is, and one of messages alone, leave the lines with their steps', async () => {
  for (const scope of ['both', 'messages'] as const) {
    const { context, one } = await edited();
    const ctx = await context();
    const { files } = await runTravel(ctx, revertTo(stopOf(ctx, one.answerId), scope), DEFAULTS);
    expect(files.map(({ outcome }) => outcome)).toEqual(scope === 'both' ? ['kept'] : []);
    expect(await owners(await context(), 'a.txt', null)).toEqual(['s1', 'before', 'you', 'before', 's3', 'you']);
  }
});

test('what has no lines is refused with the reason, and so is an end', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { 'a.txt': 'a\n', 'big.txt': 'x\n'.repeat(60_000), 'bin.dat': new Uint8Array([0, 1]) });
  await symlink('a.txt', path.join(t.root, 'link'));
  await t.turn('First', [edit('a.txt', 'b\n')]);
  const ctx = await context();
  const why = (name: string, at: LinesAt) => linesOfFile(ctx, name, at).then(String, (thrown: Error) => thrown.message);
  expect(await why('bin.dat', null)).toBe(
    'The lines of bin.dat cannot be told apart. Cause: it is binary. Its diff can still be looked at.',
  );
  expect(await why('link', null)).toMatch(/Cause: it is a link\./);
  expect(await why('none', null)).toMatch(/Cause: it is not there\./);
  expect(await why('big.txt', 0)).toMatch(/Cause: it has more than 50000 lines\./);
  await expect(linesOfFile(ctx, 'a.txt', 'nope')).rejects.toMatchObject({ code: 'UNKNOWN_STEP' });
  await expect(linesOfFile(ctx, 'a.txt', 99)).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  await expect(linesOfFile(ctx, 'a.txt', null, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
});
