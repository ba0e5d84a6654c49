import { appendFile, mkdir, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankLine, type LineAt, type LogPlace, readLogBytes, readLogLines } from '../../electron/threads/log-lines.ts';
import { tempFolder } from '../scenarios/temp.ts';

interface Read {
  lines: string[];
  ats: LineAt[];
  place: LogPlace;
  tail: string | null;
  restarted: boolean;
}

async function read(file: string, from: LogPlace | null = null): Promise<Read> {
  const result: Read = {
    lines: [],
    ats: [],
    place: { identity: '', offset: 0, line: 0, anchor: '', open: false },
    tail: null,
    restarted: false,
  };
  const growth = await readLogLines(
    file,
    from,
    (bytes, at) => {
      result.lines.push(bytes.toString('latin1'));
      result.ats.push(at);
    },
    { onRestart: () => (result.restarted = true) },
  );
  result.place = growth.place;
  result.tail = growth.tail?.bytes.toString('latin1') ?? null;
  return result;
}

async function logWith(content: string | Buffer): Promise<string> {
  const file = path.join(await tempFolder(), 'a.jsonl');
  await writeFile(file, content);
  return file;
}

describe('lines of a log', () => {
  test('are split at 0x0A alone: not at CR, U+2028 or NUL', async () => {
    const file = await logWith(Buffer.from('a\r\nb\u2028c\n\n\0\0\nd', 'utf8'));
    const { lines, ats, tail, place } = await read(file);
    expect(lines).toEqual(['a\r', 'b\xe2\x80\xa8c', '', '\0\0']);
    expect(ats.map((at) => at.offset)).toEqual([0, 3, 9, 10]);
    expect(ats.map((at) => at.number)).toEqual([1, 2, 3, 4]);
    expect(tail).toBe('d');
    expect(place.offset).toBe(13);
  });

  test('come without the byte-order mark of the file', async () => {
    const { lines, tail } = await read(await logWith(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0a, 0xef, 0xbb, 0xbf, 0x62])));
    expect(lines).toEqual(['a']);
    expect(tail).toBe('\xef\xbb\xbfb');
    expect((await read(await logWith(Buffer.from([0xef, 0xbb, 0xbf, 0x61])))).tail).toBe('a');
  });

  test('can be read again from their offsets', async () => {
    const file = await logWith(`first\nsecond ${'x'.repeat(3_000_000)}\nthird\n`);
    const { ats, lines } = await read(file);
    expect(lines.map((line) => line.length)).toEqual([5, 3_000_007, 5]);
    for (const [k, at] of ats.entries()) expect((await readLogBytes(file, at.offset, at.length)).toString()).toBe(lines[k]);
    expect((await readLogBytes(file, 3_000_014, 100)).toString()).toBe('third\n');
  });

  test('any bytes in any pieces give the same lines as one split of the whole', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'a.jsonl');
    const byte = fc.oneof(fc.constant(0x0a), fc.integer({ min: 0x20, max: 0x7e }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(byte, { maxLength: 30 }), { minLength: 1, maxLength: 8 }), async (pieces) => {
        await writeFile(file, '');
        let place: LogPlace | null = null;
        const seen: string[] = [];
        let tail: string | null = null;
        for (const piece of pieces) {
          await appendFile(file, Buffer.from(piece));
          const next: Read = await read(file, place);
          expect(next.restarted).toBe(false);
          place = next.place;
          tail = next.tail;
          seen.push(...next.lines);
        }
        const whole = Buffer.from(pieces.flat()).toString('latin1').split('\n');
        expect([...seen, tail ?? '']).toEqual(whole);
        expect(place?.line).toBe(whole.length - 1);
      }),
      { numRuns: 60 },
    );
  });
});

describe('reading on', () => {
  test('gives only what is new, and nothing when nothing is', async () => {
    const file = await logWith('a\nb');
    const first = await read(file);
    const again = await read(file, first.place);
    expect([again.lines, again.tail]).toEqual([[], 'b']);
    await appendFile(file, 'c\nd\n');
    const grown = await read(file, first.place);
    expect(grown.lines).toEqual(['bc', 'd']);
    expect(grown.ats.map((at) => [at.offset, at.number])).toEqual([
      [2, 2],
      [5, 3],
    ]);
    const still = await read(file, grown.place);
    expect(still).toMatchObject({ lines: [], tail: null, restarted: false, place: grown.place });
  });

  test('starts over when the file shrank, was replaced, or was rewritten in place', async () => {
    const file = await logWith('aaaa\nbbbb\n');
    const { place } = await read(file);
    await truncate(file, 5);
    expect(await read(file, place)).toMatchObject({ lines: ['aaaa'], restarted: true });
    await writeFile(file, 'aaaa\ncccc\ndddd\n');
    expect(await read(file, place)).toMatchObject({ lines: ['aaaa', 'cccc', 'dddd'], restarted: true });
    await writeFile(`${file}.new`, 'aaaa\nbbbb\neeee\n');
    await rename(`${file}.new`, file);
    expect(await read(file, place)).toMatchObject({ lines: ['aaaa', 'bbbb', 'eeee'], restarted: true });
  });

  test('goes on after a last line that was taken without its newline, unless it grew', async () => {
    const file = await logWith('[1]\n[2]');
    const growth = await readLogLines(file, null, () => undefined);
    const after = growth.tail?.after ?? growth.place;
    expect(after).toMatchObject({ offset: 7, line: 2, open: true });
    expect(await read(file, after)).toMatchObject({ lines: [], tail: null, restarted: false });
    await appendFile(file, '\n[3]\n');
    expect(await read(file, after)).toMatchObject({ lines: ['[3]'], restarted: false, ats: [{ offset: 8, number: 3 }] });
    await writeFile(file, '[1]\n[2][3]\n');
    expect(await read(file, after)).toMatchObject({ lines: ['[1]', '[2][3]'], restarted: true });
  });
});

describe('what cannot be read', () => {
  test('has a code', async () => {
    const folder = await tempFolder();
    await mkdir(path.join(folder, 'dir'));
    await expect(read(path.join(folder, 'none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(read(path.join(folder, 'dir'))).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await expect(readLogBytes(path.join(folder, 'none'), 0, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('can be cancelled, and other work goes on meanwhile', async () => {
    const file = await logWith('x'.repeat(99).concat('\n').repeat(40_000));
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    let count = 0;
    const spin = (): void => {
      count += 1;
      for (let k = 0; k < 2000; k += 1) Math.sqrt(k);
    };
    await readLogLines(file, null, spin);
    clearInterval(timer);
    expect(count).toBe(40_000);
    expect(ticks).toBeGreaterThan(0);
    const controller = new AbortController();
    controller.abort();
    await expect(readLogLines(file, null, spin, { signal: controller.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

test('a blank line has white space and NUL bytes only', () => {
  expect(isBlankLine(Buffer.from(' \t\r\0'))).toBe(true);
  expect(isBlankLine(Buffer.from(''))).toBe(true);
  expect(isBlankLine(Buffer.from(' x'))).toBe(false);
});
