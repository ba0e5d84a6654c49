import { deflateSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { stored } from '../../electron/snapshots/stored.ts';

test.each([0, 1, 255, 4000, 65_535])('%d bytes are what zlib makes of them without compression', (length) => {
  const bytes = Buffer.from(Uint8Array.from({ length }, (_, at) => 255 - (at % 251)));
  expect(stored(bytes).equals(deflateSync(bytes, { level: 0 }))).toBe(length < 65_535);
  expect(inflateSync(stored(bytes)).equals(bytes)).toBe(true);
});

test('more than a block holds is refused', () => {
  expect(() => stored(Buffer.alloc(65_536))).toThrow(RangeError);
});
