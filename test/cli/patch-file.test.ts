import { readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';

test('a patch is never written over a file of the user; over an empty one and an earlier patch it is', async () => {
  const folder = await tempFolder();
  const made = new MadeLog(folder);
  made.prompt('Write it.');
  made.create('m1', 'a.txt', 'a\n');
  await made.write();
  await utimes(made.log, new Date(0), new Date(0));
  const env = { ...cleanEnv(folder), HOME: made.home };
  const patch = (to: string) => runCli(['patch', made.log, '1', '-o', to], env);
  const file = path.join(folder, 'step.patch');

  await writeFile(file, 'the work of a morning\n');
  const refused = await patch(file);
  expect([refused.exit, refused.stderr.endsWith('[FILE_EXISTS]\n'), await readFile(file, 'utf8')]).toEqual([
    1,
    true,
    'the work of a morning\n',
  ]);

  await writeFile(file, '');
  for (const time of ['first', 'again'])
    expect([time, (await patch(file)).exit, (await patch(file)).stderr]).toEqual([time, 0, `1 file in ${file}\n`]);
  expect((await readFile(file, 'utf8')).split('\n')[0]).toBe('diff --git a/a.txt b/a.txt');

  const nowhere = await patch(path.join(folder, 'no', 'such', 'p.patch'));
  expect([nowhere.exit, nowhere.stderr.endsWith('[SAVE_FAILED]\n')]).toEqual([1, true]);
});
