import { appendFile, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { predictedFile } from '../../electron/travel/predict.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import type { TanstackScenario } from '../scenarios/tanstack.ts';
import { harnessRevert, harnessUnrevert } from '../scenarios/tanstack-harness.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, REDO, restoreOf, revertTo, stopOf, type Travelling, travelling, UNDO, UNREVERT } from './tanstack-travelling.ts';

const put = (files: Record<string, string>) => (root: string) => writeFiles(root, files);
const text = (t: TanstackScenario, name: string): Promise<string> => readFile(path.join(t.root, name), 'utf8');
const lastBatch = async (t: TanstackScenario) => JSON.parse((await readFile(t.log, 'utf8')).trimEnd().split('\n').at(-1) ?? '');
/** Everything but our own data, with times. */
const world = (t: TanstackScenario) => manifest(t.folder, { mtimes: true, skip: ['own-data'] });

/** Three turns: x goes from 0 to 3, y appears in turn 2, z goes in turn 3. */
async function threeTurns(): Promise<Travelling & { answers: string[]; trees: string[] }> {
  const made = await travelling();
  const { t } = made;
  await writeFiles(t.root, { x: '0\n', z: 'z\n', bystander: 'b\n' });
  const one = await t.turn('one', [{ tool: 'edit_file', edit: put({ x: '1\n' }) }]);
  const two = await t.turn('two', [{ tool: 'edit_file', edit: put({ x: '2\n', y: 'y\n' }) }]);
  const three = await t.turn('three', [
    {
      tool: 'bash',
      edit: async (root) => {
        await rm(path.join(root, 'z'));
        await put({ x: '3\n' })(root);
      },
    },
  ]);
  const trees = [one, two, three].flatMap((turn) => turn.steps.map((step) => step.to));
  return { ...made, answers: [one.answerId, two.answerId, three.answerId], trees };
}

test('your edits: in a file that the turns touched they come back with unrevert, elsewhere they stay', async () => {
  const { t, context, answers } = await threeTurns();
  await writeFiles(t.root, { y: 'mine\n', bystander: 'my own\n' });
  const before = await manifest(t.root);
  const ctx = await context();
  await runTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')), { ...DEFAULTS, drift: 'overwrite' });
  expect((await manifest(t.root)).map((line) => line.split(' ')[0])).toEqual(['bystander', 'x', 'z']);
  expect([await text(t, 'x'), await text(t, 'z'), await text(t, 'bystander')]).toEqual(['1\n', 'z\n', 'my own\n']);
  await runTravel(await context(), UNREVERT, DEFAULTS);
  expect(await manifest(t.root)).toEqual(before);
});

test('drift overwrite does exactly what the harness does, files and record', async () => {
  const ours = await threeTurns();
  const theirs = await threeTurns();
  for (const { t } of [ours, theirs]) await writeFiles(t.root, { y: 'mine\n', x: 'mine too\n', other: 'o\n' });
  const ctx = await ours.context();
  await runTravel(ctx, revertTo(stopOf(ctx, ours.answers[0] ?? '')), { ...DEFAULTS, drift: 'overwrite' });
  await harnessRevert(theirs.t, theirs.answers[0] ?? '');
  expect(await manifest(ours.t.root)).toEqual(await manifest(theirs.t.root));
  const [ourRecord] = await lastBatch(ours.t);
  expect(ourRecord.revert).toEqual({
    messageId: theirs.t.revert?.messageId,
    files: { now: expect.stringMatching(/^[0-9a-f]{40}$/), files: theirs.t.revert?.files?.files },
  });
  // The harness's own unrevert on our record brings back what was there, edits included.
  ours.t.revert = ourRecord.revert;
  await harnessUnrevert(ours.t);
  await harnessUnrevert(theirs.t);
  expect(await manifest(ours.t.root)).toEqual(await manifest(theirs.t.root));
  expect(await text(ours.t, 'y')).toBe('mine\n');
});

test('further back and forward again while a revert stands: one batch each, its snapshot is the state before the first', async () => {
  const { t, context, answers, trees } = await threeTurns();
  const before = await manifest(t.root);
  const ctx = await context();
  const [one = '', two = ''] = answers;
  await runTravel(ctx, revertTo(stopOf(ctx, two)), DEFAULTS);
  expect([await text(t, 'x'), await text(t, 'y'), await text(t, 'z')]).toEqual(['2\n', 'y\n', 'z\n']);

  const plan = await previewTravel(ctx, revertTo(stopOf(ctx, one)));
  expect(plan.files.map(({ path: name, verb, drift }) => `${verb} ${name} ${drift}`)).toEqual(['restore x false', 'delete y false']);
  expect(plan.notes).toContain('The revert that stands ends first: what it hid comes back before this one is made.');
  await runTravel(ctx, revertTo(stopOf(ctx, one)), DEFAULTS);
  expect(await lastBatch(t)).toEqual([
    { type: 'harness.revert', revert: null },
    { type: 'harness.revert', revert: { messageId: one, files: { now: trees[2], files: ['x', 'y', 'z'] } } },
    expect.objectContaining({ type: 'harness.event' }),
  ]);
  expect((await manifest(t.root)).map((line) => line.split(' ')[0])).toEqual(['bystander', 'x', 'z']);

  await runTravel(ctx, revertTo(stopOf(ctx, two)), DEFAULTS);
  expect(await lastBatch(t)).toEqual([
    { type: 'harness.revert', revert: null },
    { type: 'harness.revert', revert: { messageId: two, files: { now: trees[2], files: ['z', 'x'].sort() } } },
    expect.objectContaining({ type: 'harness.event' }),
  ]);
  expect([await text(t, 'x'), await text(t, 'y'), await text(t, 'z')]).toEqual(['2\n', 'y\n', 'z\n']);
  await runTravel(await context(), UNREVERT, DEFAULTS);
  expect(await manifest(t.root)).toEqual(before);
  expect((await historyOf(ctx)).map(({ kind, target }) => `${kind} ${target}`)).toEqual([
    'unrevert before turn 3',
    'revert before turn 3',
    'revert before turn 2',
    'revert before turn 3',
  ]);
});

test('a revert that the harness made is ended and taken back as if it were ours, edits and all', async () => {
  const { t, context, answers } = await threeTurns();
  await writeFiles(t.root, { y: 'mine\n' });
  const before = await manifest(t.root);
  const [one = '', two = ''] = answers;
  await harnessRevert(t, two);
  const ctx = await context();
  expect((await viewOf(ctx)).standing).toMatchObject({ messageId: two, files: ['x', 'z'] });
  await runTravel(ctx, revertTo(stopOf(ctx, one)), { ...DEFAULTS, drift: 'overwrite' });
  expect((await manifest(t.root)).map((line) => line.split(' ')[0])).toEqual(['bystander', 'x', 'z']);
  expect(await text(t, 'x')).toBe('1\n');
  await runTravel(await context(), UNREVERT, DEFAULTS);
  expect(await manifest(t.root)).toEqual(before);

  await harnessRevert(t, one);
  const again = await context();
  expect((await runTravel(again, UNREVERT, DEFAULTS)).files.map((file) => `${file.outcome} ${file.path}`)).toEqual([
    'written x',
    'written y',
    'deleted z',
  ]);
  expect(await manifest(t.root)).toEqual(before);
});

test("the harness's revert is understood when the first hidden step has no snapshot", async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { a: '0\n' });
  const one = await t.turn('one', []);
  await t.turn('look, then write', [
    { tool: 'read_file', edit: () => undefined },
    { tool: 'edit_file', edit: put({ a: '1\n' }) },
  ]);
  const before = await manifest(t.root);
  await harnessRevert(t, one.answerId);
  expect(await text(t, 'a')).toBe('0\n');
  const ctx = await context();
  expect((await runTravel(ctx, UNREVERT, DEFAULTS)).files).toEqual([{ path: 'a', outcome: 'written', why: null }]);
  expect(await manifest(t.root)).toEqual(before);
});

