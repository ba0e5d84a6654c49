import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { HistoryEntry, Interrupted, Plan, TravelResult } from '../../shared/plan.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { Faults, faultyFileSystem, systemError } from '../travel/faults.ts';
import { DEFAULTS, openScenario } from '../travel/tanstack-travelling.ts';

const text = (other: Readonly<Record<number, string>>): string =>
  Array.from({ length: 20 }, (_, at) => `${other[at + 1] ?? `line ${at + 1}`}\n`).join('');

let t: TanstackScenario;
const cli = (...args: string[]) => runCli([args[0] ?? '', ...args.slice(1)], t.env);
const now = (): Promise<string> => readFile(path.join(t.root, 'src/a.txt'), 'utf8');

/** One turn that changes two places of a file; its step is number 1. */
beforeEach(async () => {
  t = await tanstackScenario(await tempFolder(), { events: false });
  await writeFiles(t.root, { 'src/a.txt': text({}) });
  await t.turn('go', [{ tool: 'bash', edit: (root) => writeFiles(root, { 'src/a.txt': text({ 2: 'TWO', 18: 'EIGHTEEN' }) }) }]);
});

describe('turnback bring-back', () => {
  test('shows what would go, takes one change out, then the file, and the history brings both back', async () => {
    await writeFile(path.join(t.root, 'src/a.txt'), text({ 2: 'TWO', 10: 'mine', 18: 'EIGHTEEN' }));
    const before = await manifest(t.root, { mtimes: true });
    const dry = await cli('bring-back', t.log, '1', 'src/a.txt', '--hunk', '2', '--dry-run', '--json');
    expect(dry.exit).toBe(0);
    const plan = dry.json<Plan & { piece: object; hunks: object[] }>();
    expect(plan).toMatchObject({
      target: { messageId: null, stop: null },
      turns: [1],
      files: [{ path: 'src/a.txt', verb: 'restore', drift: true, choice: 'merge' }],
      refusal: null,
      piece: { path: 'src/a.txt', hunk: 2, side: 'out' },
      hunks: [
        { number: 1, before: { start: 1, lines: 5 }, after: { start: 1, lines: 5 } },
        { number: 2, before: { start: 15, lines: 6 }, after: { start: 15, lines: 6 } },
      ],
    });
    const shown = await cli('bring-back', t.log, '1', 'src/a.txt', '--hunk', '2', '--dry-run');
    expect(shown.stdout).toContain('Changes of this step in the file: 1 (-1,5 +1,5), 2 (-15,6 +15,6)\n');
    expect(shown.stdout).toContain('\n-EIGHTEEN\n+line 18\n');
    expect(await manifest(t.root, { mtimes: true })).toEqual(before);

    const one = await cli('bring-back', t.log, '1', 'src/a.txt', '--hunk', '2', '--json');
    expect([one.exit, one.json<TravelResult>()]).toEqual([
      0,
      {
        entry: expect.any(String),
        message: 'Brought back lines 15–20 of src/a.txt from step 1.',
        log: 'none',
        files: [{ path: 'src/a.txt', outcome: 'merged', why: null }],
      },
    ]);
    expect(await now()).toBe(text({ 2: 'TWO', 10: 'mine' }));
    const again = await cli('bring-back', t.log, '1', 'src/a.txt', '--hunk', '2', '--json');
    expect([again.exit, again.json<{ error: { code: string } }>().error.code]).toEqual([1, 'HUNK_NOT_FOUND']);

    const kept = await cli('bring-back', t.log, '1', 'src/a.txt', '--to', 'before', '--drift', 'keep');
    expect([kept.exit, kept.stdout.split('\n')[0]]).toEqual([
      3,
      'Nothing was brought back: src/a.txt as it was before step 1. 1 kept as it is.',
    ]);
    expect((await cli('bring-back', t.log, '1', 'src/a.txt', '--to', 'before', '--drift', 'overwrite')).exit).toBe(0);
    expect(await now()).toBe(text({}));
    const { entries } = (await cli('history', t.log, '--json')).json<{ entries: HistoryEntry[] }>();
    expect(entries.map(({ kind, target, can }) => [kind, target, can])).toEqual([
      ['partial', 'src/a.txt as it was before step 1', true],
      ['partial', 'src/a.txt as it was before step 1', { code: 'NOTHING_WRITTEN', message: expect.any(String) }],
      ['partial', 'lines 15–20 of src/a.txt from step 1', true],
    ]);
    expect((await cli('history', t.log)).stdout).toContain('  partial: lines 15–20 of src/a.txt from step 1, 1 file\n');
    await cli('restore', t.log, entries[0]?.id ?? '');
    expect(await now()).toBe(text({ 2: 'TWO', 10: 'mine' }));
    await cli('restore', t.log, entries[2]?.id ?? '');
    expect(await now()).toBe(text({ 2: 'TWO', 10: 'mine', 18: 'EIGHTEEN' }));
  });

  test.each([
    [['1', 'src/a.txt', '--hunk', '0'], 2, 'USAGE', '--hunk takes the number of a change, from 1, not 0.'],
    [['1', 'src/a.txt', '--to', 'now'], 2, 'USAGE', '--to takes before or after here, not now.'],
    [['1', 'src/a.txt', '--to', 'after', '--hunk', '1'], 2, 'USAGE', '--hunk takes out one change; --to is for the whole file.'],
    [['1', 'src/a.txt', '--hunk', '3'], 1, 'HUNK_UNKNOWN', 'Step 1 has no such change in src/a.txt.'],
    [['1', 'other'], 1, 'FILE_NOT_IN_STEP', 'Step 1 did not change other.'],
    [['9', 'src/a.txt'], 1, 'UNKNOWN_STEP', 'There is no step 9 in this thread.'],
  ])('%j is refused with its reason', async (args, exit, code, words) => {
    const run = await cli('bring-back', t.log, ...args, '--json');
    expect([run.exit, run.json<{ error: { code: string } }>().error.code]).toEqual([exit, code]);
    expect(run.stderr).toContain(words);
  });
});

