import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, tempFolder, writeFiles } from '../scenarios/temp.ts';

test('beside an agent that works in the folder a travel goes on only when that is said', async () => {
  const folder = await tempFolder();
  const env = cleanEnv(folder);
  const t = await tanstackScenario(folder);
  await t.turn('Write it', [{ tool: 'write_file', args: { path: 'a.txt' }, edit: (root) => writeFiles(root, { 'a.txt': 'one\n' }) }]);
  const where = ['--root', t.root, '--data', t.dataDir, '--json'];
  // Another agent's session in the same folder, which is being written.
  const sessions = path.join(env['HOME'] ?? '', '.claude', 'projects', 'p');
  await mkdir(sessions, { recursive: true });
  const log = path.join(sessions, 'dd634337-4c1e-4e05-b25e-17544c2c384d.jsonl');
  const message = { role: 'user', content: 'Move the shop' };
  const line = { type: 'user', uuid: '1', parentUuid: null, sessionId: path.basename(log, '.jsonl'), cwd: t.root, message };
  await writeFile(log, `${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
  const growing = setInterval(() => void appendFile(log, `${JSON.stringify({ type: 'note' })}\n`), 150);
  try {
    const refused = await runCli(['revert', t.log, 'stop:1', ...where], env);
    expect([refused.exit, refused.json<{ error: object }>().error]).toEqual([
      1,
      {
        code: 'FOLDER_BUSY',
        message:
          'An agent works in this folder: the thread “Move the shop” is being written. Wait until it rests, then try again; or go on all the same (--even-busy).',
      },
    ]);
    expect(await readFile(path.join(t.root, 'a.txt'), 'utf8')).toBe('one\n');
    const done = await runCli(['revert', t.log, 'stop:1', '--even-busy', ...where], env);
    expect([done.exit, done.json()]).toMatchObject([0, { log: 'appended', files: [{ path: 'a.txt', outcome: 'deleted' }] }]);
  } finally {
    clearInterval(growing);
  }
});