test('edits made while a revert stands are kept by unrevert, or given up on request', async () => {
  for (const drift of ['merge', 'overwrite'] as const) {
    const { t, context, answers } = await threeTurns();
    const ctx = await context();
    await runTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')), DEFAULTS);
    await writeFiles(t.root, { x: '1\nmy line\n', z: 'z\n' });
    const plan = await previewTravel(ctx, UNREVERT);
    expect(plan.files.map(({ path: name, drift: drifted, choice }) => `${name} ${drifted} ${choice}`)).toEqual([
      'x true keep',
      'y false write',
      'z false write',
    ]);
    await runTravel(ctx, UNREVERT, { ...DEFAULTS, drift });
    expect(await text(t, 'x')).toBe(drift === 'merge' ? '1\nmy line\n' : '3\n');
    // Whatever was chosen, the edit is in the safety snapshot of the unrevert.
    const [entry] = await historyOf(ctx);
    await runTravel(ctx, restoreOf(entry?.id ?? ''), DEFAULTS);
    expect(await text(t, 'x')).toBe('1\nmy line\n');
  }
});

test('another program appends while files are written: they go back, nothing is added', async () => {
  const { t, context, answers } = await threeTurns();
  const before = await manifest(t.root);
  const foreign = '[{"type":"app.note","text":"hello"}]\n';
  let done = false;
  const fs = {
    ...nodeFileSystem,
    async unlink(file: Buffer) {
      if (!done && /\/y$/.test(file.toString())) {
        done = true;
        await appendFile(t.log, foreign);
      }
      await nodeFileSystem.unlink(file);
    },
  };
  const log = await readFile(t.log, 'utf8');
  const ctx = await context({ fs });
  await expect(runTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')), DEFAULTS)).rejects.toMatchObject({ code: 'LOG_MOVED' });
  expect(done).toBe(true);
  expect(await manifest(t.root)).toEqual(before);
  expect(await readFile(t.log, 'utf8')).toBe(log + foreign);
  expect(await historyOf(ctx)).toEqual([]);
  // And again, now that the log is known.
  await runTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')), DEFAULTS);
  expect(await text(t, 'x')).toBe('1\n');
});

test('undo and redo of the last turn, in the words of the seed', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { 'edited.txt': 'one\n', 'gone [x].txt': 'g\n', 'other.txt': 'o\n' });
  await t.turn('first', []);
  await t.turn('change three', [
    {
      tool: 'bash',
      edit: async (root) => {
        await put({ 'edited.txt': 'two\n', 'new file.txt': 'n\n' })(root);
        await rm(path.join(root, 'gone [x].txt'));
      },
    },
  ]);
  const ctx = await context();
  const after = await manifest(t.root);
  expect((await viewOf(ctx)).can).toMatchObject({ undo: true, redo: { code: 'NOTHING_TO_REDO', message: 'Nothing to redo.' } });
  expect((await runTravel(ctx, UNDO, DEFAULTS)).message).toBe('Undid the last turn. Files restored: 3.');
  expect(await text(t, 'edited.txt')).toBe('one\n');
  expect((await manifest(t.root)).map((line) => line.replace(/ [FD] .*/, ''))).toEqual(['edited.txt', 'gone [x].txt', 'other.txt']);
  expect((await lastBatch(t))[0]).toEqual({ type: 'harness.transcript', keep: 2, add: [] });
  await expect(runTravel(ctx, UNDO, DEFAULTS)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO', message: 'Nothing to undo.' });
  await writeFiles(t.root, { 'mine.txt': 'm\n' });
  const again = await context();
  expect((await viewOf(again)).can.redo).toBe(true);
  expect((await runTravel(again, REDO, DEFAULTS)).message).toBe('Redid the last turn.');
  expect((await manifest(t.root)).filter((line) => !line.startsWith('mine.txt'))).toEqual(after);
  expect(await text(t, 'mine.txt')).toBe('m\n');
  await expect(runTravel(again, REDO, DEFAULTS)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
  expect((await runTravel(again, UNDO, DEFAULTS)).message).toBe('Undid the last turn. Files restored: 3.');
});

test('undo gives back your edits with redo, and a new turn clears redo', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { a: '1\n2\n3\n4\n5\n' });
  await t.turn('edit', [{ tool: 'edit_file', edit: put({ a: 'one\n2\n3\n4\n5\n' }) }]);
  await writeFile(path.join(t.root, 'a'), 'one\n2\n3\n4\nfive, mine\n');
  const ctx = await context();
  await runTravel(ctx, UNDO, DEFAULTS);
  expect(await text(t, 'a')).toBe('1\n2\n3\n4\nfive, mine\n');
  await runTravel(ctx, REDO, DEFAULTS);
  expect(await text(t, 'a')).toBe('one\n2\n3\n4\nfive, mine\n');
  await runTravel(ctx, UNDO, DEFAULTS);
  t.messages = [];
  await t.turn('another', []);
  await ctx.thread.refresh();
  await expect(runTravel(ctx, REDO, DEFAULTS)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
});

