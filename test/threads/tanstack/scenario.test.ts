import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tanstackScenario } from '../../scenarios/tanstack.ts';
import { harnessRedo, harnessRevert, harnessUndo, harnessUnrevert } from '../../scenarios/tanstack-harness.ts';
import { manifest, tempFolder, writeFiles } from '../../scenarios/temp.ts';

test('the scenario harness restores what the description says: literal paths, your edits kept, your own git untouched', async () => {
  const t = await tanstackScenario(await tempFolder());
  await writeFiles(t.root, { 'keep.txt': 'k', 'edit me.txt': 'one', 'del.txt': 'gone', '[x].txt': 'x', 'x.txt': 'not matched' });
  await writeFiles(path.join(t.root, '.git'), { HEAD: 'ref: refs/heads/main\n', config: '[core]\n' });
  const ownGit = await manifest(path.join(t.root, '.git'), { mtimes: true });
  const start = await t.track();
  const turn = await t.turn('change', [
    { tool: 'edit_file', edit: (root) => writeFile(path.join(root, 'edit me.txt'), 'two') },
    { tool: 'write_file', edit: (root) => writeFiles(root, { 'new/deep.txt': 'n', '[x].txt': 'y' }) },
    { tool: 'bash', edit: (root) => rm(path.join(root, 'del.txt')) },
  ]);
  const end = await t.track();
  expect(turn.steps.map((step) => step.files)).toEqual([['edit me.txt'], ['[x].txt', 'new/deep.txt'], ['del.txt']]);
  const before = await manifest(t.root);
  const { result, undone } = await harnessUndo(t, { start, end });
  expect(result).toBe('Undid the last turn. Files restored: 4.');
  expect(await t.track()).toBe(start);
  await writeFile(path.join(t.root, 'mine.txt'), 'mine');
  expect(await harnessRedo(t, undone)).toBe('Redid the last turn.');
  expect(await manifest(t.root, { skip: ['mine.txt'] })).toEqual(before);
  await writeFile(path.join(t.root, 'keep.txt'), 'my edit');
  await writeFile(path.join(t.root, 'edit me.txt'), 'two, and mine');
  await harnessRevert(t, turn.userId);
  expect(await readFile(path.join(t.root, 'edit me.txt'), 'utf8')).toBe('one');
  expect(await readFile(path.join(t.root, 'keep.txt'), 'utf8')).toBe('my edit');
  await harnessUnrevert(t);
  expect(await readFile(path.join(t.root, 'edit me.txt'), 'utf8')).toBe('two, and mine');
  expect(await manifest(path.join(t.root, '.git'), { mtimes: true })).toEqual(ownGit);
});
