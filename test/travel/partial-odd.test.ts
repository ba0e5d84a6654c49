import { readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { hunksOfStep } from '../../electron/host/travel-files.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import type { Piece } from '../../shared/plan.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo, stopOf, travelling, UNREVERT } from './tanstack-travelling.ts';

function partial(step: string, file: string, more: Partial<Piece> = {}): TravelRequest {
  return { kind: 'partial', stop: null, entry: null, scope: 'files', piece: { step, path: file, hunk: null, side: 'out', ...more } };
}

/** The only change of a file in a step. */
async function only(context: TravelContext, step: string, file: string): Promise<TravelRequest> {
  await context.thread.fill();
  const { hunks } = await hunksOfStep(context, { step, path: file });
  expect(hunks).toHaveLength(1);
  return partial(step, file, { hunk: hunks[0]?.id ?? '' });
}

const objectFile = (n: Neutral, oid: string): string => path.join(n.gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
const text = (n: Neutral, name: string): Promise<string> => readFile(path.join(n.root, name), 'utf8');

/** One turn that edits `f` in two steps, in its first and in its last line. */
async function twice(): Promise<{ n: Neutral; steps: string[]; trees: string[] }> {
  const n = await neutral();
  await writeFiles(n.root, { f: '1\n2\n3\n4\n5\n' });
  await n.base();
  await n.user('go');
  const [steps, trees]: [string[], string[]] = [[], [n.tree]];
  for (const content of ['one\n2\n3\n4\n5\n', 'one\n2\n3\n4\nfive\n']) {
    await writeFiles(n.root, { f: content });
    steps.push(await n.step('edit', ['f']));
    trees.push(n.tree);
  }
  return { n, steps, trees };
}

test('what emptied a file goes as long as nothing stands there', async () => {
  const n = await neutral();
  await writeFiles(n.root, { f: 'one\ntwo\n' });
  await n.base();
  await n.user('empty it');
  await writeFiles(n.root, { f: '' });
  const step = await n.step('edit', ['f']);
  const context = await n.context();
  const request = await only(context, step, 'f');
  await writeFiles(n.root, { f: 'mine\n' });
  expect((await previewTravel(context, request)).refusal?.code).toBe('HUNK_NOT_FOUND');
  await writeFiles(n.root, { f: '' });
  expect(await runTravel(context, request, DEFAULTS)).toMatchObject({
    message: 'Brought back lines 1–2 of f from step 1.',
    files: [{ path: 'f', outcome: 'written', why: null }],
  });
  expect(await text(n, 'f')).toBe('one\ntwo\n');
});

describe('a step', () => {
  test('that belongs to no turn gives its files back all the same', async () => {
    const n = await neutral();
    await writeFiles(n.root, { f: '0\n' });
    await n.base();
    await writeFiles(n.root, { f: '1\n' });
    const step = await n.step('before any prompt', ['f']);
    const context = await n.context();
    expect(await previewTravel(context, partial(step, 'f'))).toMatchObject({ turns: [], refusal: null, files: [{ path: 'f' }] });
    await runTravel(context, partial(step, 'f'), DEFAULTS);
    expect(await text(n, 'f')).toBe('0\n');
  });

  test('without snapshots, and a submodule in one, are refused with their reason', async () => {
    const n = await neutral();
    await writeFiles(n.root, { f: '0\n' });
    await n.base();
    await n.user('go');
    const none = await n.stepRaw(n.tree, '', 'shell', null);
    const before = n.tree;
    await n.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    const after = (await n.git('write-tree')).trim();
    const sub = await n.stepRaw(before, after, 'submodule', ['sub']);
    const context = await n.context();
    expect((await previewTravel(context, partial(none, 'f'))).refusal).toEqual({
      code: 'NOT_CAPTURED',
      message: 'Step 1 was not captured, so its files cannot go back or leave as a patch. Cause: Step 1 has no snapshots.',
    });
    const plan = await previewTravel(context, partial(sub, 'sub'));
    expect(plan.skipped).toEqual([{ path: 'sub', why: 'It is a submodule; its content is not in the snapshots.' }]);
    expect([plan.files, plan.refusal?.code]).toEqual([[], 'NOTHING_CAN_GO_BACK']);
  });

  test('whose file is too large to be taken apart says so', async () => {
    const n = await neutral();
    const line = `${'x'.repeat(1023)}\n`;
    await writeFiles(n.root, { f: `old\n${line.repeat(16 * 1024)}` });
    await n.base();
    await n.user('go');
    await writeFiles(n.root, { f: `new\n${line.repeat(16 * 1024)}` });
    const step = await n.step('edit', ['f']);
    const context = await n.context();
    expect((await previewTravel(context, await only(context, step, 'f'))).refusal).toMatchObject({
      code: 'HUNK_NOT_TEXT',
      message: expect.stringContaining('it is larger than 16777216 bytes'),
    });
  });
});

describe('snapshots that go away after the steps were looked at', () => {
  test('of the step itself: the piece says so', async () => {
    const { n, steps, trees } = await twice();
    const [step = ''] = steps;
    const context = await n.context();
    const request = await only(context, step, 'f');
    await unlink(objectFile(n, trees[0] ?? ''));
    expect((await previewTravel(context, request)).refusal).toMatchObject({ code: 'TREE_MISSING' });
    expect((await previewTravel(context, partial(step, 'f'))).skipped).toMatchObject([
      { path: 'f', why: expect.stringMatching(/is gone/) },
    ]);
    const fresh = await n.context();
    expect((await previewTravel(fresh, request)).refusal).toMatchObject({ code: 'NOT_CAPTURED' });
  });

  test.each([
    [false, 'Later steps or travels changed it, too; what step 1 changed goes, and theirs stays.'],
    [true, 'It was changed since; what step 1 changed goes, and the rest stays.'],
  ])('of a later one: whether the agent changed the file since cannot be said (%s)', async (gone, why) => {
    const { n, steps, trees } = await twice();
    const context = await n.context();
    await context.thread.fill();
    if (gone) await unlink(objectFile(n, trees[2] ?? ''));
    const [file] = (await previewTravel(context, partial(steps[0] ?? '', 'f'))).files;
    expect(file).toMatchObject({ drift: true, choice: 'merge', why });
    await runTravel(context, partial(steps[0] ?? '', 'f'), DEFAULTS);
    expect(await text(n, 'f')).toBe('1\n2\n3\n4\nfive\n');
  });

  test('are another matter than a store that fails', async () => {
    const { n, steps } = await twice();
    const context = await n.context();
    const request = await only(context, steps[0] ?? '', 'f');
    Object.assign(context.thread.objects ?? {}, { entry: () => Promise.reject(new Error('EIO: injected')) });
    await expect(previewTravel(context, request)).rejects.toThrow('EIO');
    await expect(previewTravel(context, partial(steps[0] ?? '', 'f'))).rejects.toThrow('EIO');
  });
});

test('a revert that the agent made keeps its own files; others, and all where it has none, come back', async () => {
  const w = await travelling({ events: false });
  await writeFiles(w.t.root, { a: '0\n', b: '0\n' });
  const first = await w.t.turn('one', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { b: '1\n' }) }]);
  await w.t.turn('two', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { a: '1\n' }) }]);
  for (const files of [['a'], null]) {
    const context = await w.context();
    const { writer } = context.thread.reader;
    const { steps } = context.thread.thread();
    const [b, a] = ['b', 'a'].map((name) => steps.find((step) => step.listed?.includes(name)));
    const now = files === null ? null : (a?.to ?? null);
    await writer?.append(writer.revert({ stop: stopOf(context, first.answerId), now, files, at: w.t.now() }));
    await context.thread.refresh();
    const refused = async (step: string | undefined, file: string) =>
      (await previewTravel(context, partial(step ?? '', file))).refusal?.code;
    expect([files, await refused(b?.id, 'b'), await refused(a?.id, 'a')]).toEqual([
      files,
      undefined,
      files === null ? undefined : 'REVERT_STANDS',
    ]);
    await writer?.append(writer.unrevert(w.t.now()));
  }
});

test('a revert that the agent made after ours was taken back is the agent’s own', async () => {
  const w = await travelling({ events: false });
  await writeFiles(w.t.root, { a: '0\n', b: '0\n' });
  const first = await w.t.turn('one', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { a: '1\n' }) }]);
  const second = await w.t.turn('two', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { a: '2\n' }) }]);
  await w.t.turn('three', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { b: '3\n' }) }]);
  const context = await w.context();
  await runTravel(context, revertTo(stopOf(context, second.answerId)), DEFAULTS);
  expect(await readFile(path.join(w.t.root, 'b'), 'utf8')).toBe('0\n');
  const { writer } = context.thread.reader;
  await writer?.append(writer.unrevert(w.t.now()));
  await context.thread.refresh();
  await writer?.append(writer.revert({ stop: stopOf(context, first.answerId), now: null, files: null, at: w.t.now() }));
  await context.thread.refresh();
  const plan = await previewTravel(context, UNREVERT);
  // It kept no state of the files, so none comes back, whatever ours had.
  expect([plan.target.messageId, plan.files, plan.refusal]).toEqual([first.answerId, [], null]);
});
