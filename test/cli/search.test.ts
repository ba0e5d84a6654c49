import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';
import { answer, call, HandLog, input, settled, transcript, user } from '../threads/tanstack/hand-log.ts';

test('search looks through the texts of one thread or of all, in JSON and in words', async () => {
  const folder = await tempFolder();
  const sessions = path.join(folder, 'home', '.tanstack-harness-app', 'sessions');
  await mkdir(sessions, { recursive: true });
  const log = async (name: string, output: string): Promise<void> => {
    const one = new HandLog(folder, path.join(sessions, `${name}.jsonl`));
    await one.batch(input('i'), transcript(0, user('u1', `Prompt of ${name}`), call('a1', ['c1', 'bash', { command: 'make' }])));
    await one.batch(transcript(2, answer('c1', output)), settled('i'));
  };
  await log('one', `${'x'.repeat(500)} The Zebra crossed`);
  await log('two', 'nothing here');
  const env = cleanEnv(folder);
  const all = await runCli(['search', 'zebra crossed', '--json'], env);
  expect(all.exit).toBe(0);
  expect(all.json()).toMatchObject({
    threads: [{ thread: { id: 'tanstack:one' }, found: 1, hits: [{ stop: 3, role: 'tool', place: 'output', times: 2, hidden: null }] }],
    problems: [],
  });
  const one = await runCli(['search', 'ZEBRA', '--thread', 'tanstack:one'], env);
  expect(one.stdout).toMatch(/stop:3, turn 1, output\n {4}….*The Zebra crossed\n$/);
  const none = await runCli(['search', 'zebra', '--thread', 'tanstack:two', '--json'], env);
  expect([none.exit, none.json(), none.stderr]).toEqual([0, { threads: [], problems: [] }, 'Nothing was found.\n']);
  for (const query of ['path:x', '   ']) expect((await runCli(['search', query], env)).exit).toBe(2);
});
