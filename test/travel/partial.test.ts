import { chmod, lstat, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { historyOf } from '../../electron/travel/history.ts';
import { type HunkText, hunksOf } from '../../electron/travel/hunks.ts';
import { leftBy } from '../../electron/travel/predict.ts';
import { reverseHunk } from '../../electron/travel/reverse-hunk.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import type { Piece } from '../../shared/plan.ts';
import { dshSession } from '../scenarios/dsh-session.ts';
import { type FileSpec, manifest, writeFiles } from '../scenarios/temp.ts';
import { neutral } from './neutral.ts';
import { DEFAULTS, restoreOf, revertTo, stopOf, type Travelling, travelling, UNDO, UNREVERT } from './tanstack-travelling.ts';

/** Thirty lines, `line 1` to `line 30`; some of them other ones. */
function lines(other: Readonly<Record<number, string>> = {}, end = '\n'): string {
  return Array.from({ length: 30 }, (_, at) => `${other[at + 1] ?? `line ${at + 1}`}${end}`).join('');
}

const put = (files: Readonly<Record<string, FileSpec>>) => (root: string) => writeFiles(root, files);

const at = ({ t }: Travelling, name: string): string => path.join(t.root, name);
const text = (w: Travelling, name: string): Promise<string> => readFile(at(w, name), 'latin1');

function partial(context: TravelContext, step: number, file: string, more: Partial<Piece> = {}): TravelRequest {
  const id = context.thread.thread().steps.find((one) => one.index === step)?.id ?? '';
  return { kind: 'partial', stop: null, entry: null, scope: 'files', piece: { step: id, path: file, hunk: null, side: 'out', ...more } };
}

async function hunks(context: TravelContext, step: number, file: string): Promise<HunkText[]> {
  const { thread } = context;
  const found = thread.thread().steps.find((one) => one.index === step);
  if (thread.store === null || !found?.from || !found.to) throw new Error('no snapshots');
  const list = await hunksOf(thread.store, { from: found.from, to: found.to, path: file });
  if ('code' in list) throw new Error(list.message);
  return list;
}

async function hunkOf(context: TravelContext, step: number, file: string, number: number): Promise<TravelRequest> {
  const hunk = (await hunks(context, step, file)).find((one) => one.number === number);
  return partial(context, step, file, { hunk: hunk?.id ?? '' });
}

/**
 * Three turns of one step each: the second changes three places of `src/a.txt` and one byte of `src/raw.bin.txt`, makes `made` and
 * removes `gone`; the third puts a line on top of `src/a.txt`, changes its middle again, and `later`.
 */
async function threeSteps(): Promise<Travelling & { answers: string[] }> {
  const w = await travelling({ events: false });
  await writeFiles(w.t.root, { 'src/a.txt': lines(), gone: { content: 'g\n', mode: 0o755 }, later: '0\n' });
  const answers: string[] = [];
  const raw = Buffer.from(`caf\xe9\r\n${'same\r\n'.repeat(8)}no end`, 'latin1');
  const turns: Record<string, FileSpec>[] = [
    { 'src/a.txt': { content: lines(), mode: 0o750 }, 'src/raw': raw },
    {
      'src/a.txt': lines({ 2: 'TWO', 15: 'FIFTEEN', 28: 'TWENTY-EIGHT\nand more' }),
      'src/raw': Buffer.concat([Buffer.from('na\xefve\r\n', 'latin1'), raw.subarray(6, -6), Buffer.from('END')]),
      made: 'm\n',
    },
    { 'src/a.txt': `on top\n${lines({ 2: 'TWO', 15: 'fifteen!', 28: 'TWENTY-EIGHT\nand more' })}`, later: '1\n' },
  ];
  for (const [turn, files] of turns.entries()) {
    const edit = async (root: string): Promise<void> => {
      await writeFiles(root, files);
      if (turn === 1) await rm(path.join(root, 'gone'));
    };
    answers.push((await w.t.turn(`turn ${turn + 1}`, [{ tool: 'bash', edit }])).answerId);
  }
  return { ...w, answers };
}

describe('one change of a file', () => {
  test('goes alone, with what came later left as it is; it can be undone, also after a restart, also the one before the last', async () => {
    const w = await threeSteps();
    const context = await w.context();
    expect(
      (await hunks(context, 3, 'src/a.txt')).map(({ id, number, before, after }) => [
        id.replace(/-[0-9a-f]{16}$/, ''),
        number,
        before,
        after,
      ]),
    ).toEqual([
      ['1,5-1,5', 1, { start: 1, lines: 5 }, { start: 1, lines: 5 }],
      ['12,7-12,7', 2, { start: 12, lines: 7 }, { start: 12, lines: 7 }],
      ['25,6-25,7', 3, { start: 25, lines: 6 }, { start: 25, lines: 7 }],
    ]);
    const begin = await text(w, 'src/a.txt');
    await writeFile(at(w, 'src/a.txt'), `${begin}mine\n`);
    const before = await manifest(w.t.root);
    const third = await hunkOf(context, 3, 'src/a.txt', 3);
    const plan = await previewTravel(context, third);
    expect(plan).toMatchObject({ kind: 'partial', refusal: null, messages: 0, turns: [2], sideEffects: [], skipped: [] });
    expect(plan.files).toEqual([
      {
        path: 'src/a.txt',
        verb: 'restore',
        drift: true,
        choice: 'merge',
        choices: ['merge', 'keep'],
        why: 'It was changed since; this change goes, and the rest stays.',
        added: 1,
        removed: 2,
        binary: false,
      },
    ]);
    const expected = `on top\n${lines({ 2: 'TWO', 15: 'fifteen!' })}mine\n`;
    expect((await leftBy(context, third, 'src/a.txt', 'merge'))?.bytes.toString()).toBe(expected);
    expect(await manifest(w.t.root)).toEqual(before);
    const result = await runTravel(context, third, { ...DEFAULTS, fingerprint: plan.fingerprint });
    expect(result).toMatchObject({
      message: 'Brought back lines 25–31 of src/a.txt from step 3.',
      log: 'none',
      files: [{ path: 'src/a.txt', outcome: 'merged', why: null }],
    });
    expect(await text(w, 'src/a.txt')).toBe(expected);
    expect((await lstat(at(w, 'src/a.txt'))).mode & 0o777).toBe(0o750);

    const restarted = await w.context();
    const first = await runTravel(restarted, await hunkOf(restarted, 3, 'src/a.txt', 1), { ...DEFAULTS, drift: 'overwrite' });
    expect(await text(w, 'src/a.txt')).toBe(`on top\n${lines({ 15: 'fifteen!' })}mine\n`);
    expect((await historyOf(restarted)).map(({ kind, target, files, can }) => [kind, target, files, can])).toEqual([
      ['partial', 'lines 1–5 of src/a.txt from step 3', 1, true],
      ['partial', 'lines 25–31 of src/a.txt from step 3', 1, true],
    ]);
    const back = await runTravel(await w.context(), restoreOf(first.entry), DEFAULTS);
    expect(back.message).toBe(
      'Brought the files back as they were before lines 1–5 of src/a.txt from step 3 was brought back. 1 file put back.',
    );
    expect(await text(w, 'src/a.txt')).toBe(expected);
    await runTravel(await w.context(), restoreOf(result.entry), DEFAULTS);
    expect(await manifest(w.t.root)).toEqual(before);
  });

  test('is refused where its lines were changed since, where it fits twice, and where it is out already', async () => {
    const w = await threeSteps();
    const context = await w.context();
    const before = await manifest(w.t.root, { mtimes: true });
    const middle = await hunkOf(context, 3, 'src/a.txt', 2);
    const lost = {
      code: 'HUNK_NOT_FOUND',
      message:
        'The change in lines 12–18 cannot be found in src/a.txt as it is now: it is out already, or its lines were changed since. Nothing is guessed; bring the whole file back, or edit it by hand.',
    };
    expect((await previewTravel(context, middle)).refusal).toEqual(lost);
    await expect(runTravel(context, middle, { ...DEFAULTS, drift: 'overwrite' })).rejects.toMatchObject(lost);
    const gone = partial(context, 3, 'src/a.txt', { hunk: '1,5-1,5-0000000000000000' });
    expect((await previewTravel(context, gone)).refusal?.code).toBe('HUNK_UNKNOWN');
    expect(await manifest(w.t.root, { mtimes: true })).toEqual(before);
    const twice = lines({ 28: 'TWENTY-EIGHT\nand more' });
    await writeFile(at(w, 'src/a.txt'), `${twice}between\n${twice}`);
    const third = await hunkOf(context, 3, 'src/a.txt', 3);
    expect((await previewTravel(context, third)).refusal).toEqual({
      code: 'HUNK_AMBIGUOUS',
      message:
        'The change in lines 25–31 fits in 2 places of src/a.txt as it is now, so none is chosen. Bring the whole file back, or edit it by hand.',
    });
    await rm(at(w, 'src/a.txt'));
    expect((await previewTravel(context, third)).refusal?.code).toBe('HUNK_NOT_FOUND');
    for (const [name, why] of [
      ['made', 'the step made or deleted it'],
      ['gone', 'the step made or deleted it'],
    ] as const) {
      expect((await previewTravel(context, partial(context, 3, name, { hunk: 'x' }))).refusal).toEqual({
        code: 'HUNK_NOT_TEXT',
        message: `Single changes of ${name} cannot be told apart: ${why}. Bring the whole file back instead.`,
      });
    }
  });

  test('keeps bytes that are no UTF-8, line ends of both kinds, and a last line without one', async () => {
    const w = await threeSteps();
    const context = await w.context();
    await runTravel(context, await hunkOf(context, 3, 'src/raw', 2), DEFAULTS);
    expect(await text(w, 'src/raw')).toBe(`na\xefve\r\n${'same\r\n'.repeat(8)}no end`);
    const one = await hunkOf(context, 3, 'src/raw', 1);
    await writeFile(at(w, 'src/raw'), Buffer.from(`na\xefve\r\n${'same\r\n'.repeat(8)}my \xff end`, 'latin1'));
    await runTravel(context, one, DEFAULTS);
    expect(await text(w, 'src/raw')).toBe(`caf\xe9\r\n${'same\r\n'.repeat(8)}my \xff end`);
    expect((await previewTravel(context, one)).refusal?.code).toBe('HUNK_NOT_FOUND');
  });
});

describe('one file', () => {
  test('loses what the step changed and keeps what came later; where that clashes it stays unless it is overwritten', async () => {
    const w = await threeSteps();
    const context = await w.context();
    const now = await text(w, 'src/a.txt');
    const clash = partial(context, 3, 'src/a.txt');
    expect((await previewTravel(context, clash)).files).toMatchObject([
      {
        drift: true,
        choice: 'keep',
        choices: ['keep', 'overwrite'],
        why: "It was changed since in the same lines as the agent's changes.",
      },
    ]);
    const kept = await runTravel(context, clash, DEFAULTS);
    expect([kept.message, kept.files.map(({ outcome }) => outcome)]).toEqual([
      'Nothing was brought back: src/a.txt from step 3. 1 kept as it is.',
      ['kept'],
    ]);
    expect(await text(w, 'src/a.txt')).toBe(now);
    await expect(runTravel(context, clash, { ...DEFAULTS, drift: 'fail' })).rejects.toMatchObject({ code: 'DRIFTED' });
    await runTravel(context, clash, { ...DEFAULTS, drift: 'overwrite' });
    expect(await text(w, 'src/a.txt')).toBe(lines());

    await writeFile(at(w, 'src/a.txt'), `on top\n${lines({ 2: 'TWO', 15: 'FIFTEEN', 28: 'TWENTY-EIGHT\nand more' })}`);
    expect((await previewTravel(context, clash)).files).toMatchObject([{ choice: 'merge', choices: ['merge', 'keep', 'overwrite'] }]);
    await runTravel(context, clash, DEFAULTS);
    expect(await text(w, 'src/a.txt')).toBe(`on top\n${lines()}`);
  });

  test('says when it was only the agent who changed it since', async () => {
    const w = await travelling({ events: false });
    await writeFiles(w.t.root, { f: lines() });
    await w.t.turn('one', [{ tool: 'bash', edit: put({ f: lines({ 2: 'TWO' }) }) }]);
    await w.t.turn('two', [{ tool: 'bash', edit: put({ f: lines({ 2: 'TWO', 20: 'TWENTY' }) }) }]);
    const context = await w.context();
    const plan = await previewTravel(context, partial(context, 1, 'f'));
    expect(plan.files[0]?.why).toBe('Later steps or travels changed it, too; what step 1 changed goes, and theirs stays.');
    await runTravel(context, partial(context, 1, 'f'), DEFAULTS);
    expect(await text(w, 'f')).toBe(lines({ 20: 'TWENTY' }));
  });

  test('becomes exactly what it was before or after the step, mode and absence included', async () => {
    const w = await threeSteps();
    const context = await w.context();
    const before = await manifest(w.t.root);
    const entries: string[] = [];
    const go = async (step: number, file: string, side: 'before' | 'after'): Promise<string> => {
      const request = partial(context, step, file, { side });
      const plan = await previewTravel(context, request);
      const result = await runTravel(context, request, DEFAULTS);
      entries.push(result.entry);
      return `${plan.files.map(({ verb, drift, choice }) => `${verb} ${drift} ${choice}`)} ${result.message}`;
    };
    expect(await go(3, 'src/a.txt', 'before')).toBe('restore false write Brought back src/a.txt as it was before step 3.');
    expect(await text(w, 'src/a.txt')).toBe(lines());
    expect(await go(3, 'src/a.txt', 'after')).toBe('restore false write Brought back src/a.txt as it was after step 3.');
    expect(await text(w, 'src/a.txt')).toBe(lines({ 2: 'TWO', 15: 'FIFTEEN', 28: 'TWENTY-EIGHT\nand more' }));
    expect(await go(3, 'gone', 'before')).toBe('recreate false write Brought back gone as it was before step 3.');
    expect([await text(w, 'gone'), (await lstat(at(w, 'gone'))).mode & 0o777]).toEqual(['g\n', 0o755]);
    expect(await go(3, 'made', 'before')).toBe('delete false write Brought back made as it was before step 3.');
    await expect(lstat(at(w, 'made'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(runTravel(context, partial(context, 3, 'made', { side: 'before' }), DEFAULTS)).rejects.toMatchObject({
      code: 'FILES_ALREADY_THERE',
    });

    // An edit of the user's is named, merged where it can be, and lost only where that is asked for.
    await writeFile(at(w, 'src/a.txt'), `${await text(w, 'src/a.txt')}mine\n`);
    const mine = partial(context, 3, 'src/a.txt', { side: 'before' });
    expect((await previewTravel(context, mine)).files).toMatchObject([
      { drift: true, choice: 'merge', choices: ['merge', 'keep', 'overwrite'] },
    ]);
    expect((await leftBy(context, mine, 'src/a.txt', 'overwrite'))?.bytes.toString()).toBe(lines());
    expect((await leftBy(context, mine, 'src/a.txt', null))?.bytes.toString()).toBe(`${lines()}mine\n`);
    await expect(leftBy(context, mine, 'src/a.txt', 'write')).rejects.toMatchObject({ code: 'CHOICE_IMPOSSIBLE' });
    // And where it stays, the file is not called exactly what it was.
    const merged = await runTravel(context, mine, DEFAULTS);
    expect(merged.message).toBe('Brought back src/a.txt as it was before step 3. What was changed since stays in it.');
    entries.push(merged.entry);
    await writeFile(at(w, 'src/a.txt'), lines({ 2: 'TWO', 15: 'FIFTEEN', 28: 'TWENTY-EIGHT\nand more' }));
    // With no later change that is known there is nothing to take out: an edit stays, or is overwritten.
    await writeFile(at(w, 'later'), 'mine\n');
    const after = partial(context, 5, 'later', { side: 'after' });
    expect((await previewTravel(context, after)).files).toMatchObject([
      { drift: true, choice: 'keep', choices: ['keep', 'overwrite'], why: 'It was changed since, by no step of this thread.' },
    ]);
    await runTravel(context, after, { ...DEFAULTS, drift: 'overwrite' });
    expect(await text(w, 'later')).toBe('1\n');
    for (const entry of entries.reverse()) await runTravel(context, restoreOf(entry), DEFAULTS);
    expect(await manifest(w.t.root)).toEqual(before);
  });

  test('an edit between two steps, or one that a merge kept, is no state that anybody may overwrite unasked', async () => {
    const w = await travelling({ events: false });
    await writeFiles(w.t.root, { f: lines() });
    await w.t.turn('one', [{ tool: 'bash', edit: put({ f: lines({ 2: 'TWO', 28: 'TWENTY-EIGHT' }) }) }]);
    await writeFile(at(w, 'f'), lines({ 2: 'TWO', 15: 'mine', 28: 'TWENTY-EIGHT' }));
    const context = await w.context();
    await runTravel(context, await hunkOf(context, 1, 'f', 2), DEFAULTS);
    expect(await text(w, 'f')).toBe(lines({ 2: 'TWO', 15: 'mine' }));
    for (const [side, wanted] of [
      ['before', lines({ 15: 'mine' })],
      ['after', lines({ 2: 'TWO', 15: 'mine', 28: 'TWENTY-EIGHT' })],
    ] as const) {
      const request = partial(context, 1, 'f', { side });
      expect((await previewTravel(context, request)).files).toMatchObject([{ drift: true, choice: 'merge' }]);
      expect((await leftBy(context, request, 'f', 'merge'))?.bytes.toString()).toBe(wanted);
    }
    await w.t.turn('two', [{ tool: 'bash', edit: put({ f: lines({ 2: 'TWO', 15: 'mine', 20: 'TWENTY' }) }) }]);
    await context.thread.refresh();
    const [before, after] = [partial(context, 1, 'f', { side: 'before' }), partial(context, 1, 'f', { side: 'after' })];
    expect((await leftBy(context, before, 'f', null))?.bytes.toString()).toBe(lines({ 15: 'mine' }));
    expect((await leftBy(context, after, 'f', null))?.bytes.toString()).toBe(lines({ 2: 'TWO', 15: 'mine', 28: 'TWENTY-EIGHT' }));
    expect((await leftBy(context, after, 'f', 'overwrite'))?.bytes.toString()).toBe(lines({ 2: 'TWO', 28: 'TWENTY-EIGHT' }));
  });

  test('is refused when a turn runs, when the step did not change it, and when the step is unknown', async () => {
    const w = await threeSteps();
    const context = await w.context();
    expect((await previewTravel(context, partial(context, 5, 'made'))).refusal).toEqual({
      code: 'FILE_NOT_IN_STEP',
      message: 'Step 5 did not change made. Choose a file that the step lists.',
    });
    await expect(previewTravel(context, partial(context, 99, 'made'))).rejects.toMatchObject({ code: 'UNKNOWN_STEP' });
    await expect(previewTravel(context, partial(context, 3, 'src/a.txt', { hunk: 'x', side: 'before' }))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await w.t.append({ type: 'harness.input', inputId: 'in-now', input: { op: 'prompt', message: 'x', busy: 'queue' }, at: w.t.now() });
    await w.t.append({ type: 'harness.input.applied', inputId: 'in-now', operationId: 'op-now', attempt: 1 });
    await context.thread.refresh();
    await expect(runTravel(context, partial(context, 3, 'made'), DEFAULTS)).rejects.toMatchObject({
      code: 'NOT_IDLE',
      message: 'Wait until the turn ends, then try again.',
    });
  });
});

describe('with other travels', () => {
  test('a revert that stands keeps the files that it wrote; others can come back, and stay so after unrevert', async () => {
    const w = await threeSteps();
    const context = await w.context();
    await runTravel(context, revertTo(stopOf(context, w.answers[1] ?? '')), DEFAULTS);
    const standing = { code: 'REVERT_STANDS', message: 'A revert stands. Run unrevert, or send a prompt, first.' };
    for (const file of ['src/a.txt', 'later']) {
      const step = file === 'later' ? 5 : 3;
      expect((await previewTravel(context, partial(context, step, file))).refusal).toEqual(standing);
    }
    await runTravel(context, partial(context, 3, 'made'), DEFAULTS);
    const left = await runTravel(await w.context(), UNREVERT, DEFAULTS);
    expect(left.files.map(({ path: file, outcome }) => `${outcome} ${file}`)).toEqual(['written later', 'written src/a.txt']);
    await expect(lstat(at(w, 'made'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a later revert leaves out what was taken out of a step that stays, and takes back a piece of a step that goes', async () => {
    const w = await threeSteps();
    const context = await w.context();
    await runTravel(context, await hunkOf(context, 3, 'src/a.txt', 1), DEFAULTS);
    const toSecond = revertTo(stopOf(context, w.answers[1] ?? ''));
    expect((await previewTravel(context, toSecond)).files).toMatchObject([
      { path: 'later', drift: false, choice: 'write' },
      { path: 'src/a.txt', drift: true, choice: 'merge' },
    ]);
    await runTravel(context, toSecond, DEFAULTS);
    expect(await text(w, 'src/a.txt')).toBe(lines({ 15: 'FIFTEEN', 28: 'TWENTY-EIGHT\nand more' }));
    await runTravel(await w.context(), UNREVERT, DEFAULTS);
    const again = await w.context();
    const toFirst = revertTo(stopOf(again, w.answers[0] ?? ''));
    expect((await previewTravel(again, toFirst)).files.filter(({ drift }) => drift)).toEqual([]);
    await runTravel(again, toFirst, DEFAULTS);
    expect([await text(w, 'src/a.txt'), await text(w, 'gone'), await text(w, 'later')]).toEqual([lines(), 'g\n', '0\n']);
  });

  test('undo of the last turn leaves out what was taken out of a turn before it', async () => {
    const w = await threeSteps();
    const context = await w.context();
    await runTravel(context, await hunkOf(context, 3, 'src/a.txt', 1), DEFAULTS);
    await runTravel(context, UNDO, DEFAULTS);
    expect(await text(w, 'src/a.txt')).toBe(lines({ 15: 'FIFTEEN', 28: 'TWENTY-EIGHT\nand more' }));
  });

  test('a thread of a store that Turnback only reads takes part; one without trees is refused with its reason', async () => {
    const n = await neutral();
    await writeFiles(n.root, { f: lines() });
    await n.base();
    await n.user('one');
    await writeFiles(n.root, { f: lines({ 2: 'TWO', 20: 'TWENTY' }) });
    await n.step('edit', ['f']);
    const context = await n.context();
    await runTravel(context, await hunkOf(context, 1, 'f', 2), DEFAULTS);
    expect(await readFile(path.join(n.root, 'f'), 'utf8')).toBe(lines({ 2: 'TWO' }));

    const session = await dshSession('session-sample-a');
    const dsh = await session.context();
    const { steps } = dsh.thread.thread();
    const step = steps[0]?.index ?? 0;
    expect((await previewTravel(dsh, partial(dsh, step, 'notes.txt'))).refusal).toMatchObject({ code: 'NO_SNAPSHOTS_DSH' });
  });
});

test('links, exec bits and binaries come back whole', async () => {
  const w = await travelling({ events: false });
  await writeFiles(w.t.root, { 'run.sh': '#!/bin/sh\n', link: { link: 'run.sh' }, bin: Buffer.from([0, 1, 2]) });
  const edit = async (root: string): Promise<void> => {
    await chmod(path.join(root, 'run.sh'), 0o755);
    await rm(path.join(root, 'link'));
    await writeFiles(root, { link: 'a file\n', bin: Buffer.from([0, 9, 9]) });
  };
  const before = await manifest(w.t.root);
  await w.t.turn('all', [{ tool: 'bash', edit }]);
  const context = await w.context();
  for (const name of ['run.sh', 'link', 'bin']) {
    const refused = (await previewTravel(context, partial(context, 1, name, { hunk: 'x' }))).refusal;
    expect([name, refused?.code]).toEqual([name, 'HUNK_NOT_TEXT']);
    await runTravel(context, partial(context, 1, name), DEFAULTS);
  }
  expect(await manifest(w.t.root)).toEqual(before);
});

describe('finding a change', () => {
  const hunk = (removed: string[], added: string[], start: number, lead: number, tail: number): HunkText => ({
    id: '',
    number: 1,
    before: { start, lines: removed.length },
    after: { start, lines: added.length },
    removed,
    added,
    lead,
    tail,
  });
  const one = hunk(['a\n', 'b\n', 'c\n', 'd\n', 'e\n', 'f\n'], ['a\n', 'b\n', 'c\n', 'X\n', 'd\n', 'e\n', 'f\n'], 2, 3, 3);
  const [made, without] = ['a\nb\nc\nX\nd\ne\nf\n', 'a\nb\nc\nd\ne\nf\n'];
  const base = `0\n${made}9\n`;

  test.each([
    ['as it was left', base, `0\n${without}9\n`],
    ['moved', `top\n${made}end`, `top\n${without}end`],
    ['with its outer lines changed', 'A\nB\nc\nX\nd\nE\nF\n', 'A\nB\nc\nd\nE\nF\n'],
    ['twice, with all before it as it was', `0\n${made}${made}2\n`, `0\n${without}${made}2\n`],
    ['twice, with all after it as it was', `1\n${made}${made}9\n`, `1\n${made}${without}9\n`],
  ])('%s', (_name, now, wanted) => {
    expect(reverseHunk(base, now, one)).toEqual({ text: wanted });
  });

  test.each([
    ['its own line changed', 'a\nb\nc\nY\nd\ne\nf\n', 0],
    ['a line beside it changed on each side', 'a\nb\nC\nX\nD\ne\nf\n', 0],
    ['a line beside it changed on one side', 'a\nb\nC\nX\nd\ne\nf\n', 0],
    ['another line end', made.replaceAll('\n', '\r\n'), 0],
    ['twice', `1\n${made}2\n${made}3\n`, 2],
    ['twice, once with all before it and once with all after it as it was', `0\n${made}${made}9\n`, 2],
    ['twice, with nothing before or after it', `${made}${made}`, 2],
    ['nothing left', '', 0],
  ])('not when %s', (_name, now, places) => {
    expect(reverseHunk(base, now, one)).toEqual({ places });
  });

  test('lines that were only removed come back where they stood', () => {
    const cut = hunk(['a\n', 'x\n', 'y\n', 'b\n'], ['a\n', 'b\n'], 1, 1, 1);
    expect(reverseHunk('a\nb\n', 'new\na\nb\n', cut)).toEqual({ text: 'new\na\nx\ny\nb\n' });
    expect(reverseHunk('', '', hunk(['x\n'], [], 0, 0, 0))).toEqual({ text: 'x\n' });
    expect(reverseHunk('', 'y\n', hunk(['x\n'], [], 0, 0, 0))).toEqual({ places: 0 });
    expect(reverseHunk('y', 'y', hunk(['x\n'], ['y'], 1, 0, 0))).toEqual({ text: 'x\n' });
  });
});