test('redo gives back what your undo wrote over, as it was before it', async () => {
  const { t, context } = await travelling();
  await writeFiles(t.root, { a: '1\n' });
  await t.turn('edit', [{ tool: 'edit_file', edit: put({ a: 'one\n' }) }]);
  await writeFiles(t.root, { a: 'one, mine\n' });
  const ctx = await context();
  expect((await previewTravel(ctx, UNDO)).files).toMatchObject([{ path: 'a', drift: true, choice: 'keep' }]);
  await runTravel(ctx, UNDO, { ...DEFAULTS, drift: 'overwrite' });
  expect(await text(t, 'a')).toBe('1\n');
  await runTravel(ctx, REDO, DEFAULTS);
  expect(await text(t, 'a')).toBe('one, mine\n');
});

test("a file that you keep is not in the harness's record, so that its unrevert leaves it alone, too", async () => {
  const { t, context, answers } = await threeTurns();
  const ctx = await context();
  await runTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')), { ...DEFAULTS, choices: { y: 'keep' } });
  expect((await lastBatch(t))[0].revert.files.files).toEqual(['x', 'z']);
  await writeFiles(t.root, { y: 'mine since\n' });
  t.revert = (await lastBatch(t))[0].revert;
  await harnessUnrevert(t);
  expect([await text(t, 'x'), await text(t, 'y')]).toEqual(['3\n', 'mine since\n']);
});

