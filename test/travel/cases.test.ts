import { chmod, mkdir, readFile, readlink, rename, rm, rmdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { Choice, Plan } from '../../shared/plan.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo, UNREVERT } from './tanstack-travelling.ts';

const lines = (from: number, to: number, changed: Record<number, string> = {}): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${changed[from + at] ?? from + at}\n`).join('');

const at = (n: Neutral, ...names: string[]): string => path.join(n.root, ...names);
const text = (n: Neutral, ...names: string[]): Promise<string> => readFile(at(n, ...names), 'utf8');
const OLD = new Date('2001-01-01T00:00:00Z');

const choose = (context: TravelContext, choices: Record<string, Choice>) => runTravel(context, revertTo(0), { ...DEFAULTS, choices });
const fileOf = (plan: Plan, name: string) => plan.files.find((file) => file.path === name);

test('C-01: a line of yours in the same file stays, whatever is chosen can be taken back exactly', async () => {
  const n = await neutral();
  await writeFiles(n.root, { 'app.txt': lines(1, 20) });
  await n.base();
  await n.user('change line 3');
  await writeFile(at(n, 'app.txt'), lines(1, 20, { 3: 'three (agent)' }));
  await n.step('edit app.txt');
  const mine = lines(1, 20, { 3: 'three (agent)', 18: 'eighteen (me)' });
  await writeFile(at(n, 'app.txt'), mine);
  const context = await n.context();

  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files).toEqual([
    {
      path: 'app.txt',
      verb: 'restore',
      drift: true,
      choice: 'merge',
      choices: ['merge', 'keep', 'overwrite'],
      why: "It was changed since; the agent's changes go and the others stay.",
      added: 1,
      removed: 1,
      binary: false,
    },
  ]);
  expect((await runTravel(context, revertTo(0), DEFAULTS)).files).toEqual([{ path: 'app.txt', outcome: 'merged', why: null }]);
  expect(await text(n, 'app.txt')).toBe(lines(1, 20, { 18: 'eighteen (me)' }));
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await text(n, 'app.txt')).toBe(mine);

  const kept = await choose(context, { 'app.txt': 'keep' });
  expect(kept.files).toEqual([
    { path: 'app.txt', outcome: 'kept', why: "It was changed since; the agent's changes go and the others stay." },
  ]);
  expect(kept.message).toBe('Reverted: the thread stands before turn 1. 0 files put back. 1 kept as it is.');
  expect(await text(n, 'app.txt')).toBe(mine);
  await runTravel(context, UNREVERT, DEFAULTS);

  await choose(context, { 'app.txt': 'overwrite' });
  expect(await text(n, 'app.txt')).toBe(lines(1, 20));
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await text(n, 'app.txt')).toBe(mine);
});

test('C-01: lines are counted against the disk, not against what the agent left', async () => {
  const n = await neutral();
  await writeFiles(n.root, { a: 'one\n', b: lines(1, 4), 'c.bin': 'old' });
  await n.base();
  await n.user('change');
  await writeFiles(n.root, { a: 'two\n', b: lines(1, 4, { 2: 'agent' }), 'c.bin': Buffer.from([0, 1, 2]) });
  await n.step('change', ['a', 'b', 'c.bin']);
  await writeFiles(n.root, { a: 'two, mine\nmore\nand more\n' });
  const plan = await previewTravel(await n.context(), revertTo(0));
  expect(plan.files.map(({ path: name, choice, added, removed, binary }) => ({ name, choice, added, removed, binary }))).toEqual([
    { name: 'a', choice: 'keep', added: 1, removed: 3, binary: false },
    { name: 'b', choice: 'write', added: 1, removed: 1, binary: false },
    { name: 'c.bin', choice: 'write', added: null, removed: null, binary: true },
  ]);
});

test('C-02: files that no tool of the step wrote are not the agent’s, and stay', async () => {
  const n = await neutral();
  await n.userRepository();
  await writeFiles(n.root, { '.gitignore': 'out/\n', 'out/model.bin': 'w', 'a.txt': 'a\n' });
  await mkdir(at(n, 'data'));
  await n.base();
  await n.user('edit a, add new');
  await writeFile(at(n, 'a.txt'), 'A\n');
  await n.step('edit a', ['a.txt']);
  await writeFile(at(n, 'data', 'run1.csv'), 'r1\n');
  await n.base();
  await writeFiles(n.root, { 'new.txt': 'n\n', 'data/during.csv': 'r2\n' });
  await n.step('create new', ['new.txt']);
  await writeFiles(n.root, { 'data/after.csv': 'r3\n', 'out/model.bin': 'w2\n' });
  const repository = await manifest(at(n, '.git'), { mtimes: true });
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(fileOf(plan, 'data/during.csv')).toMatchObject({
    verb: 'delete',
    drift: true,
    choice: 'keep',
    choices: ['keep', 'overwrite'],
    why: 'It appeared during step 2, written by no tool.',
  });
  const result = await runTravel(context, revertTo(0), { ...DEFAULTS, fingerprint: plan.fingerprint });
  expect(result.files.map((file) => `${file.outcome} ${file.path}`)).toEqual(['written a.txt', 'kept data/during.csv', 'deleted new.txt']);
  expect((await manifest(n.root, { skip: ['.git'] })).map((line) => line.split(' ')[0])).toEqual([
    '.gitignore',
    'a.txt',
    'data',
    'data/after.csv',
    'data/during.csv',
    'data/run1.csv',
    'out',
    'out/model.bin',
  ]);
  expect(await text(n, 'a.txt')).toBe('a\n');
  expect(await text(n, 'out', 'model.bin')).toBe('w2\n');
  expect(await manifest(at(n, '.git'), { mtimes: true })).toEqual(repository);
});

test('C-03: what became ignored in the range is not deleted unasked, and comes back when it is', async () => {
  const n = await neutral();
  await n.userRepository();
  await writeFiles(n.root, { 'x.txt': 'x\n' });
  await n.base();
  await n.user('make secret');
  await writeFile(at(n, 'secret.txt'), 'TEMPLATE\n');
  await n.step('create secret.txt', ['secret.txt']);
  await writeFile(at(n, '.gitignore'), 'secret.txt\nbuild/\n');
  await n.step('create .gitignore', ['.gitignore']);
  await writeFiles(n.root, { 'secret.txt': 'REALKEY\n', 'build/cache.bin': 'cache\n' });
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files.map(({ path: name, verb, drift, choice, why }) => ({ name, verb, drift, choice, why }))).toEqual([
    { name: '.gitignore', verb: 'delete', drift: false, choice: 'write', why: null },
    { name: 'secret.txt', verb: 'delete', drift: true, choice: 'keep', why: 'It was changed since, and .gitignore names it now.' },
  ]);
  await runTravel(context, revertTo(0), DEFAULTS);
  const left = (await manifest(n.root, { skip: ['.git'] })).map((line) => line.split(' ')[0]);
  expect(left).toEqual(['build', 'build/cache.bin', 'secret.txt', 'x.txt']);
  expect(await text(n, 'secret.txt')).toBe('REALKEY\n');
  await runTravel(context, UNREVERT, DEFAULTS);
  await choose(context, { 'secret.txt': 'overwrite' });
  await expect(text(n, 'secret.txt')).rejects.toThrow('ENOENT');
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await text(n, 'secret.txt')).toBe('REALKEY\n');
});

test('C-05: a snapshot that silently failed is named, and nothing is called reverted', async () => {
  const n = await neutral();
  await writeFiles(n.root, { 'f.txt': 'v1\n' });
  await n.base();
  const first = n.tree;
  await n.user('edit f');
  await writeFile(at(n, 'f.txt'), 'v2\n');
  await n.stepRaw(first, first, 'edit f.txt', ['f.txt']);
  await writeFile(at(n, 'g.txt'), 'g\n');
  await n.stepRaw(first, '', 'create g.txt', ['g.txt']);
  const context = await n.context();
  const before = await manifest(n.root, { mtimes: true });
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files).toEqual([]);
  expect(plan.skipped).toEqual([
    { path: 'f.txt', why: 'Tools wrote f.txt in this step, but the snapshots before and after are equal: the change was not captured.' },
    { path: 'g.txt', why: 'This step has no snapshot id: the agent recorded none.' },
  ]);
  expect(plan.refusal?.code).toBe('NOTHING_CAN_GO_BACK');
  await expect(runTravel(context, revertTo(0), DEFAULTS)).rejects.toMatchObject({ code: 'NOTHING_CAN_GO_BACK' });
  expect(await manifest(n.root, { mtimes: true })).toEqual(before);
  // The conversation alone can still go.
  expect((await previewTravel(context, revertTo(0, 'messages'))).refusal).toBeNull();
});

test('C-06: a turn without file changes touches nothing, and another one only its file', async () => {
  const n = await neutral();
  await writeFiles(n.root, { f1: '1\n', f2: '2\n', f3: '3\n', f4: '4\n', f5: '5\n' });
  await n.base();
  await n.user('edit f1');
  await writeFile(at(n, 'f1'), 'one\n');
  await n.step('edit f1', ['f1']);
  await n.user('just a question');
  await n.step('answer only', []);
  await writeFile(at(n, 'f5'), 'mine\n');
  for (const name of ['f2', 'f3', 'f4', 'f5']) await utimes(at(n, name), OLD, OLD);
  const context = await n.context();
  const before = await manifest(n.root, { mtimes: true });
  expect((await previewTravel(context, revertTo(2, 'files'))).refusal?.code).toBe('NO_FILES_AFTER');
  await expect(runTravel(context, revertTo(2, 'files'), DEFAULTS)).rejects.toMatchObject({ code: 'NO_FILES_AFTER' });
  expect(await manifest(n.root, { mtimes: true })).toEqual(before);
  const result = await runTravel(context, revertTo(0), DEFAULTS);
  expect(result.files).toEqual([{ path: 'f1', outcome: 'written', why: null }]);
  const after = await manifest(n.root, { mtimes: true });
  expect(after.slice(1)).toEqual(before.slice(1));
  expect(await text(n, 'f1')).toBe('1\n');
  expect(await text(n, 'f5')).toBe('mine\n');
});

test('C-07: what another session wrote stays, and a session that is at work blocks', async () => {
  const n = await neutral();
  await writeFiles(n.root, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'shared.txt': 's\n' });
  await n.base();
  await n.user('A: edit a and shared');
  await writeFiles(n.root, { 'a.txt': 'A\n', 'shared.txt': 'sA\n', 'b.txt': 'B\n' });
  await n.step('A edits', ['a.txt', 'shared.txt']);
  await writeFile(at(n, 'shared.txt'), 'sB\n');
  const context = { ...(await n.context()), others: async () => new Map([['shared.txt', 'Session B changed it.']]) };
  const plan = await previewTravel(context, revertTo(0));
  expect(fileOf(plan, 'b.txt')).toMatchObject({ drift: true, choice: 'keep', why: 'It was changed during step 1, by no tool.' });
  expect(fileOf(plan, 'shared.txt')).toMatchObject({
    drift: true,
    choice: 'keep',
    why: "It was changed since in the same lines as the agent's changes. Session B changed it.",
  });
  n.sign = 'session B is being written';
  await expect(runTravel(context, revertTo(0), DEFAULTS)).rejects.toMatchObject({ code: 'LOG_LIVE' });
  n.sign = null;
  await runTravel(context, revertTo(0), DEFAULTS);
  expect([await text(n, 'a.txt'), await text(n, 'b.txt'), await text(n, 'shared.txt')]).toEqual(['a\n', 'B\n', 'sB\n']);
});

test('C-09: links, exec bits and a folder that became a link', async () => {
  const n = await neutral();
  await writeFiles(n.root, {
    'target.txt': 't\n',
    link: { link: 'target.txt' },
    'run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
    was_file: 's\n',
    'd/x': '1\n',
  });
  await writeFile(path.join(n.outside, 'p'), 'precious\n');
  await n.base();
  const before = await manifest(n.root);
  await n.user('swap kinds');
  await rm(at(n, 'link'));
  await writeFile(at(n, 'link'), 'now-a-file\n');
  await chmod(at(n, 'run.sh'), 0o644);
  await rm(at(n, 'was_file'));
  await symlink(path.join(n.outside, 'p'), at(n, 'was_file'));
  await writeFile(at(n, 'd', 'x'), '2\n');
  await n.step('swap kinds');
  await rename(at(n, 'd'), path.join(n.outside, 'd'));
  await symlink(path.join(n.outside, 'd'), at(n, 'd'));
  const between = await manifest(n.root);
  const outside = await manifest(n.outside, { mtimes: true });
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.skipped).toEqual([{ path: 'd/x', why: 'Its folder d is a link.' }]);
  await runTravel(context, revertTo(0), DEFAULTS);
  expect((await readlink(at(n, 'link'), { encoding: 'buffer' })).toString()).toBe('target.txt');
  const kinds = (list: string[]) => list.filter((line) => !line.startsWith('d'));
  expect(kinds(await manifest(n.root))).toEqual(kinds(before));
  expect(await readlink(at(n, 'd'))).toBe(path.join(n.outside, 'd'));
  expect(await manifest(n.outside, { mtimes: true })).toEqual(outside);
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(between);
  expect(await manifest(n.outside, { mtimes: true })).toEqual(outside);
});

test('C-10: a folder that holds a file of yours stays whole; emptied folders go', async () => {
  const n = await neutral();
  await writeFiles(n.root, { conf: 'c\n', 'docs/only.md': 'o\n', 'src/m.c': 'm\n' });
  await n.base();
  await n.user('restructure');
  await rm(at(n, 'conf'));
  await writeFiles(n.root, { 'conf/a.ini': 'a\n', 'deep/e/f/g.txt': 'g\n' });
  await rm(at(n, 'docs'), { recursive: true });
  await mkdir(at(n, 'lib'));
  await rename(at(n, 'src', 'm.c'), at(n, 'lib', 'm.c'));
  await rmdir(at(n, 'src'));
  await n.step('restructure');
  await writeFiles(n.root, { 'conf/mine.ini': 'mine\n', 'deep/e/keep.txt': 'k\n' });
  const between = await manifest(n.root);
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  const group = plan.files.filter((file) => file.path.startsWith('conf'));
  expect(group.map(({ path: name, choice, choices, why }) => ({ name, choice, choices, why }))).toEqual(
    ['conf', 'conf/a.ini'].map((name) => ({
      name,
      choice: 'keep',
      choices: ['keep'],
      why: 'The folder conf holds a file of yours (conf/mine.ini), so no file can take its place.',
    })),
  );
  await runTravel(context, revertTo(0), DEFAULTS);
  expect((await manifest(n.root)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
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
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(between);
});

test('C-10: without a file of yours, file and folder change places both ways', async () => {
  const n = await neutral();
  await writeFiles(n.root, { conf: 'c\n', 'tools/run': 'r\n' });
  await n.base();
  await n.user('swap');
  await rm(at(n, 'conf'));
  await writeFiles(n.root, { 'conf/a.ini': 'a\n', 'conf/deep/b.ini': 'b\n' });
  await rm(at(n, 'tools'), { recursive: true });
  await writeFile(at(n, 'tools'), 'a file now\n');
  await n.step('swap');
  const between = await manifest(n.root);
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files.map(({ path: name, verb, drift }) => `${verb} ${name}${drift ? ' drift' : ''}`)).toEqual([
    'recreate conf',
    'delete conf/a.ini',
    'delete conf/deep/b.ini',
    'delete tools',
    'recreate tools/run',
  ]);
  await runTravel(context, revertTo(0), DEFAULTS);
  expect((await manifest(n.root)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['conf F', 'tools D', 'tools/run F']);
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(between);
});

test('C-18: back step by step and forward again, never the wrong way', async () => {
  const n = await neutral();
  await writeFiles(n.root, { f: '0\n' });
  await n.base();
  for (const value of ['1', '2', '3']) {
    await n.user(`write ${value}`);
    await writeFile(at(n, 'f'), `${value}\n`);
    await n.step(`write ${value}`, ['f']);
  }
  const context = await n.context();
  for (const [stop, value] of [
    [4, '2'],
    [2, '1'],
    [4, '2'],
    [5, '2'],
    [0, '0'],
    [2, '1'],
  ] as const) {
    const plan = await previewTravel(context, revertTo(stop));
    expect(plan.files.filter((file) => file.drift)).toEqual([]);
    await runTravel(context, revertTo(stop), DEFAULTS);
    expect(await text(n, 'f')).toBe(`${value}\n`);
  }
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await text(n, 'f')).toBe('3\n');
});

test('C-10: a drifted file keeps its folder by default; both go when that is chosen for both', async () => {
  const n = await neutral();
  await writeFiles(n.root, { conf: 'c\n' });
  await n.base();
  await n.user('restructure');
  await rm(at(n, 'conf'));
  await writeFiles(n.root, { 'conf/a.ini': 'a\n' });
  await n.step('restructure');
  await writeFile(at(n, 'conf', 'a.ini'), 'mine\n');
  const before = await manifest(n.root);
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  const stays = 'The folder conf holds a file that stays (conf/a.ini), so no file can take its place.';
  expect(plan.files.map(({ path: name, drift, choice, choices, why }) => ({ name, drift, choice, choices, why }))).toEqual([
    { name: 'conf', drift: true, choice: 'keep', choices: ['keep', 'overwrite'], why: stays },
    {
      name: 'conf/a.ini',
      drift: true,
      choice: 'keep',
      choices: ['keep', 'overwrite'],
      why: 'It was changed since the agent made it; taking it away would lose those changes.',
    },
  ]);
  // Half of it cannot be done: what was chosen for the folder's file alone is not enough for the other half.
  const half = await choose(context, { conf: 'write' });
  expect(half.files.map(({ path: name, outcome, why }) => ({ name, outcome, why }))).toEqual([
    { name: 'conf', outcome: 'kept', why: stays },
    { name: 'conf/a.ini', outcome: 'kept', why: expect.any(String) },
  ]);
  expect(await manifest(n.root)).toEqual(before);
  await runTravel(context, UNREVERT, DEFAULTS);
  await choose(context, { conf: 'write', 'conf/a.ini': 'overwrite' });
  expect(await text(n, 'conf')).toBe('c\n');
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(before);
});

test('C-10: a file of yours stays where the agent’s file took the place of a folder, and so does what was in it', async () => {
  const n = await neutral();
  await writeFiles(n.root, { 'tools/run': 'r\n' });
  await n.base();
  await n.user('swap');
  await rm(at(n, 'tools'), { recursive: true });
  await writeFile(at(n, 'tools'), 'agents\n');
  await n.step('swap');
  await writeFile(at(n, 'tools'), 'mine\n');
  const before = await manifest(n.root);
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files.map(({ path: name, choice, choices, why }) => ({ name, choice, choices, why }))).toEqual([
    {
      name: 'tools',
      choice: 'keep',
      choices: ['keep', 'overwrite'],
      why: 'It was changed since the agent made it; taking it away would lose those changes.',
    },
    {
      name: 'tools/run',
      choice: 'keep',
      choices: ['keep', 'overwrite'],
      why: 'A file stands at tools, where a folder is needed, so neither is touched.',
    },
  ]);
  await runTravel(context, revertTo(0), DEFAULTS);
  expect(await manifest(n.root)).toEqual(before);
  await runTravel(context, UNREVERT, DEFAULTS);
  await choose(context, { tools: 'overwrite', 'tools/run': 'overwrite' });
  expect(await text(n, 'tools', 'run')).toBe('r\n');
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(before);
});

test('a choice that the preview did not offer is refused by name', async () => {
  const n = await neutral();
  await n.base();
  await n.user('make');
  await writeFiles(n.root, { 'made.txt': 'm\n', plain: 'p\n' });
  await n.step('make', ['made.txt', 'plain']);
  await writeFile(at(n, 'made.txt'), 'mine\n');
  const context = await n.context();
  const before = await manifest(n.root, { mtimes: true });
  await expect(choose(context, { 'made.txt': 'merge' })).rejects.toMatchObject({
    code: 'CHOICE_IMPOSSIBLE',
    message: 'made.txt cannot be merged. Look at the preview for what is possible.',
  });
  expect(await manifest(n.root, { mtimes: true })).toEqual(before);
  const kept = await choose(context, { plain: 'keep' });
  expect(kept.files.map((file) => `${file.outcome} ${file.path}`)).toEqual(['kept made.txt', 'kept plain']);
});

test('what a tool wrote and no snapshot holds is named, not passed over', async () => {
  const n = await neutral();
  await writeFiles(n.root, { '.gitignore': 'secret\n', a: '1\n', same: 's\n' });
  await n.base();
  await n.user('write both');
  await writeFiles(n.root, { a: '2\n', secret: 's\n' });
  await n.step('write both', ['a', 'secret', 'gone-again', 'same']);
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files.map((file) => file.path)).toEqual(['a']);
  expect(plan.skipped).toEqual([{ path: 'secret', why: 'A tool wrote it in step 1, but no snapshot holds it.' }]);
  const result = await runTravel(context, revertTo(0), DEFAULTS);
  expect(result.message).toBe('Reverted: the thread stands before turn 1. 1 file put back. 1 skipped.');
  expect(await text(n, 'secret')).toBe('s\n');
});
