import { appendFile, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Case, hardCase } from './case.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('C-04: a session in a folder of a monorepo; HEAD, branch and index moved since', async () => {
  const c = await hardCase('c-04');
  const link = path.join(c.built.folder, 'link');
  await symlink(c.root, link);
  const teammate = await c.noted('be0');
  const repository = await c.noted('git0');
  const plans = [];
  for (const root of [c.at('frontend'), c.root, link]) {
    await c.open({ root });
    plans.push(await c.preview(0));
    await c.thereAndBack(0, {}, async ({ files }) => {
      expect(files).toEqual([{ path: 'frontend/app.ts', outcome: 'written', why: null }]);
      expect(await c.text('frontend', 'app.ts')).toBe('v1\n');
      expect(await c.mani(c.at('backend'), true)).toEqual(teammate.trim().split('\n'));
    });
    expect(await c.text('frontend', 'app.ts')).toBe('agent\n');
  }
  expect(new Set(plans.map(({ fingerprint, ...plan }) => JSON.stringify(plan))).size).toBe(1);
  expect(plans[0]?.notes.join(' ')).toMatch(/HEAD of your own repository moved/);
  expect(await c.mani(c.at('.git'))).toEqual(repository.trim().split('\n'));
});

test('C-07: two sessions in one folder, one still at work', async () => {
  const c = await hardCase('c-07');
  const other = path.join(c.built.folder, 'session-B.jsonl');
  await c.look();
  const plan = await c.preview(0);
  const why = (name: string) => plan.files.find((file) => file.path === name);
  expect(why('b.txt')).toMatchObject({ drift: true, choice: 'keep', why: expect.stringContaining('“B: edit b and shared”') });
  expect(why('shared.txt')).toMatchObject({ drift: true, choice: 'keep', why: expect.stringContaining('“B: edit b and shared”') });
  expect(why('a.txt')).toMatchObject({ drift: false, choice: 'write', why: null });
  await c.thereAndBack(0, {}, async () => {
    expect([await c.text('a.txt'), await c.text('b.txt'), await c.text('shared.txt')]).toEqual(['a\n', 'B\n', 'sB\n']);
  });
  c.loose.add('session-B.jsonl');
  await c.hold();
  const growing = setInterval(() => void appendFile(other, '{"type":"note"}\n'), 200);
  try {
    await vi.waitFor(async () => expect((await c.preview(0)).refusal?.code).toBe('FOLDER_BUSY'), 20_000);
    await expect(c.revert(0)).rejects.toMatchObject({ code: 'FOLDER_BUSY', message: expect.stringContaining('“B: edit b and shared”') });
    expect(await c.text('a.txt')).toBe('A\n');
    // Confirmed once more, it goes on; what B wrote stays, as in every plan.
    expect(await c.travel('revert', 0, {}, 'both', { evenBusy: true })).toMatchObject({
      files: [
        { path: 'a.txt', outcome: 'written', why: null },
        { path: 'b.txt', outcome: 'kept' },
        { path: 'shared.txt', outcome: 'kept' },
      ],
    });
    expect([await c.text('a.txt'), await c.text('b.txt'), await c.text('shared.txt')]).toEqual(['a\n', 'B\n', 'sB\n']);
    await expect(c.unrevert()).rejects.toMatchObject({ code: 'FOLDER_BUSY' });
    await c.travel('unrevert', null, {}, 'both', { evenBusy: true });
  } finally {
    clearInterval(growing);
  }
  expect(await c.text('a.txt')).toBe('A\n');
});

test('C-12: the workspace’s and the store’s own config name programs; none runs', async () => {
  const c = await hardCase('c-12');
  const [step] = (await c.open()).steps;
  await c.look();
  await c.thereAndBack(0, {}, async () => expect(await c.text('f.txt')).toBe('v1\n'));
  // A merge, too.
  await writeFile(c.at('f.txt'), 'v2\nmine\n');
  expect((await c.preview(0)).files.find((file) => file.path === 'f.txt')?.drift).toBe(true);
  await c.thereAndBack(0, { 'f.txt': 'overwrite' }, async () => expect(await c.text('f.txt')).toBe('v1\n'));
  await c.patch('s.patch', { kind: 'step', step: step?.id ?? '' });
  await c.ask('diff.files', { thread: c.id, range: { kind: 'since', step: step?.id ?? '' } });
  expect(await readdir(path.join(c.built.folder, 'pwn'))).toEqual(['.keep']);
});

test('C-13: a poisoned environment', async () => {
  const c = await hardCase('c-13');
  const decoy = await c.noted('decoy0');
  for (const line of (await c.noted('env.sh')).split('\n')) {
    for (const [, name = '', quoted, plain] of line.replace(/^export /, '').matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)) {
      vi.stubEnv(name, quoted ?? plain ?? '');
    }
  }
  expect([process.env['GIT_WORK_TREE'], process.env['LANGUAGE']]).toEqual([path.join(c.built.folder, 'decoy'), 'de']);
  const poisoned = new Case(c.built);
  const [step] = (await poisoned.open()).steps;
  expect(step).toMatchObject({ captured: true, files: [{ path: 'f.txt', change: 'modified', added: 1, removed: 1 }] });
  await poisoned.look();
  await poisoned.thereAndBack(0, {}, async () => expect(await poisoned.text('f.txt')).toBe('v1\n'));
  const patch = await poisoned.patch('s.patch', { kind: 'step', step: step?.id ?? '' });
  expect(await poisoned.ask('patch.text', { thread: poisoned.id, range: { kind: 'step', step: step?.id ?? '' } })).toMatchObject({
    files: 1,
  });
  await poisoned.engine.dispose();
  expect(patch).toMatch(/s\.patch$/);
  expect(await c.mani(path.join(c.built.folder, 'decoy'))).toEqual(decoy.trim().split('\n'));
  expect(await readdir(c.built.folder)).not.toContain('PWN');
});

test('C-14: lock files that were left, or are held', async () => {
  const c = await hardCase('c-14');
  const [store, own] = [await c.noted('s0'), await c.noted('g0')];
  const [step] = (await c.open()).steps;
  await c.look();
  await c.thereAndBack(0, {}, async () => expect(await c.text('f.txt')).toBe('v1\n'));
  await c.patch('s.patch', { kind: 'step', step: step?.id ?? '' });
  expect(await c.mani(c.built.store, true)).toEqual(store.trim().split('\n'));
  expect(await c.mani(c.at('.git'), true)).toEqual(own.trim().split('\n'));
});
