import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfTreePath, showTreePath, treePathOfBytes } from '../../shared/tree-path.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a tree path', () => {
  it('is the plain text where the bytes are UTF-8', () => {
    const text = 'src/caf\u00e9 中文 🙂\n';
    expect(treePathOfBytes(Buffer.from(text))).toBe(text);
    expect(hex(bytesOfTreePath(text))).toBe(Buffer.from(text).toString('hex'));
  });

  it.each([
    ['a lone byte', '62ff2e74', 'b\udcff.t'],
    ['latin1', '636166e9', 'caf\udce9'],
    ['an overlong slash', 'c0af', '\udcc0\udcaf'],
    ['an encoded surrogate', 'eda080', '\udced\udca0\udc80'],
    ['beyond the last code point', 'f4908080', '\udcf4\udc90\udc80\udc80'],
    ['a sequence that is cut off', 'e4b8', '\udce4\udcb8'],
    ['a continuation byte alone', '80', '\udc80'],
  ])('keeps %s', (_, bytes, text) => {
    expect(treePathOfBytes(Buffer.from(bytes, 'hex'))).toBe(text);
    expect(hex(bytesOfTreePath(text))).toBe(bytes);
  });

  it('gives back any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(hex(bytesOfTreePath(treePathOfBytes(bytes)))).toBe(hex(bytes));
      }),
      { numRuns: 20_000 },
    );
  });

  it('gives back bytes that are nearly UTF-8', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 1, maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const bytes = Buffer.concat(pieces);
        expect(hex(bytesOfTreePath(treePathOfBytes(bytes)))).toBe(hex(bytes));
      }),
      { numRuns: 10_000 },
    );
  });

  it('gives two different byte strings two different texts', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (a, b) => {
        expect(treePathOfBytes(a) === treePathOfBytes(b)).toBe(hex(a) === hex(b));
      }),
      { numRuns: 10_000 },
    );
  });

  it('survives JSON', () => {
    const path = treePathOfBytes(Buffer.from('62ff0a22', 'hex'));
    expect(JSON.parse(JSON.stringify({ path }))).toEqual({ path });
  });

  it('keeps what is cut off byte by byte, and half a character of no byte becomes the mark for it', () => {
    for (const hex of ['61e2', '61e282', '61f0', '61f09f98', 'c3', 'e282', 'e28241']) {
      const bytes = Buffer.from(hex, 'hex');
      expect(Buffer.from(bytesOfTreePath(treePathOfBytes(bytes))).toString('hex')).toBe(hex);
    }
    expect(treePathOfBytes(Buffer.from('61e282', 'hex'))).toBe('a\udce2\udc82');
    expect(Buffer.from(bytesOfTreePath('a\ud800b\udc7f')).toString('hex')).toBe('61efbfbd62efbfbd');
  });

  it('shows nothing that could hide or look like another row', () => {
    expect(showTreePath('new\nline\ttab\u001b[31m')).toBe('new\\nline\\ttab\\x1b[31m');
    expect(showTreePath('a\u202eb\u200bc')).toBe('a\\u{202e}b\\u{200b}c');
    expect(showTreePath('bad\udcff\udcfe.bin')).toBe('bad\\xff\\xfe.bin');
    expect(showTreePath('caf\u00e9')).toBe('caf\u00e9');
  });
});
