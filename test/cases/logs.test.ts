import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { hardCase } from './case.ts';

test('C-16: damaged logs', async () => {
  const c = await hardCase('c-16');
  const view = await c.open();
  // Every whole record, in the order of the file; the torn ones are rows with their line and size.
  expect(view.messages.map((message) => message.id)).toEqual([
    'm0001',
    's0002',
    'm0003',
    'z1',
    'm0007',
    's0008',
    'm0009',
    's0010',
    'm0011',
  ]);
  expect(view.bad.map(({ line, why }) => `${line}: ${why}`)).toEqual([
    expect.stringMatching(/^\d+: line \d+ unreadable \(40 bytes\)$/),
    expect.stringMatching(/^\d+: line \d+ unreadable \(\d+ bytes\)$/),
    ...Array.from({ length: 5 }, () => expect.stringMatching(/it is no record$/)),
    expect.stringMatching(/its id m0007 was there before$/),
    expect.stringMatching(/unreadable \(2 bytes\)$/),
    expect.stringMatching(/what came before it is missing: m9999 is not in this log$/),
  ]);
  expect(view.notices.map((notice) => notice.code)).toEqual(['LOG_TORN']);
  expect(view.steps.map((step) => step.id)).toEqual(['s0002', 's0008', 's0010']);
  const [bad] = view.bad;
  const raw = await c.ask('thread.message', { thread: c.id, message: `line:${bad?.line}` });
  expect(raw.parts).toMatchObject([{ kind: 'raw', json: expect.stringMatching(/^\{"type":"step"/) }]);
  const odd = await c.ask('thread.message', { thread: c.id, message: 'm0003' });
  expect(odd.parts).toEqual([{ kind: 'text', text: 'sep\u2028inside\u2029 and \u0000 nul \ud800 lone' }]);
  // The torn last line is retried: its rest comes, and it is a record like any other.
  c.loose.add('session-A.jsonl');
  await c.hold();
  const good = (await c.noted('good.jsonl')).trim().split('\n');
  await appendFile(c.built.log, `${good[11]?.slice(-9)}\n`);
  const whole = await c.open();
  expect([whole.messages.at(-1)?.id, whole.notices]).toEqual(['s0012', []]);
  // A step whose record is torn cannot be stood at, and a plan says that its changes stay.
  const plan = await c.preview(2);
  expect(plan.notes).toContain('Some records of the log cannot be read. What the agent changed in them is not known, so it stays.');
  await c.thereAndBack(2, {}, async () => expect(await c.text('f')).toBe('3\n'));
  for (const [name, code] of [
    ['session-empty.jsonl', 'LOG_EMPTY'],
    ['session-blank.jsonl', 'NOT_A_LOG'],
    ['session-dir.jsonl', 'NOT_A_LOG'],
    ['session-rnd.jsonl', 'NOT_A_LOG'],
  ] as const) {
    const opened = c.ask('thread.open', { thread: path.join(c.built.folder, name), root: null, data: null });
    await expect(opened).rejects.toMatchObject({ code, message: expect.stringMatching(/^[^\n]+\.$/) });
  }
});

test('C-17: a huge transcript', { timeout: 600_000 }, async () => {
  const turns = size(1200, 12_000);
  const c = await hardCase('c-17', { TURNS: String(turns), MEGABYTES: '30' });
  const view = await c.open();
  expect(view.messages).toHaveLength(2 * turns + 1);
  expect(view.turns).toHaveLength(turns + 1);
  // Nothing of the texts but their beginnings crosses with the thread.
  expect(JSON.stringify(view).length).toBeLessThan(turns * 2 * 1400);
  expect(view.messages.at(-1)).toMatchObject({ id: 'img', images: 1, excerpt: 'pic' });
  const body = await c.ask('thread.message', { thread: c.id, message: 'img' });
  expect(body.parts.map((part) => (part.kind === 'image' ? part.data?.length : part.kind))).toEqual(['text', 30 * 1024 * 1024]);
  expect((await c.ask('thread.message', { thread: c.id, message: `s${turns - 1}` })).parts).toEqual([
    { kind: 'text', text: `out ${'y'.repeat(9000)}` },
  ]);
  expect((await c.preview(turns * 2 - 2, 'messages')).messages).toBe(3);
});

test('C-17: a list of many threads reads little of each log', async () => {
  const folder = await tempFolder();
  const logs = path.join(folder, '.tanstack-harness-app', 'sessions');
  await mkdir(logs, { recursive: true });
  const first = JSON.stringify([
    { type: 'harness.transcript', keep: 0, add: [{ id: 'u', role: 'user', content: `needle ${'x'.repeat(200)}` }] },
  ]);
  const rest = JSON.stringify([{ type: 'harness.transcript', keep: 1, add: [{ id: 'a', role: 'assistant', content: 'y'.repeat(9000) }] }]);
  const many = size(100, 500);
  for (let at = 0; at < many; at++) await writeFile(path.join(logs, `thread-${at}.jsonl`), `${first}\n${`${rest}\n`.repeat(40)}`);
  const probe = await import('node:fs/promises').then(({ open }) => open(path.join(logs, 'thread-0.jsonl'), 'r'));
  const handles = Object.getPrototypeOf(probe) as { read(...args: unknown[]): Promise<{ bytesRead: number }> };
  await probe.close();
  const reading = handles.read;
  let bytes = 0;
  handles.read = async function read(...args) {
    const done = await reading.apply(this, args);
    bytes += done.bytesRead;
    return done;
  };
  try {
    const { threads } = await tanstack.list({ home: folder, env: {} });
    expect(threads).toHaveLength(many);
  } finally {
    handles.read = reading;
  }
  expect(bytes).toBeGreaterThan(many * 200);
  expect(bytes).toBeLessThan(many * 64 * 1024);
});

test('C-18: skewed clocks, equal times, wrapped ids, missing times', async () => {
  const c = await hardCase('c-18');
  await c.look();
  const { messages, turns, steps } = await c.open();
  expect(turns.map((turn) => [turn.prompt, turn.startedAt, turn.steps])).toEqual([
    ['first', 1786752000000, ['msg_ffffffffd000bbb']],
    ['second, id wrapped', 1786752001000, ['b2']],
    ['third, no time, id sorts before second', null, ['a1']],
  ]);
  expect([messages.map((message) => message.stop), steps.map((step) => step.index)]).toEqual([
    [1, 2, 3, 4, 5, 6],
    [1, 2, 3],
  ]);
  for (const [stop, value] of [
    [4, '2'],
    [2, '1'],
    [4, '2'],
  ] as const) {
    await c.revert(stop);
    expect(await c.text('f')).toBe(`${value}\n`);
  }
  await c.unrevert();
  expect(await c.text('f')).toBe('3\n');
});