test('while a revert stands undo and redo are refused, and so is everything during a turn', async () => {
  const { t, context, answers } = await threeTurns();
  const ctx = await context();
  await runTravel(ctx, revertTo(stopOf(ctx, answers[1] ?? '')), DEFAULTS);
  const standing = 'A revert stands. Run unrevert, or send a prompt, first.';
  const before = await world(t);
  for (const request of [UNDO, REDO]) {
    expect((await previewTravel(ctx, request)).refusal).toEqual({ code: 'REVERT_STANDS', message: standing });
    await expect(runTravel(ctx, request, DEFAULTS)).rejects.toMatchObject({ code: 'REVERT_STANDS', message: standing });
  }
  expect((await viewOf(ctx)).can).toMatchObject({ undo: { code: 'REVERT_STANDS' }, redo: { code: 'REVERT_STANDS' }, unrevert: true });
  expect(await world(t)).toEqual(before);
  await t.append({ type: 'harness.input', inputId: 'in-now', input: { op: 'prompt', message: 'x', busy: 'queue' }, at: t.now() });
  await t.append({ type: 'harness.input.applied', inputId: 'in-now', operationId: 'op-now', attempt: 1 });
  await ctx.thread.refresh();
  const idle = 'Wait until the turn ends, then try again.';
  for (const request of [UNDO, REDO, UNREVERT, revertTo(4)]) {
    await expect(runTravel(ctx, request, DEFAULTS)).rejects.toMatchObject({ code: 'NOT_IDLE', message: idle });
  }
  const { can } = await viewOf(ctx);
  for (const what of ['revert', 'unrevert', 'undo', 'redo'] as const) expect(can[what]).toEqual({ code: 'NOT_IDLE', message: idle });
});

test('files alone and messages alone', async () => {
  const { t, context, answers } = await threeTurns();
  const ctx = await context();
  const log = await readFile(t.log, 'utf8');
  const stop = stopOf(ctx, answers[0] ?? '');
  expect((await runTravel(ctx, revertTo(stop, 'files'), DEFAULTS)).log).toBe('none');
  expect(await readFile(t.log, 'utf8')).toBe(log);
  expect(await text(t, 'x')).toBe('1\n');
  // Files at every stop, also before the first message, where the harness cannot stand.
  expect((await previewTravel(ctx, revertTo(0))).refusal?.code).toBe('STOP_FIRST_MESSAGE');
  const plan = await previewTravel(ctx, revertTo(0, 'files'));
  expect(plan.refusal).toBeNull();
  expect(plan.files.filter((file) => file.drift)).toEqual([]);
  await runTravel(ctx, revertTo(0, 'files'), DEFAULTS);
  expect(await text(t, 'x')).toBe('0\n');
  const entries = await historyOf(ctx);
  expect(entries.map((entry) => entry.can)).toEqual([true, true]);
  await runTravel(ctx, restoreOf(entries[1]?.id ?? ''), DEFAULTS);
  expect([await text(t, 'x'), await text(t, 'y')]).toEqual(['3\n', 'y\n']);

  await runTravel(ctx, revertTo(stop, 'messages'), DEFAULTS);
  expect((await lastBatch(t))[0]).toEqual({ type: 'harness.revert', revert: { messageId: answers[0] } });
  expect(await text(t, 'x')).toBe('3\n');
  expect((await runTravel(ctx, UNREVERT, DEFAULTS)).files).toEqual([]);
});

