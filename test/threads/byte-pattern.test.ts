import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BytePattern } from '../../electron/threads/byte-pattern.ts';
import { foldCase } from '../../shared/search.ts';

/** Every way to write a JSON text that means the same: plain, ASCII only, and as a text inside a text. */
const writings = (text: string): Buffer[] => {
  const json = JSON.stringify({ text });
  const ascii = json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`);
  return [json, ascii, JSON.stringify([json]), JSON.stringify([ascii]), json.replaceAll('/', '\\/')].map((one) => Buffer.from(one));
};

test('what a text holds is found in its bytes, however it is written and whatever its case', () => {
  const letters = fc.constantFrom(...'aAkKsSßİıÖöΣσς漢😀"\\/\n\t -.K:{'.split(''), '😀', '\u017f');
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), fc.nat(11), fc.integer({ min: 1, max: 6 }), (parts, from, length) => {
      const text = parts.join('');
      const word = foldCase(text).slice(from, from + length);
      if (word === '' || !word.isWellFormed()) return;
      for (const bytes of writings(text)) expect(new BytePattern(['never', word]).inBytes(bytes)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('other words are not found', () => {
  const bytes = Buffer.from(JSON.stringify({ text: 'The quick brown fox' }));
  for (const word of ['quack', 'fox!', 'browm', '漢', 'foxy']) expect(new BytePattern([word]).inBytes(bytes)).toBe(false);
});

test('signs of patterns are letters like any other', () => {
  const bytes = Buffer.from(JSON.stringify({ text: 'a.b*c[d](e)$^|' }));
  expect(new BytePattern(['b*c[D](e)$^|']).inBytes(bytes)).toBe(true);
  expect(new BytePattern(['aXb']).inBytes(bytes)).toBe(false);
});
