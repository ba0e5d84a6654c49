import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TurnbackError } from '../../../shared/errors.ts';
import { threadSchema } from '../../../shared/model.ts';
import { event, handLog, input, plainTurn, say, transcript, user } from './hand-log.ts';

const ids = (reader: { thread(): { messages: { id: string }[] } }) => reader.thread().messages.map((message) => message.id);

describe('a damaged log', () => {
  test('with a torn last line shows what is whole, says so, and reads the rest when it came', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const next = JSON.stringify([transcript(2, user('u2', 'ü'))]);
    await log.bytes(Buffer.from(next).subarray(0, 70));
    const reader = await log.open();
    expect(ids(reader)).toEqual(['u1', 'a1']);
    expect(reader.thread().bad).toEqual([]);
    expect(reader.thread().notices).toMatchObject([{ code: 'LOG_TORN', message: expect.stringContaining('70 bytes') }]);
    expect((await reader.writer?.refusals())?.map((one) => one.code)).toEqual(['LOG_TORN']);
    const before = await readFile(log.file);
    await log.bytes(`${Buffer.from(next).subarray(70).toString()}\n`);
    expect(await reader.read()).toBe(true);
    expect(ids(reader)).toEqual(['u1', 'a1', 'u2']);
    expect(reader.thread().notices).toEqual([]);
    expect((await readFile(log.file)).subarray(0, before.length)).toEqual(before);
  });

  test('whose last line is cut but ended is torn too; once something follows, the line is bad and can be looked at', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.bytes('[{"type":"harness.tran\n');
    const reader = await log.open();
    expect(reader.thread().notices.map((notice) => notice.code)).toEqual(['LOG_TORN']);
    expect(reader.thread().bad).toEqual([]);
    await log.batch(transcript(2, user('u2')));
    await reader.read();
    expect(ids(reader)).toEqual(['u1', 'a1', 'u2']);
    expect(reader.thread().bad).toMatchObject([{ line: 3, bytes: 22 }]);
    expect(reader.thread().notices.map((notice) => notice.code)).toEqual(['LOG_BAD_LINE']);
    expect((await reader.body('line:3')).parts).toEqual([{ kind: 'raw', type: 'unreadable line', json: '[{"type":"harness.tran' }]);
    await expect(reader.body('line:4')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('whose last line only lacks its newline shows it, and is not written to', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await log.bytes(JSON.stringify([transcript(2, user('u2'))]));
    const reader = await log.open();
    expect(ids(reader)).toEqual(['u1', 'a1', 'u2']);
    expect(await reader.writer?.unmoved()).toBe(false);
    expect((await reader.writer?.refusals())?.map((one) => one.code)).toContain('LOG_TORN');
    expect(await reader.read()).toBe(false);
    await log.bytes(`\n${JSON.stringify([transcript(3, say('a2'))])}\n`);
    expect(await reader.read()).toBe(true);
    expect(ids(reader)).toEqual(['u1', 'a1', 'u2', 'a2']);
    expect(reader.thread().notices).toEqual([]);
  });

  test('with a byte-order mark, CRLF, blank lines, NUL runs, U+2028 and bad lines shows every whole record', async () => {
    const log = await handLog();
    const line = (value: unknown): string => JSON.stringify(value);
    await log.bytes(Uint8Array.from([0xef, 0xbb, 0xbf]));
    await log.bytes(`${line([transcript(0, user('u1', 'sep\u2028in\u2029side \u0000 \ud800'))])}\r\n`);
    await log.bytes('\n   \n\t\r\n');
    await log.bytes(Buffer.alloc(4096));
    await log.bytes(`\n${line([transcript(1, say('a1'))])}${line([transcript(2, say('lost'))])}\n`);
    await log.bytes('[1,2]\nnull\n42\n"str"\n{}\n{"type":"from-the-future"}\n');
    await log.bytes(Uint8Array.from([0xff, 0xfe, 0x0a]));
    await log.bytes(`${line([transcript(1, say('a2'))])}\r\n`);
    const reader = await log.open();
    const thread = reader.thread();
    expect(ids(reader)).toEqual(['u1', 'a2']);
    expect(thread.bad.map((bad) => bad.line)).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
    expect((await reader.body('u1')).parts).toEqual([{ kind: 'text', text: 'sep\u2028in\u2029side \u0000 \ud800' }]);
    expect((await reader.body('a2')).parts).toEqual([{ kind: 'text', text: 'answer a2' }]);
  });

  test('of many broken lines stays small: the first thousand are rows, the rest a number', async () => {
    const log = await handLog();
    await log.bytes('x\n'.repeat(50_000));
    await log.batch(transcript(0, user('u1')));
    const { bad } = (await log.open()).thread();
    expect(bad).toHaveLength(1001);
    expect(bad[1000]).toEqual({ line: 50_000, bytes: 49_000, why: '49000 more lines cannot be read' });
  });

  test('with keys of a prototype or JSON nested without end harms nothing', async () => {
    const log = await handLog();
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    await log.bytes(
      `[{"type":"harness.transcript","keep":0,"add":[{"id":"__proto__","role":"user","content":"x","__proto__":{"polluted":true},"constructor":1}]}]\n`,
    );
    await log.bytes(
      `[{"type":"acme/deep","value":${deep}},{"type":"harness.transcript","keep":1,"add":[{"id":"d","role":"assistant","content":[${deep}]}]}]\n`,
    );
    await log.bytes(
      `[{"type":"harness.input","inputId":"__proto__","input":{"op":"constructor"}},{"type":"toString"},{"__proto__":{"type":"harness.revert","revert":{"messageId":"d"}}}]\n`,
    );
    await log.bytes(
      `[{"type":"harness.transcript","keep":2,"add":[{"id":"t","role":"assistant","content":null,"toolCalls":[{"id":"c","function":{"name":"bash","arguments":{"a":${deep}}}}]}]}]\n`,
    );
    const reader = await log.open();
    expect(ids(reader)).toEqual(['__proto__', 'record:2', 'd', 'record:5', 'record:6', 't']);
    expect(reader.thread().standing).toBeNull();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    for (const id of ids(reader)) expect((await reader.body(id)).parts.length).toBeGreaterThan(0);
  });

  test('that shrinks, is replaced or rewritten in place is read from its start again', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await plainTurn(log, 2, 2);
    const reader = await log.open();
    const [first = ''] = (await readFile(log.file, 'utf8')).split('\n');
    await writeFile(log.file, `${first}\n`);
    expect(await reader.read()).toBe(true);
    expect(ids(reader)).toEqual(['u1']);
    await writeFile(log.file, `${JSON.stringify([transcript(0, user('other'))])}\n${'\n'.repeat(500)}`);
    expect(await reader.read()).toBe(true);
    expect(ids(reader)).toEqual(['other']);
    expect(await reader.read()).toBe(false);
  });

  test('that is gone says so, and a cancelled read is made up for by the next one', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    const reader = await log.open();
    const controller = new AbortController();
    controller.abort();
    await plainTurn(log, 2, 2);
    await expect(reader.read(controller.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await reader.read()).toBe(true);
    expect(ids(reader)).toEqual(['u1', 'a1', 'u2', 'a2']);
    await rm(log.file);
    await expect(reader.read()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('pieces of texts', () => {
  test('are passed over, in batches of their own or with others', async () => {
    const log = await handLog();
    const delta = (text: string) => event({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'a1', delta: text, timestamp: 3 }, 'op-in1');
    await log.batch(input('in1'), delta('{"type":"harness.transcript","keep":0}'), delta('x'));
    await log.batch(delta('one'), delta('two'), transcript(0, user('u1')), delta('three'));
    await log.batch(delta('"type":"harness.revert"'), { ...delta('four'), thread: 'kid' });
    await log.batch({ operationId: 'x', type: 'harness.event', event: { delta: 'y', type: 'TEXT_MESSAGE_CONTENT' } });
    await log.batch({ type: 'acme/after' });
    const reader = await log.open();
    expect(ids(reader)).toEqual(['u1', 'record:11']);
  });

  test('glued together by a crash are a bad line all the same', async () => {
    const log = await handLog();
    const whole = JSON.stringify([event({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'a', delta: 'abcdef', timestamp: 3 })]);
    await log.bytes(`${whole.slice(0, 80)}${whole}\n`);
    await log.bytes(`${whole.slice(0, 80)}\n`);
    await log.batch(transcript(0, user('u1')));
    expect((await log.open()).thread().bad.map((bad) => bad.line)).toEqual([1, 2]);
  });
});

describe('any bytes', () => {
  const types = [
    'harness.transcript',
    'harness.input',
    'harness.input.applied',
    'harness.input.settled',
    'harness.revert',
    'harness.event',
    'harness.note',
    'harness.tool.result',
    'tanstack/snapshots:step',
    'tanstack.compaction',
    'turnback/undo-point',
    'turnback/workspace',
    'harness.unknown',
  ];
  const loose = fc.oneof(fc.string({ maxLength: 6 }), fc.integer(), fc.constant(null), fc.boolean(), fc.jsonValue({ maxDepth: 3 }));
  const keys = fc.constantFrom(
    'keep',
    'add',
    'inputId',
    'input',
    'operationId',
    'event',
    'revert',
    'files',
    'from',
    'to',
    'toolCallIds',
    'head',
    'message',
    'thread',
    'noteId',
    'toolCallId',
    'state',
    'messages',
    'root',
  );
  const record = fc
    .tuple(fc.constantFrom(...types), fc.dictionary(keys, loose, { maxKeys: 6 }))
    .map(([type, fields]) => ({ ...fields, type }));
  const line = fc.oneof(
    { weight: 6, arbitrary: fc.array(record, { maxLength: 4 }).map((records) => `${JSON.stringify(records)}\n`) },
    {
      weight: 1,
      arbitrary: fc
        .array(record, { maxLength: 2 })
        .chain((records) => fc.nat(60).map((cut) => `${JSON.stringify(records).slice(0, cut)}\n`)),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  );

  test('open without any error but our own, as a thread of the right shape', async () => {
    const log = await handLog();
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        await writeFile(log.file, lines.join(''));
        try {
          const reader = await log.open();
          const thread = threadSchema.parse(reader.thread());
          for (const message of thread.messages.slice(0, 3)) await reader.body(message.id).catch(onlyOurs);
          for (let stop = 0; stop <= thread.messages.length; stop += 1) {
            try {
              reader.writer?.revert({ stop, now: null, files: null, at: 1 });
            } catch (error) {
              onlyOurs(error);
            }
          }
          reader.writer?.undoPoint();
          reader.writer?.redoPoint();
        } catch (error) {
          onlyOurs(error);
        }
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 150) },
    );
  });

  test('read piece by piece give the thread that reading them at once gives', async () => {
    const log = await handLog();
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 10 }), fc.array(fc.nat(200), { maxLength: 6 }), async (lines, cuts) => {
        const bytes = Buffer.from(lines.join(''));
        await writeFile(log.file, '');
        const following = await log.open();
        let done = 0;
        for (const cut of [...cuts, bytes.length]) {
          const end = Math.min(bytes.length, done + cut);
          await appendFile(log.file, bytes.subarray(done, end));
          done = end;
          await following.read();
        }
        const fresh = await log.open();
        const { head: _a, ...followed } = following.thread();
        const { head: _b, ...whole } = fresh.thread();
        expect(followed).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});

function onlyOurs(error: unknown): void {
  if (!(error instanceof TurnbackError) || error.code === 'INTERNAL') throw error;
}
