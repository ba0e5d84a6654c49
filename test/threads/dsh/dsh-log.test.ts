import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourcesOf } from '../../../electron/threads/dsh/dsh-event.ts';
import { readLog } from '../../../electron/threads/dsh/dsh-log.ts';
import { foldSurface, isRecall } from '../../../electron/threads/dsh/surface.ts';
import { validateLog } from '../../../electron/threads/dsh/validator.ts';
import { type DshSample, dshFixtures, dshSampleLog } from '../../scenarios/dsh.ts';

const read = (file: string) => {
  const log = readLog(readFileSync(file), file.endsWith('.zstd'));
  if (!log) throw new Error(`no log: ${file}`);
  return log;
};

const SURFACES: Record<DshSample, string> = {
  'session-sample-a': '11,8,9,14,16,19,21,23,26,28,31,39,40,47,48,50,53',
  'session-sample-a-recalled': '11,8,9,14,16,19,21,23,26,28,31,61,62,63',
  'session-sample-b': '11,8,9,14,16,19,21,24,31,32,34,37,39,47,49',
  'session-sample-b-open': '11,8,9,14,16,19,21,24,31,32,34,37',
};

describe('real sessions of format 3', () => {
  for (const [sample, surface] of Object.entries(SURFACES) as [DshSample, string][]) {
    test(`${sample} opens, folds to its surface and is valid`, () => {
      const log = read(dshSampleLog(sample, 'v3-plain'));
      expect(foldSurface(log.events).nodes.join()).toBe(surface);
      expect(validateLog(log.header, log.events)).toBeNull();
      expect(log).toMatchObject({ stopped: null, tornBytes: 0, bad: [] });
    });

    test(`${sample} reads the same from Zstandard frames`, () => {
      expect(read(dshSampleLog(sample, 'v3-zstd')).events).toEqual(read(dshSampleLog(sample, 'v3-plain')).events);
    });
  }

  test('a recall lid names exactly the nodes that it hides', () => {
    const { events } = read(dshSampleLog('session-sample-a-recalled', 'v3-plain'));
    const lid = events.filter(isRecall);
    expect(lid.map((event) => event.seq)).toEqual([61]);
    expect(lid.flatMap((event) => sourcesOf(event))).toEqual([39, 40, 47, 48, 50, 53]);
    expect([...foldSurface(events).shadowed].filter(([, shadow]) => shadow.reason === 'recalled').map(([seq]) => seq)).toEqual([
      39, 40, 47, 48, 50, 53,
    ]);
  });
});

describe('real sessions of format 0', () => {
  for (const sample of ['session-sample-a', 'session-sample-b-open'] as const) {
    test(`${sample} reads the same from plain lines and frames, packed rows expanded`, () => {
      const log = read(dshSampleLog(sample, 'v0-plain'));
      expect(log.stopped).toBeNull();
      expect(log.events.every((event, seq) => event.seq === seq)).toBe(true);
      expect(read(dshSampleLog(sample, 'v0-zstd')).events).toEqual(log.events);
    });
  }

  test('a packed row stands for one event a member, its times added up', () => {
    const { events } = read(dshSampleLog('session-sample-a', 'v0-plain'));
    const texts = events.slice(62, 65).map((event) => (event.data as { chunk: { text: string } }).chunk.text);
    expect(texts.join('')).toBe('First job finished: new.txt created, notes.txt edited, old.txt removed.');
    expect(events.slice(62, 65).map((event) => event.time)).toEqual([1796023963111, 1796023963111, 1796023963111]);
  });
});

describe('logs that the released validator refuses', () => {
  const folder = path.join(dshFixtures, 'v3-invalid');
  const expected = JSON.parse(readFileSync(path.join(folder, 'EXPECTED.json'), 'utf8')) as Record<string, string>;
  test('there is an expectation for each of the five', () => {
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith('.jsonl'))
        .sort(),
    ).toEqual(
      Object.keys(expected)
        .map((name) => `${name}.jsonl`)
        .sort(),
    );
  });
  for (const [name, message] of Object.entries(expected)) {
    test(`${name}: ${message}`, () => {
      const log = read(path.join(folder, `${name}.jsonl`));
      expect(log.stopped?.why ?? validateLog(log.header, log.events)?.message).toBe(message);
    });
  }
});

describe('damage', () => {
  const plain = readFileSync(dshSampleLog('session-sample-a', 'v3-plain'));
  const zstd = readFileSync(dshSampleLog('session-sample-a', 'v3-zstd'));

  test('a torn last frame or line is left out, what comes before it stays', () => {
    const whole = read(dshSampleLog('session-sample-a', 'v3-zstd')).events.length;
    const torn = readLog(zstd.subarray(0, zstd.length - 3), true);
    expect(torn?.tornBytes).toBeGreaterThan(0);
    expect(torn?.stopped).toBeNull();
    expect(torn?.events.length).toBeLessThan(whole);
    const cut = readLog(plain.subarray(0, plain.length - 10), false);
    expect(cut?.events.length).toBe(whole - 1);
    expect(cut?.tornBytes).toBeGreaterThan(0);
  });

  test('a repeated number, a damaged frame and a frame with half a line each stop the reading with the cause', () => {
    const lines = plain.toString('utf8').trimEnd().split('\n');
    expect(readLog(Buffer.from(`${[...lines, lines.at(-1)].join('\n')}\n`), false)?.stopped?.why).toBe(
      'turn/end has seq gap (expected 57, got 56)',
    );
    const flipped = Buffer.from(zstd);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 0xff;
    expect(readLog(flipped, true)?.stopped).not.toBeNull();
    const half = Buffer.concat([zstd, zstdCompressSync(Buffer.from('{"type":"turn/start"'))]);
    expect(readLog(half, true)?.stopped?.why).toBe('complete frame contains a torn JSONL record');
  });

  test('any bytes are read or refused, never a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(plain.length), fc.boolean(), (noise, at, compressed) => {
        const file = compressed ? zstd : plain;
        readLog(Buffer.concat([file.subarray(0, at), noise, file.subarray(at)]), compressed);
        readLog(Buffer.from(noise), compressed);
      }),
      { numRuns: 300 },
    );
  });
});
