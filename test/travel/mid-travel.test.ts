import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { openQuarantine } from '../../electron/snapshots/store.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { hunksOf, shownHunk } from '../../electron/travel/hunks.ts';
import { leaseHolder, takeLease } from '../../electron/travel/lease.ts';
import { leftBy } from '../../electron/travel/predict.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { neutral } from './neutral.ts';
import { DEFAULTS, put, revertTo, stopOf, travelling, twoEdits } from './tanstack-travelling.ts';

describe('just before the first write', () => {
  test('an agent that went on stops the travel', async () => {
    const { t, context, answer } = await twoEdits();
    const before = readFileSync(t.log);
    await t.turn('three', [{ tool: 'edit_file', edit: put({ x: '3\n' }) }]);
    const after = readFileSync(t.log);
    await writeFile(t.log, before);
    const ctx = await context();
    const now = (): number => {
      writeFileSync(t.log, after);
      return ctx.now();
    };
    const files = await manifest(t.root);
    await expect(runTravel({ ...ctx, now }, revertTo(stopOf(ctx, answer)), { ...DEFAULTS, drift: 'overwrite' })).rejects.toMatchObject({
      code: 'PLAN_STALE',
      message: expect.stringMatching(/^The conversation /),
    });
    expect(await manifest(t.root)).toEqual(files);
    expect(readFileSync(t.log).equals(after)).toBe(true);
  });

  test('a travel can be cancelled, and nothing was written', async () => {
    const { t, context, answer } = await twoEdits();
    const ctx = await context();
    const [files, log] = [await manifest(t.root), readFileSync(t.log)];
    const stop = new AbortController();
    const now = (): number => {
      stop.abort();
      return ctx.now();
    };
    const options = { ...DEFAULTS, signal: stop.signal };
    await expect(runTravel({ ...ctx, now }, revertTo(stopOf(ctx, answer)), options)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await manifest(t.root)).toEqual(files);
    expect(readFileSync(t.log).equals(log)).toBe(true);
  });
});

describe('in the middle of the writes', () => {
  /** Two turns, the second with three files; a travel whose second file meets what `meanwhile` does. */
  async function meddled(meanwhile: (root: string) => void) {
    const { t, context } = await travelling();
    await writeFiles(t.root, { a: '1\n', b: '1\n', c: '1\n' });
    const { answerId } = await t.turn('one', []);
    await t.turn('two', [{ tool: 'bash', edit: put({ a: '2\n', b: '2\n', c: '2\n' }) }]);
    let renames = 0;
    const rename = async (from: Buffer, to: Buffer): Promise<void> => {
      await nodeFileSystem.rename(from, to);
      if (!from.includes('.turnback-')) return;
      renames += 1;
      if (renames === 1) meanwhile(t.root);
    };
    const ctx = await context({ fs: { ...nodeFileSystem, rename } });
    const before = await manifest(t.root);
    const travel = runTravel(ctx, revertTo(stopOf(ctx, answerId)), { ...DEFAULTS, drift: 'overwrite' });
    return { t, ctx, before, travel };
  }

  test('a workspace that is moved away is not said to be as it was: it waits for its place, and then goes back', async () => {
    const { t, ctx, before, travel } = await meddled((root) => renameSync(root, `${root}-moved`));
    await expect(travel).rejects.toMatchObject({ code: 'RECOVERY_FAILED', message: expect.stringContaining('Move it back there') });
    const [open] = await interruptedTravels(ctx.ownData);
    expect(open).toMatchObject({ kind: 'revert', files: 3 });
    await rename(`${t.root}-moved`, t.root);
    expect(await manifest(t.root)).not.toEqual(before);
    const deps = { git: ctx.git, ownData: ctx.ownData, openThread: async () => ctx.thread };
    await recoverTravel(deps, open?.entry ?? '', 'roll-back');
    expect(await manifest(t.root)).toEqual(before);
  });

  test('what somebody else changed is named where the rest was put back', async () => {
    const { t, before, travel } = await meddled((root) => {
      writeFileSync(path.join(root, 'c'), 'mine\n');
      writeFileSync(path.join(root, 'b'), 'mine, too\n');
    });
    await expect(travel).rejects.toMatchObject({
      message: expect.stringMatching(/ Changed by somebody else meanwhile, and left so: b and c\.$/),
    });
    const rest = (lines: readonly string[]) => lines.filter((line) => !/^[bc] /.test(line));
    expect(rest(await manifest(t.root))).toEqual(rest(before));
    expect([await readFile(path.join(t.root, 'b'), 'utf8'), await readFile(path.join(t.root, 'c'), 'utf8')]).toEqual([
      'mine, too\n',
      'mine\n',
    ]);
  });
});

