import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { follow } from '../../../electron/threads/follow.ts';
import { applied, call, event, handLog, input, plainTurn, say, settled, step, transcript, user } from './hand-log.ts';

describe('a tolerant reader', () => {
  test('takes inputs without a time, with a person without a tenant, and unknown operations as they are', async () => {
    const log = await handLog();
    await log.batch({ type: 'harness.input', inputId: 'i1', input: { op: 'prompt', message: 'hi' }, principal: { id: 'ada' } });
    await log.batch(applied('i1'), transcript(0, user('u1', 'hi'), say('a1')), settled('i1'));
    await log.batch({ type: 'harness.input', inputId: 'i2', input: { op: 'teleport' } }, { type: 'harness.input', inputId: 'i3' });
    const reader = await log.open();
    expect(reader.thread().turns).toMatchObject([{ startedAt: null, prompt: 'hi' }]);
    expect((await reader.writer?.refusals())?.[0]).toMatchObject({
      code: 'LOG_RUNNING',
      message: expect.stringContaining('teleport, unknown'),
    });
  });

  test('takes the first record of an input and ignores later ones, and records of inputs that it never saw', async () => {
    const log = await handLog();
    await log.batch(
      input('i1', 'prompt', { message: 'first' }),
      input('i1', 'prompt', { message: 'second' }),
      applied('nobody'),
      settled('nobody'),
    );
    await log.batch(applied('i1'), transcript(0, user('u1', 'first')), settled('i1', 'something-new'));
    expect((await log.open()).thread().turns).toMatchObject([{ prompt: 'first', status: 'unknown' }]);
  });

  test('takes snapshots of a SHA-256 repository', async () => {
    const log = await handLog();
    const long = { from: '1'.repeat(64), to: '2'.repeat(64) };
    await log.batch(transcript(0, user('u1'), call('a1', ['c1', 'bash'])), { ...step('1', '2', ['a'], ['c1']), ...long });
    expect((await log.open()).thread().steps[0]).toMatchObject({ ...long, captured: null, files: null });
  });

  test('keeps the order of the file, whatever times and ids say', async () => {
    const log = await handLog();
    const at = (id: string, createdAt: unknown) => ({ ...user(id), createdAt });
    await log.batch(
      transcript(
        0,
        at('msg_ffffffffe000aaa', 1786752000000),
        at('msg_000000001000ccc', 1786751997000),
        at('msg_000000000fffddd', undefined),
      ),
    );
    const { messages, turns } = (await log.open()).thread();
    expect(messages.map((message) => [message.id, message.at])).toEqual([
      ['msg_ffffffffe000aaa', 1786752000000],
      ['msg_000000001000ccc', 1786751997000],
      ['msg_000000000fffddd', null],
    ]);
    expect(turns.map((turn) => turn.index)).toEqual([1, 2, 3]);
  });

  test('reads logs whose events were never merged, without their history, and with events of every kind', async () => {
    const log = await handLog();
    for (const letter of 'hello')
      await log.batch(event({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'a1', delta: letter, timestamp: 1 }, 'op'));
    await log.batch(
      event({ type: 'TEXT_MESSAGE_START', messageId: 'a1', timestamp: 77 }, 'op'),
      event({ type: 'STATE_SNAPSHOT', snapshot: { plugins: {} } }),
    );
    await log.batch({ type: 'harness.event' }, { type: 'harness.event', event: 7 }, event({ type: 'CUSTOM', name: 'harness.reset' }));
    await log.batch(transcript(0, say('a1', 'hello')));
    const { messages, notices } = (await log.open()).thread();
    expect(messages).toMatchObject([{ excerpt: 'hello', at: 77 }]);
    expect(notices).toEqual([]);
  });

  test('opens a thread whose metadata file is damaged, says so, and takes it when it is whole again', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const metadata = path.join(log.folder, 'save', 'metadata.json');
    await writeFile(metadata, '{"harness:settings":{"t1":');
    const reader = await log.open();
    expect(reader.thread().messages).toHaveLength(2);
    expect(reader.thread().notices).toMatchObject([{ code: 'LOG_UNREADABLE', message: expect.stringContaining('metadata.json') }]);
    expect(reader.watch()).toEqual([log.file, metadata]);
    await writeFile(metadata, '{"harness:settings":{"t1":{"cwd":"/w"}}}');
    expect(await reader.read()).toBe(true);
    expect(reader.thread()).toMatchObject({ notices: [], head: { root: '/w' } });
    await rm(metadata);
    expect(await reader.read()).toBe(true);
    expect(reader.thread().head.root).toBeNull();
  });

  test('shows one line of thirty megabytes cut, and whole when it is asked for', async () => {
    const log = await handLog();
    const data = 'A'.repeat(30 * 1024 * 1024);
    await log.batch(
      transcript(
        0,
        user('u1', [
          { type: 'text', content: 'pic' },
          { type: 'image', source: { mediaType: 'image/png', value: data } },
        ]),
      ),
    );
    await log.batch(transcript(1, say('a1', `start ${'y'.repeat(5_000_000)}`)));
    const reader = await log.open();
    expect(reader.thread().messages.map(({ excerpt, bytes, images }) => [excerpt.length, bytes, images])).toEqual([
      [3, 3, 1],
      [240, 5_000_006, 0],
    ]);
    const [, picture] = (await reader.body('u1')).parts;
    expect(picture).toMatchObject({ kind: 'image', mediaType: 'image/png' });
    expect(picture?.kind === 'image' ? picture.data?.length : 0).toBe(data.length);
  });
});

test('a live thread is followed: each append is seen, and nothing is held', async () => {
  const log = await handLog();
  await plainTurn(log, 1, 0);
  const reader = await log.open();
  const seen: number[] = [];
  let reading: Promise<unknown> = Promise.resolve();
  const stop = follow(
    () => reader.watch(),
    () => {
      reading = reading.then(async () => {
        if (await reader.read()) seen.push(reader.thread().messages.length);
      });
    },
  );
  await sleep(100);
  for (let turn = 2; turn < 5; turn += 1) {
    await plainTurn(log, turn, (turn - 1) * 2);
    for (let waited = 0; seen.at(-1) !== turn * 2 && waited < 100; waited += 1) await sleep(50);
    expect(seen.at(-1)).toBe(turn * 2);
  }
  stop();
  await reading;
});

test('many reads at once feed the fold once', async () => {
  const log = await handLog();
  await plainTurn(log, 1, 0);
  const reader = await log.open();
  for (let turn = 2; turn < 6; turn += 1) {
    await plainTurn(log, turn, (turn - 1) * 2);
    const changed = await Promise.all([reader.read(), reader.read(), reader.read()]);
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect(reader.thread().messages).toHaveLength(turn * 2);
  }
  const before = await readFile(log.file);
  await appendFile(log.file, '');
  expect(await reader.read()).toBe(false);
  expect(await readFile(log.file)).toEqual(before);
  await reader.close();
});
