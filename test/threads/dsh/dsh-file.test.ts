import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDshFile } from '../../../electron/threads/dsh/dsh-file.ts';
import { foldDsh } from '../../../electron/threads/dsh/dsh-fold.ts';
import { readLog } from '../../../electron/threads/dsh/dsh-log.ts';
import { bodyOf } from '../../../electron/threads/dsh/dsh-messages.ts';
import { dsh } from '../../../electron/threads/dsh/dsh-source.ts';
import { PartSpool } from '../../../electron/threads/part-spool.ts';
import { dshLog, writeDshLog } from '../../hostile/large-logs.ts';
import { dshSampleLog } from '../../scenarios/dsh.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { seedOf, size } from '../../sizes.ts';

const HEAD = {
  id: 'dsh:x',
  source: 'dsh' as const,
  title: null,
  root: null,
  log: '/x',
  threadId: 'x',
  parent: null,
  updatedAt: null,
  size: null,
};
const SAMPLES = ['session-sample-a', 'session-sample-a-recalled', 'session-sample-b', 'session-sample-b-open'] as const;
const FORMS = ['v0-plain', 'v0-zstd', 'v3-plain', 'v3-zstd'] as const;
const LOGS = SAMPLES.flatMap((sample) => FORMS.map((form) => dshSampleLog(sample, form))).filter((log) => existsSync(log));

/** What the stream makes of a file, and what reading it whole makes of it. */
async function both(file: string, zstd: boolean): Promise<{ stream: unknown; whole: unknown }> {
  const spool = new PartSpool(path.dirname(file));
  const { log } = await readDshFile(file, zstd, { spool });
  const whole = readLog(await readFile(file), zstd);
  await spool.close();
  const seen = (one: typeof log): unknown => {
    if (one === null) return null;
    const { thread, surface, seqs } = foldDsh(one, HEAD);
    return { thread, surface, seqs, length: one.length, stopped: one.stopped, torn: one.tornBytes };
  };
  return { stream: seen(log), whole: seen(whole) };
}

describe('a log that is read as a stream', () => {
  test('shows the same thread as one that is read whole, for every sample', async () => {
    expect(LOGS.length).toBeGreaterThanOrEqual(10);
    for (const log of LOGS) {
      const { stream, whole } = await both(log, log.endsWith('.zstd'));
      expect(whole).not.toBeNull();
      expect([log, stream]).toEqual([log, whole]);
    }
  });

  test.each([false, true])('keeps the sizes of long texts, and gives them whole when a message is looked at (packed: %s)', async (zstd) => {
    const folder = await tempFolder();
    const file = dshLog(folder, zstd);
    writeDshLog(file, zstd ? 20_000 : 60_000, zstd);
    const { stream, whole } = await both(file, zstd);
    expect(stream).toEqual(whole);

    const places = { home: folder, env: {} };
    const [head] = await dsh.locate(file, places);
    const reader = await dsh.open(head ?? expect.fail(), { root: null, data: null, places, ownData: path.join(folder, 'own') });
    await reader.read();
    const log = readLog(await readFile(file), zstd) ?? expect.fail();
    const { eventOf, thread } = foldDsh(log, reader.thread().head);
    expect(thread.messages.some(({ bytes }) => bytes > 8000)).toBe(true);
    for (const message of thread.messages) {
      const event = eventOf.get(message.id) ?? expect.fail();
      expect(await reader.body(message.id)).toEqual(bodyOf(event, message, log.header.version));
    }
    const long = thread.messages.find(({ bytes }) => bytes > 8000)?.id ?? '';
    await reader.close();
    await expect(reader.body(long)).rejects.toMatchObject({ code: 'LOG_EMPTY' });
  });

  test('tells that a message cannot be had once the log was written anew', async () => {
    const folder = await tempFolder();
    const file = dshLog(folder, false);
    writeDshLog(file, 20_000, false);
    const places = { home: folder, env: {} };
    const [head] = await dsh.locate(file, places);
    const reader = await dsh.open(head ?? expect.fail(), { root: null, data: null, places, ownData: path.join(folder, 'own') });
    await reader.read();
    const { id } = reader.thread().messages.find(({ bytes }) => bytes > 8000) ?? expect.fail();
    await truncate(file, 300);
    await expect(reader.body(id)).rejects.toMatchObject({ code: 'LOG_MOVED' });
    await reader.close();
  });

  test('a frame larger than a window is followed through the file, and one that is cut off is torn', async () => {
    const file = path.join(await tempFolder(), 'session.v3.jsonl.zstd');
    const header = '{"type":"session","version":3,"id":"s","createdAt":1,"delegationDepth":0}\n';
    const noise = Array.from({ length: 50_000 }, (_, at) => createHash('sha256').update(String(at)).digest('base64')).join('');
    const frames = [
      header,
      `{"type":"todo/write","seq":0,"time":1,"data":{"x":"${noise}"}}\n`,
      '{"type":"turn/start","seq":1,"time":1,"data":{"turn":1}}\n',
    ];
    const packed = frames.map((frame) => zstdCompressSync(frame));
    expect(packed[1]?.length).toBeGreaterThan(1 << 20);
    const bytes = Buffer.concat(packed);
    for (const end of [bytes.length, bytes.length - 1, (packed[0]?.length ?? 0) + (1 << 20) + 50]) {
      await writeFile(file, bytes.subarray(0, end));
      const { stream, whole } = await both(file, true);
      expect(stream).toEqual(whole);
    }
  });

  test('any damage is read or refused as one that is read whole', async () => {
    const folder = await tempFolder();
    const [plain, packed] = await Promise.all(
      (['v3-plain', 'v3-zstd'] as const).map((form) => readFile(dshSampleLog('session-sample-a', form))),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 40 }),
        fc.nat(1_000_000),
        fc.boolean(),
        fc.boolean(),
        async (noise, where, zstd, over) => {
          const file = (zstd ? packed : plain) ?? expect.fail();
          const at = where % file.length;
          const damaged = path.join(folder, 'log');
          await writeFile(damaged, Buffer.concat([file.subarray(0, at), noise, file.subarray(over ? at + noise.length : at)]));
          const { stream, whole } = await both(damaged, zstd);
          expect(stream).toEqual(whole);
        },
      ),
      { numRuns: size(300, 5000), seed: seedOf() },
    );
  });
});