describe('what a travel would leave', () => {
  test('is what stands there where it stays, a link as a link; what was not offered cannot be asked for', async () => {
    const { t, context, answer } = await twoEdits();
    await symlink('x', path.join(t.root, 'link'));
    const ctx = await context();
    const request = revertTo(stopOf(ctx, answer));
    expect(await leftBy(ctx, request, 'link', null)).toEqual({ mode: '120000', bytes: Buffer.from('x') });
    expect(await leftBy(ctx, request, 'x', 'keep')).toEqual({ mode: '100644', bytes: Buffer.from('2\n') });
    expect(await leftBy(ctx, request, 'none', null)).toBeNull();
    await expect(leftBy(ctx, request, 'x', 'merge')).rejects.toMatchObject({
      code: 'CHOICE_IMPOSSIBLE',
      message: expect.stringContaining('merged'),
    });
    expect(await readFile(path.join(t.root, 'x'), 'utf8')).toBe('2\n');
  });
});

describe('a thread of which nothing can go back', () => {
  test('says so, for its messages and for a patch of its files', async () => {
    const n = await neutral();
    await n.base();
    await writeFile(n.log, '');
    expect((await viewOf(await n.context())).can).toMatchObject({
      revert: { code: 'NOTHING_AFTER' },
      patch: { code: 'NO_FILES_IN_PATCH' },
    });
    await n.user('hi');
    await n.step('looked', []);
    expect((await viewOf(await n.context())).can).toMatchObject({ revert: true, patch: { code: 'NO_FILES_IN_PATCH' } });
  });
});

describe('a step whose trees are gone', () => {
  test('has its reason for each file and each part of it', async () => {
    const n = await neutral();
    await writeFiles(n.root, { x: '1\n' });
    await n.base();
    await n.user('go');
    await writeFiles(n.root, { x: '2\n' });
    const id = await n.step('edit', ['x']);
    const lost = await n.stepRaw('1'.repeat(40), '2'.repeat(40), 'edit', ['x']);
    const ctx = await n.context();
    const back = (step: string, hunk: string | null) =>
      previewTravel(ctx, { kind: 'partial', stop: null, entry: null, scope: 'files', piece: { step, path: 'x', side: 'out', hunk } });
    for (const hunk of [null, 'any']) {
      const { refusal } = await back(lost, hunk);
      expect([refusal?.code, refusal?.message]).toEqual(['NOT_CAPTURED', expect.stringContaining('Step 2 was not captured')]);
    }
    expect((await back(id, null)).refusal).toBeNull();
    expect((await back(id, 'any')).refusal).toMatchObject({ code: 'HUNK_UNKNOWN' });
    await expect(back('nobody', null)).rejects.toMatchObject({ code: 'UNKNOWN_STEP' });
  });
});

describe('a lease that nobody can be told from', () => {
  test('counts as held, by somebody unknown', async () => {
    const ownData = await tempFolder();
    await writeFiles(ownData, { 'leases/key.json': '{"version":9}', 'leases/other.json': 'half' });
    for (const key of ['key', 'other']) {
      const file = path.join(ownData, 'leases', `${key}.json`);
      await expect(takeLease(nodeFileSystem, ownData, key, 0)).rejects.toMatchObject({
        code: 'LEASE_HELD',
        message: `${file} is held, and nobody can tell by whom: ${file} cannot be read. Close every other Turnback and remove that file, then try again.`,
      });
      expect(await leaseHolder(nodeFileSystem, ownData, key)).toBeNull();
    }
    expect(await readFile(path.join(ownData, 'leases/key.json'), 'utf8')).toBe('{"version":9}');
  });
});

describe('the parts of a change', () => {
  test('are those of a text that stays a text; a link, a binary, a new and an unchanged file have none', async () => {
    const n = await neutral();
    await writeFiles(n.root, { text: 'a\nb\nc\n', bin: 'a\0b', same: 's', link: { link: 'one' }, gone: 'g' });
    const from = await n.snap();
    await n.git('rm', '-q', '--cached', 'gone');
    await writeFiles(n.root, { text: 'a\nB\nc\n', bin: 'a\0c', made: 'm' });
    for (const name of ['link', 'gone']) await rm(path.join(n.root, name));
    await symlink('two', path.join(n.root, 'link'));
    const to = await n.snap();
    const store = await openQuarantine({
      git: createGit(),
      ownData: path.join(n.folder, 'own-data'),
      objectFolders: [path.join(n.gitDir, 'objects')],
      format: 'sha1',
    });
    const said = async (name: string): Promise<unknown> => {
      const hunks = await hunksOf(store, { from, to, path: name });
      return 'code' in hunks ? hunks.message : hunks.map(shownHunk).map(({ before, after }) => ({ before, after }));
    };
    expect(await said('text')).toEqual([{ before: { start: 1, lines: 3 }, after: { start: 1, lines: 3 } }]);
    expect(await said('link')).toContain('it is a link');
    expect(await said('bin')).toContain('it is binary');
    expect(await said('same')).toContain('no line of it changed');
    for (const name of ['made', 'gone']) expect(await said(name)).toContain('the step made or deleted it');
  });
});
