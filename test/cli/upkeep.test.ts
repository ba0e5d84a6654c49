import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

const TOKEN = ['gh', 'p_', 'q7Xz2LmN8vBc4KdJ5hGf6RtYw9PaSe3UiO1k'].join('');

test('secrets stay out of a patch unless they are let in; clean and forget show first and act when asked', async () => {
  const folder = await tempFolder();
  const env = cleanEnv(folder);
  const t = await tanstackScenario(folder);
  await t.turn('Write it', [
    { tool: 'write_file', args: { path: 'a.txt' }, edit: (root) => writeFile(path.join(root, 'a.txt'), 'one\n') },
    { tool: 'write_file', args: { path: 'b.ts' }, edit: (root) => writeFile(path.join(root, 'b.ts'), `const t = '${TOKEN}';\n`) },
  ]);
  const where = ['--root', t.root, '--data', t.dataDir];
  const cli = (...args: string[]) => runCli(args, env);
  const made = await cli('patch', t.log, '1..2', ...where);
  expect([made.exit, made.stdout.includes(TOKEN), made.stdout.includes('a.txt')]).toEqual([0, false, true]);
  expect(made.stderr).toBe('Left out: b.ts (GitHub token)\n--include PATH lets one of them in, --with-secrets all.\n');
  expect((await cli('patch', t.log, '2', '--json')).json()).toMatchObject({ error: { code: 'PATCH_ALL_SECRET' } });
  const one = (await cli('patch', t.log, '2', '--include', 'b.ts', '--json')).json<{ patch: string; leftOut: unknown[] }>();
  expect([one.patch.includes(TOKEN), one.leftOut]).toEqual([true, []]);
  const shown = (await cli('diff', t.log, '2', '--json')).json<{ patch: string; leftOut: unknown[] }>();
  expect([shown.patch, shown.leftOut]).toEqual(['', [{ path: 'b.ts', kinds: ['GitHub token'] }]]);
  expect((await cli('diff', t.log, '2', '--with-secrets')).stdout).toContain(TOKEN);

  const revert = await cli('revert', t.log, 'stop:1', '--json');
  expect(revert.exit).toBe(0);
  expect((await cli('clean', '--dry-run', '--json')).json()).toMatchObject({ use: { entries: 1, workspaces: 1 }, goes: [], cleaned: null });
  expect((await cli('clean', '--json')).json()).toMatchObject({ cleaned: { dropped: 0, waiting: 0 } });
  const { thread } = (await cli('show', t.log, '--json')).json<{ thread: { id: string } }>();
  const plan = await cli('forget', thread.id, '--json');
  expect(plan.json()).toMatchObject({ entries: 1, undoable: 1, standing: true, removed: false });
  expect((await readdir(path.join(folder, 'own-data', 'history'))).length).toBe(1);
  const refused = await cli('forget', thread.id, '--yes', '--json');
  expect([refused.exit, refused.json<{ error: { code: string } }>().error.code]).toEqual([1, 'FORGET_STANDING']);
  expect((await cli('forget', thread.id, '--yes', '--even-standing')).exit).toBe(0);
  expect(await readdir(path.join(folder, 'own-data', 'history'))).toEqual([]);
  const health = (await cli('doctor', t.log, ...where, '--json')).json<{ problems: unknown[]; own: unknown }>();
  expect([health.problems, health.own]).toEqual([[], { entries: 0, undoable: 0, bytes: 0, read: expect.any(Number) }]);
});
