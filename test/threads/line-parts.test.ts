import { expect, test } from 'vitest';
import { LineParts } from '../../electron/threads/line-parts.ts';

const MEGABYTE = 1 << 20;

test('parts become one line, short or long, and stay what they were when their memory is used again', () => {
  const parts = new LineParts(8 * MEGABYTE);
  for (const sizes of [[3, 5], [MEGABYTE, 4 * MEGABYTE, 1, 3 * MEGABYTE - 1], [8 * MEGABYTE], [0, 2]]) {
    const expected: Buffer[] = [];
    const shared = Buffer.alloc(8 * MEGABYTE);
    for (const [at, size] of sizes.entries()) {
      shared.fill(at + 1);
      expected.push(Buffer.alloc(size, at + 1));
      parts.add(shared.subarray(0, size));
    }
    shared.fill(0);
    expect(parts.length).toBe(sizes.reduce((sum, size) => sum + size));
    expect(parts.take()?.equals(Buffer.concat(expected))).toBe(true);
    expect([parts.length, parts.tooLong]).toEqual([0, false]);
  }
});

test('a line that is too long is only counted, and the next one is whole again', () => {
  const parts = new LineParts(5 * MEGABYTE);
  for (let at = 0; at < 6; at += 1) parts.add(Buffer.alloc(MEGABYTE));
  expect([parts.length, parts.tooLong]).toEqual([6 * MEGABYTE, true]);
  expect(parts.take()).toBeNull();
  parts.add(Buffer.from('whole'));
  expect(parts.take()?.toString()).toBe('whole');
});
