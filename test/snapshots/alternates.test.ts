import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternatesFile, alternatesVariable, quoteAlternate } from '../../electron/snapshots/alternates.ts';

describe('a folder among alternates', () => {
  it.each([
    ['/a/b', '/a/b'],
    ['/a b/ü', '/a b/ü'],
    ['/a\\b', '/a\\b'],
    ['/a"b', '/a"b'],
    ['#a', '"#a"'],
    ['"a', '"\\"a"'],
    ['/new\nline', '"/new\\012line"'],
    ['/tab\t\\x"', '"/tab\\011\\\\x\\""'],
    ['/c1\u0085', '"/c1\\302\\205"'],
  ])('%j is written as %j', (folder, text) => {
    expect(quoteAlternate(folder)).toBe(text);
  });

  it('is quoted where it would be parted', () => {
    expect(alternatesVariable(['/a', '/b:c'])).toBe('/a:"/b:c"');
    expect(alternatesFile(['/a', '/b:c'])).toBe('/a\n/b:c\n');
  });

  it('never breaks its line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (folder) => {
        expect(quoteAlternate(`/${folder}`)).not.toMatch(/[\n\r\0]/);
      }),
    );
  });
});
