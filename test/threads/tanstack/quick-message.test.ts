import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryContent, entryKey } from '../../../electron/threads/tanstack/message-entry.ts';
import { shortenedBytes, toolMessage } from '../../../electron/threads/tanstack/quick-message.ts';
import type { JsonObject } from '../../../electron/threads/tanstack/record.ts';

const LENGTH = 16_000;
const lineOf = (content: string, more: object = {}): string =>
  JSON.stringify([{ type: 'harness.transcript', keep: 7, add: [{ role: 'tool', toolCallId: 'c1', content, ...more }] }]);

function quick(line: string | Buffer): JsonObject | null {
  const bytes = Buffer.concat([Buffer.from('before\n'), Buffer.from(line), Buffer.from('\nafter')]);
  return toolMessage(bytes, 7, 7 + Buffer.from(line).length);
}

const messageOf = (record: JsonObject | null): JsonObject => (record?.['add'] as JsonObject[] | undefined)?.[0] ?? {};

test('a long output is known by its beginning just as when it is parsed', () => {
  const piece = fc.constantFrom('a', 'é', '漢', '😀', '"', '\\', '\n', '\t', '/', '\u0001', '{', '}', '\\n', ' word', '\u007f');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 400 }), (pieces) => {
      const text = pieces.join('').repeat(Math.ceil(LENGTH / pieces.join('').length));
      const line = lineOf(text);
      const whole = (JSON.parse(line) as JsonObject[])[0] ?? {};
      const record = quick(line);
      // Pieces of a message that cannot be told for certain are parsed.
      if (record === null) return;
      expect({ ...record, add: null }).toEqual({ ...whole, add: null });
      expect(entryContent(messageOf(record), null)).toEqual(entryContent(messageOf(whole), null));
      expect(entryKey(entryContent(messageOf(record), null))).toBe(entryKey(entryContent(messageOf(whole), null)));
      expect(shortenedBytes(messageOf(record))).toBe(Buffer.byteLength(text));
    }),
    { numRuns: 200 },
  );
});

test('ordinary outputs are taken quickly: plain ones, and such with line ends, quotes and other scripts', () => {
  for (const text of ['plain words ', 'a line\n', 'say "hi"\t', 'größe 漢字 ', 'a\\b ']) {
    expect(shortenedBytes(messageOf(quick(lineOf(text.repeat(3000)))))).toBe(Buffer.byteLength(text) * 3000);
  }
});

test('whatever is not exactly such a line is left to be parsed', () => {
  const text = 'x'.repeat(LENGTH);
  const good = lineOf(text);
  expect(quick(good)).not.toBeNull();
  const others = [
    lineOf('x'.repeat(4095)),
    lineOf('漢'.repeat(4095)),
    lineOf(text, { error: 'it failed' }),
    lineOf(text, { id: 'm1' }),
    good.replace('"keep":7', '"keep":07'),
    good.replace('"keep":7', '"keep":-7'),
    good.replace('xxx', 'x"x'),
    good.replace('xxx', 'x\\qx'),
    good.replace('xxx', 'x\\ud83dx'),
    good.replace('xxx', 'x\tx'),
    good.replace('"c1"', '"c\\n1"'),
    good.slice(0, -1),
    good.replace('}]}]', '\\"}]}]'),
    JSON.stringify([...(JSON.parse(good) as object[]), { type: 'x' }]),
    Buffer.concat([Buffer.from(good.slice(0, 100)), Buffer.from([0xff]), Buffer.from(good.slice(100))]),
  ];
  for (const line of others) expect(quick(line)).toBeNull();
});

test('escapes of any letter count as the bytes that they stand for; a line may end with a carriage return', () => {
  const good = lineOf('x'.repeat(LENGTH));
  for (const [written, bytes] of [
    ['\\u0041', 1],
    ['\\u00e9', 2],
    ['\\u6F22', 3],
    ['\\/', 1],
  ] as const) {
    expect([written, shortenedBytes(messageOf(quick(good.replace('xxx', `x${written}x`))))]).toEqual([written, LENGTH - 1 + bytes]);
  }
  expect(shortenedBytes(messageOf(quick(`${good}\r`)))).toBe(LENGTH);
  for (const odd of ['\\u12g4', '\\x41']) expect(quick(good.replace('xxx', `x${odd}x`))).toBeNull();
  expect(quick(good.replace('x"}]}]', '\\"}]}]'))).toBeNull();
  expect(quick(good.replace('"keep":7', '"keep":'))).toBeNull();
});
