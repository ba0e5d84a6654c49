import { fork } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Recording } from './recording.ts';

function record(r: Recording, threadId: string, calls: readonly (readonly string[])[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, 'other-process.ts'), [r.root, r.dataDir, r.save, JSON.stringify(calls), threadId], {
      stdio: 'inherit',
    });
    child.on('message', () => child.send('close'));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))));
  });
}

test('two recorders on two threads and one dataDir at once lose nothing, and each keeps only its own files', async () => {
  const r = await Recording.make({ 'shared.txt': '0\n' });
  const turns = 6;
  const script = (name: string) =>
    Array.from({ length: turns }, (_, at) => ['turn', `${name} ${at}`, at % 2 === 0 ? `${name}.txt` : `${name}-${at}.txt`, `${at}\n`]);
  await Promise.all([record(r, 'A', script('a')), record(r, 'B', script('b'))]);
  for (const [thread, name] of [
    ['A', 'a'],
    ['B', 'b'],
  ] as const) {
    const steps = await r.records('tanstack/snapshots:step', thread);
    expect(steps.map(({ files }) => files)).toEqual(script(name).map(([, , file]) => [file]));
    const session = await r.open({ threadId: thread });
    for (const { from, to } of steps) expect(await session.diff(String(from), String(to))).toMatchObject({ files: expect.any(Array) });
    await session.revert({ messageId: (await session.transcript())[0]?.id ?? '' });
    expect((await session.transcript()).length).toBe(1);
  }
  expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('a-1.txt'), await r.text('shared.txt')]).toEqual([
    null,
    null,
    null,
    '0\n',
  ]);
});

test('C-07: two sessions edit one folder by turns; undo of one keeps what the other did', async () => {
  const r = await Recording.make({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'shared.txt': 's\n' });
  const [one, two] = [await r.open({ threadId: 'A' }), await r.open({ threadId: 'B' })];
  expect(one.repository).not.toBe(two.repository);
  await one.send('A', async (turn) => {
    await r.step(turn, { edit: { 'a.txt': 'A\n' } });
    await r.turn(two, 'B', { edit: { 'b.txt': 'B\n', 'shared.txt': 'sB\n' } });
    await r.step(turn, { edit: { 'shared.txt': 'sB sA\n' } });
  });
  expect(await one.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
  expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('shared.txt')]).toEqual(['a\n', 'B\n', 'sB\n']);
  await one.runCommand({ name: 'redo' });
  expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('shared.txt')]).toEqual(['A\n', 'B\n', 'sB sA\n']);
});

test('each thread of each tenant has its own repository and its own log', async () => {
  const r = await Recording.make({ 'a.txt': 'a\n' });
  const keys = [
    { threadId: 't' },
    { threadId: 't', tenantId: 'acme' },
    { threadId: 't', tenantId: 'other/one' },
    { threadId: 'acme/t' },
    { threadId: '..' },
  ];
  const sessions = await Promise.all(keys.map((key) => r.open(key)));
  expect(new Set(sessions.map(({ repository }) => repository)).size).toBe(5);
  expect(sessions.map(({ log }) => path.relative(r.save, log))).toEqual([
    'sessions/t.jsonl',
    'tenants/acme/sessions/t.jsonl',
    'tenants/other%2Fone/sessions/t.jsonl',
    'sessions/acme%2Ft.jsonl',
    'sessions/%2E%2E.jsonl',
  ]);
  const tenant = sessions[1];
  if (tenant) await r.turn(tenant, 'Hello', { edit: { 'a.txt': 'b\n' } });
  const [record, input] = await r.records(undefined, 't', 'acme');
  expect(record).toEqual({
    type: 'turnback/workspace',
    root: r.root,
    dataDir: r.dataDir,
    repository: path.basename(String(tenant?.repository)),
    tenantId: 'acme',
  });
  expect(input?.['principal']).toEqual({ tenantId: 'acme' });
});
