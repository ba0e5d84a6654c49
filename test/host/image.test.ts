import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fileDiffOf } from '../../electron/host/changes.ts';
import { imageOf } from '../../electron/host/image.ts';
import { imageFacts } from '../../electron/snapshots/image-facts.ts';
import { sideOf } from '../../electron/snapshots/side.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { travelling } from '../travel/tanstack-travelling.ts';

const chunk = (type: string, data: Buffer): Buffer => {
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, crc]);
};

function png(width: number, height: number, padding = 0): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(8))),
    Buffer.alloc(padding),
  ]);
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const padded = (text: string): Buffer => Buffer.concat([hex(text), Buffer.alloc(40)]);

describe('what the bytes say of a picture', () => {
  test.each([
    ['PNG', png(640, 48), { type: 'png', width: 640, height: 48 }],
    ['GIF', padded('474946383961 0a00 1400'), { type: 'gif', width: 10, height: 20 }],
    [
      'WebP, lossy',
      padded('52494646 00000000 57454250 56503820 00000000 300000 9d012a 4001 f000'),
      { type: 'webp', width: 320, height: 240 },
    ],
    ['WebP, lossless', padded('52494646 00000000 57454250 5650384c 00000000 2f 3f c1 3b 00'), { type: 'webp', width: 320, height: 240 }],
    [
      'WebP, extended',
      padded('52494646 00000000 57454250 56503858 0a000000 00000000 3f0100 ef0000'),
      { type: 'webp', width: 320, height: 240 },
    ],
    // An application segment with a thumbnail's frame inside, then tables, then the frame itself.
    [
      'JPEG',
      padded('ffd8 ffe0 000a ffc0000b0801 0001 ffc4 0004 0000 ffff c2 0011 08 00f0 0140'),
      { type: 'jpeg', width: 320, height: 240 },
    ],
    // Marks that stand alone, and bytes that fill up, before the frame.
    ['JPEG with marks of restart', padded('ffd8 ff01 ffd0 ffffff ffc0 0011 08 00f0 0140'), { type: 'jpeg', width: 320, height: 240 }],
  ])('%s', (_name, bytes, facts) => {
    expect(imageFacts(bytes)).toEqual(facts);
    // Cut off anywhere it is a picture or none, never an error.
    for (let end = 0; end < bytes.length; end++) expect([null, facts]).toContainEqual(imageFacts(bytes.subarray(0, end)));
  });

  test('a name makes no picture, and neither do no points', () => {
    expect(imageFacts(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeNull();
    expect(imageFacts(png(0, 5))).toBeNull();
    expect(imageFacts(Buffer.from('RIFF....WAVE'.padEnd(64, '\0')))).toBeNull();
    expect(imageFacts(Buffer.from('RIFF....WEBPVP9 '.padEnd(64, '\x01')))).toBeNull();
    expect(imageFacts(padded('ffd8 ffe0 0004 0000 00'))).toBeNull();
  });

  test('only a binary side tells of one', () => {
    expect(sideOf({ mode: '100644' }, png(3, 4), { anyway: false })).toMatchObject({
      binary: true,
      text: null,
      image: { type: 'png', width: 3, height: 4 },
    });
    expect(sideOf({ mode: '100644' }, Buffer.from([0, 1, 2]), { anyway: false })).not.toHaveProperty('image');
    expect(sideOf({ mode: '100644' }, Buffer.from('<svg/>'), { anyway: false })).toMatchObject({ text: '<svg/>', binary: false });
  });
});

test('both sides of a picture come out of the snapshots and the disk; what is none, too large or too wide is refused', async () => {
  const { t, context } = await travelling();
  const [before, after, now] = [png(2, 2), png(4, 2), png(8, 8)];
  await writeFiles(t.root, { 'a.png': before, 'fake.png': 'text', 'big.png': png(1, 1, 9 * 1024 * 1024), 'wide.png': png(60_000, 60_000) });
  await t.turn('First', [{ tool: 'write_file', edit: (root) => writeFile(path.join(root, 'a.png'), after) }]);
  await writeFile(path.join(t.root, 'a.png'), now);
  await symlink('a.png', path.join(t.root, 'link.png'));
  const ctx = await context();
  const step = { kind: 'turn', turn: 1 } as const;
  const image = (bytes: Buffer, width: number, height: number) => ({
    type: 'png',
    width,
    height,
    bytes: bytes.length,
    data: bytes.toString('base64'),
  });
  expect(await imageOf(ctx, step, 'a.png', 'before')).toEqual(image(before, 2, 2));
  expect(await imageOf(ctx, step, 'a.png', 'after')).toEqual(image(after, 4, 2));
  const since = { kind: 'stops', from: 0, to: null } as const;
  expect(await imageOf(ctx, since, 'a.png', 'after')).toEqual(image(now, 8, 8));
  expect((await fileDiffOf(ctx, since, 'a.png', false)).after?.image).toEqual({ type: 'png', width: 8, height: 8 });
  const plan = { kind: 'plan', stop: 0 } as const;
  expect(await imageOf(ctx, plan, 'a.png', 'before')).toEqual(image(now, 8, 8));
  const code = (file: string) => imageOf(ctx, since, file, 'after').then(String, (thrown: { code: string }) => thrown.code);
  expect(await Promise.all(['fake.png', 'big.png', 'wide.png', 'link.png', 'none.png'].map(code))).toEqual([
    'NO_IMAGE',
    'TOO_LARGE',
    'NO_IMAGE',
    'NO_IMAGE',
    'NO_IMAGE',
  ]);
});