test('the plan is the result: a file that changes after the preview stops the travel by name', async () => {
  const { t, context, answers } = await threeTurns();
  const ctx = await context();
  const stop = stopOf(ctx, answers[0] ?? '');
  const plan = await previewTravel(ctx, revertTo(stop));
  await writeFiles(t.root, { y: 'mine\n' });
  const before = await world(t);
  await expect(runTravel(ctx, revertTo(stop), { ...DEFAULTS, fingerprint: plan.fingerprint })).rejects.toMatchObject({
    code: 'PLAN_STALE',
    message: 'y changed since the preview. Look at the new preview, then try again.',
  });
  await expect(runTravel(ctx, revertTo(stop), { ...DEFAULTS, drift: 'fail' })).rejects.toMatchObject({ code: 'DRIFTED' });
  expect(await world(t)).toEqual(before);
});

test('files that are right keep their times, and the user’s repository is never touched', async () => {
  const { t, context, answers } = await threeTurns();
  await mkdir(path.join(t.root, '.git'));
  await writeFiles(t.root, { '.git/HEAD': 'ref: refs/heads/main\n', '.git/index': 'not an index' });
  const old = new Date('2001-01-01T00:00:00Z');
  for (const name of ['bystander', '.git/HEAD', '.git/index']) await utimes(path.join(t.root, name), old, old);
  const keep = async () => (await manifest(t.root, { mtimes: true })).filter((line) => /^(bystander|\.git)/.test(line));
  const before = await keep();
  const ctx = await context();
  await runTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')), DEFAULTS);
  await runTravel(ctx, UNREVERT, DEFAULTS);
  expect(await keep()).toEqual(before);
});

test("when HEAD of the user's repository moved since, the plan says so (case C-04)", async () => {
  const { t, context, answers } = await threeTurns();
  const at = (await context()).thread.thread().steps.findLast((step) => step.at !== null)?.at ?? 0;
  const line = (ms: number) => `${'0'.repeat(40)} ${'1'.repeat(40)} U <u@x> ${Math.floor(ms / 1000)} +0000\tcommit: more\n`;
  const note = "HEAD of your own repository moved since the agent's last step. Your commits, branch and index are not touched.";
  for (const [ms, says] of [
    [at - 60_000, false],
    [at + 60_000, true],
  ] as const) {
    await writeFiles(t.root, { '.git/logs/HEAD': line(0) + line(ms) });
    const ctx = await context();
    const { notes } = await previewTravel(ctx, revertTo(stopOf(ctx, answers[0] ?? '')));
    expect(notes.includes(note)).toBe(says);
  }
});

test('what a revert would leave is told file by file', async () => {
  const { context, answers } = await threeTurns();
  const ctx = await context();
  const stop = stopOf(ctx, answers[0] ?? '');
  expect(await predictedFile(ctx, stop, 'x')).toEqual({ mode: '100644', bytes: Buffer.from('1\n') });
  expect(await predictedFile(ctx, stop, 'y')).toBeNull();
  expect(await predictedFile(ctx, stop, 'z')).toEqual({ mode: '100644', bytes: Buffer.from('z\n') });
  expect(await predictedFile(ctx, stop, 'bystander')).toEqual({ mode: '100644', bytes: Buffer.from('b\n') });
});

test('places that do not exist are said at once', async () => {
  const { context } = await threeTurns();
  const ctx = await context();
  await expect(previewTravel(ctx, revertTo(99))).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  await expect(previewTravel(ctx, restoreOf('nothing'))).rejects.toMatchObject({ code: 'UNKNOWN_ENTRY' });
  await expect(previewTravel(ctx, UNREVERT)).resolves.toMatchObject({ refusal: { code: 'NO_STANDING_REVERT' } });
  await expect(previewTravel(ctx, revertTo(12))).resolves.toMatchObject({ refusal: { code: 'NOTHING_AFTER' } });
  await expect(previewTravel(ctx, { ...UNDO, kind: 'recall' })).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});
