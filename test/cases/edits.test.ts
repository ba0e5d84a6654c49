import { lstat, readFile, readlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hardCase } from './case.ts';

const lines = (from: number, to: number, changed: Record<number, string> = {}): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${changed[from + at] ?? from + at}\n`).join('');

test('C-01: the user edited the same file after the agent', async () => {
  const c = await hardCase('c-01');
  await c.look();
  const mine = await c.noted('mine');
  const [file] = (await c.preview(0)).files;
  expect(file).toMatchObject({ path: 'app.txt', drift: true, choice: 'merge', choices: ['merge', 'keep', 'overwrite'] });
  await c.thereAndBack(0, {}, async ({ files }) => {
    expect(files).toEqual([{ path: 'app.txt', outcome: 'merged', why: null }]);
    expect(await c.text('app.txt')).toBe(lines(1, 20, { 18: 'eighteen (me)' }));
  });
  expect(await c.text('app.txt')).toBe(mine);
  await c.thereAndBack(0, { 'app.txt': 'keep' }, async ({ files, message }) => {
    expect(files).toEqual([{ path: 'app.txt', outcome: 'kept', why: expect.stringContaining('changed since') }]);
    expect(message).toBe('Reverted: the thread stands before turn 1. 0 files put back. 1 kept as it is.');
    expect(await c.text('app.txt')).toBe(mine);
  });
  await c.thereAndBack(0, { 'app.txt': 'overwrite' }, async () => expect(await c.text('app.txt')).toBe(lines(1, 20)));
  expect(await c.text('app.txt')).toBe(mine);
});

test('C-02: bystander files, ignored, untracked, or made by a script during a step', async () => {
  const c = await hardCase('c-02');
  await c.look();
  const plan = await c.preview(0);
  expect(plan.files.find((file) => file.path === 'data/during.csv')).toMatchObject({
    choice: 'keep',
    why: 'It appeared during step 2, written by no tool.',
  });
  await c.thereAndBack(0, {}, async ({ files }) => {
    expect(files.map((file) => `${file.outcome} ${file.path}`)).toEqual(['written a.txt', 'kept data/during.csv', 'deleted new.txt']);
    expect(await c.text('a.txt')).toBe('a\n');
    const left = (await c.files()).map((line) => line.split(' ')[0]);
    expect(left).toEqual(['.gitignore', 'a.txt', 'data', 'data/after.csv', 'data/during.csv', 'data/run1.csv', 'out', 'out/model.bin']);
    expect(await c.text('out', 'model.bin')).toBe('w2\n');
  });
});

test('C-03: ignore rules that flip inside the range that is taken back', async () => {
  const c = await hardCase('c-03');
  await c.look();
  await c.thereAndBack(0, {}, async ({ files }) => {
    expect(files.map((file) => `${file.outcome} ${file.path}`)).toEqual(['deleted .gitignore', 'kept secret.env']);
    expect((await c.files()).map((line) => line.split(' ')[0])).toEqual(['build', 'build/cache.bin', 'secret.env', 'x.txt']);
    expect(await c.text('secret.env')).toBe('REALKEY\n');
  });
  await c.thereAndBack(0, { 'secret.env': 'overwrite' }, async () => {
    await expect(c.text('secret.env')).rejects.toThrow('ENOENT');
  });
  expect(await c.text('secret.env')).toBe('REALKEY\n');
});

test('C-05: a snapshot that silently failed', async () => {
  const c = await hardCase('c-05');
  const view = await c.open();
  expect(view.steps.map(({ captured }) => captured)).toMatchObject([
    { code: 'TREES_EQUAL', message: expect.stringContaining('f.txt') },
    { code: 'TREE_EMPTY' },
  ]);
  const plan = await c.preview(0);
  expect([plan.files, plan.refusal?.code]).toEqual([[], 'NOTHING_CAN_GO_BACK']);
  expect(plan.skipped.map(({ path }) => path)).toEqual(['f.txt', 'g.txt']);
  await expect(c.revert(0)).rejects.toMatchObject({ code: 'NOTHING_CAN_GO_BACK' });
  for (const { id } of view.steps) {
    const range = { kind: 'step' as const, step: id };
    await expect(c.patch('none.patch', range)).rejects.toMatchObject({ code: 'NOT_CAPTURED' });
    await expect(c.ask('diff.file', { thread: c.id, range, path: 'f.txt', anyway: false })).rejects.toMatchObject({ code: 'NOT_CAPTURED' });
  }
  expect(JSON.stringify([view, plan])).not.toMatch(/no changes/i);
  expect([await c.text('f.txt'), await c.text('g.txt')]).toEqual(['v2\n', 'g\n']);
});

test('C-06: a turn without file changes, and the times of files', async () => {
  const c = await hardCase('c-06');
  await c.look();
  expect((await c.preview(2, 'files')).refusal?.code).toBe('NO_FILES_AFTER');
  await expect(c.revert(2, {}, 'files')).rejects.toMatchObject({ code: 'NO_FILES_AFTER' });
  const before = await c.files(true);
  const { files } = await c.revert(0);
  expect(files).toEqual([{ path: 'f1', outcome: 'written', why: null }]);
  expect((await c.files(true)).slice(1)).toEqual(before.slice(1));
  expect(before.slice(1).every((line) => line.endsWith(` ${Date.parse('2001-01-01T00:00:00Z')}`))).toBe(true);
  expect([await c.text('f1'), await c.text('f5')]).toEqual(['1\n', 'mine\n']);
});

test('C-09: links, exec bits, a folder that became a link', async () => {
  const c = await hardCase('c-09');
  await c.look();
  const view = await c.open();
  expect(view.steps[0]?.files?.map(({ path, change }) => `${change} ${path}`)).toEqual([
    'modified d/x',
    'kind link',
    'mode run.sh',
    'kind was_file',
  ]);
  expect((await c.preview(0)).skipped).toEqual([{ path: 'd/x', why: 'Its folder d is a link.' }]);
  const before = (await c.noted('m0')).split('\n').filter((line) => !line.startsWith('"d"') && !line.startsWith('"d/'));
  await c.thereAndBack(0, {}, async () => {
    expect(await readlink(c.at('link'))).toBe('target.txt');
    expect((await lstat(c.at('run.sh'))).mode & 0o777).toBe(0o755);
    expect(await c.text('was_file')).toBe('s\n');
    expect(await readlink(c.at('d'))).toBe(`${c.built.outside}/d`);
    expect((await c.mani()).filter((line) => !line.startsWith('"d"'))).toEqual(before.filter(Boolean));
  });
  expect(await readFile(`${c.built.outside}/p`, 'utf8')).toBe('precious\n');
});

test('C-10: a file becomes a folder, files of the user inside, emptied folders', async () => {
  const c = await hardCase('c-10');
  await c.look();
  const group = (await c.preview(0)).files.filter((file) => file.path.startsWith('conf'));
  expect(group.map(({ path, choice, choices }) => ({ path, choice, choices }))).toEqual([
    { path: 'conf', choice: 'keep', choices: ['keep'] },
    { path: 'conf/a.ini', choice: 'keep', choices: ['keep'] },
  ]);
  await c.thereAndBack(0, {}, async () => {
    expect((await c.files()).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'conf D',
      'conf/a.ini F',
      'conf/mine.ini F',
      'deep D',
      'deep/e D',
      'deep/e/keep.txt F',
      'docs D',
      'docs/only.md F',
      'src D',
      'src/m.c F',
    ]);
  });
});