test.each([
  ['--finish', text({ 2: 'TWO' })],
  ['--roll-back', text({ 2: 'TWO', 18: 'EIGHTEEN' })],
])('turnback recover lists what was interrupted and ends it with %s', async (how, left) => {
  expect((await cli('recover', '--json')).json()).toEqual({ travels: [] });
  const hunk = (await cli('bring-back', t.log, '1', 'src/a.txt', '--dry-run', '--json')).json<{ piece: { step: string } }>();
  // The process ends when the new content is in place and the history does not know of it yet.
  const faults = new Faults();
  const thread = await openScenario(t);
  await thread.fill();
  const fs = faultyFileSystem(faults);
  const place = fs.rename;
  fs.rename = async (from, to) => {
    if (/\/history\//.test(to.toString())) faults.failAt(faults.calls.length + 1, systemError('EDEAD'), true);
    return place(from, to);
  };
  const { hunksOf } = await import('../../electron/travel/hunks.ts');
  const { from = '', to = '' } = t.steps[0] ?? {};
  if (thread.store === null) throw new Error('no snapshots');
  const hunks = await hunksOf(thread.store, { from, to, path: 'src/a.txt' });
  const id = 'code' in hunks ? '' : (hunks[1]?.id ?? '');
  const ownData = path.join(t.folder, 'own-data');
  const piece = { step: hunk.piece.step, path: 'src/a.txt', hunk: id, side: 'out' as const };
  const request = { kind: 'partial', stop: null, entry: null, scope: 'files', piece } as const;
  await expect(runTravel({ thread, ownData, git: createGit(), now: Date.now, fs }, request, DEFAULTS)).rejects.toThrow('EDEAD');
  await thread.close();
  // The process that held it is this one, which a real crash would have ended.
  await rm(path.join(ownData, 'leases'), { recursive: true });

  const refused = await cli('bring-back', t.log, '1', 'src/a.txt', '--json');
  expect(refused.json<{ error: { code: string } }>().error.code).toBe('INTERRUPTED');
  const { travels } = (await cli('recover', '--json')).json<{ travels: Interrupted[] }>();
  expect(travels).toMatchObject([{ kind: 'partial', root: t.root, files: 1 }]);
  const bare = await cli('recover', travels[0]?.entry ?? '', '--json');
  expect([bare.exit, bare.stderr]).toEqual([2, 'Say how the travel ends: --finish or --roll-back. (turnback --help)\n']);
  const done = await cli('recover', ...(how === '--finish' ? [travels[0]?.entry ?? ''] : []), how, '--json');
  expect([done.exit, done.json<TravelResult>().files.map(({ path: name }) => name)]).toEqual([0, ['src/a.txt']]);
  expect(await now()).toBe(left);
  expect((await cli('recover', '--json')).json()).toEqual({ travels: [] });
  const over = await cli('recover', travels[0]?.entry ?? '', how, '--json');
  expect([over.exit, over.json<{ error: { code: string } }>().error.code]).toEqual([1, 'NOT_INTERRUPTED']);
});
