import { describe, expect, it } from 'vitest';
import { sideOf } from '../../electron/snapshots/side.ts';
import { fileSideSchema } from '../../shared/contract.ts';

const side = (bytes: string | Uint8Array, o: { mode?: string; anyway?: boolean } = {}) => {
  const result = sideOf({ mode: o.mode ?? '100644' }, Buffer.from(bytes), { anyway: o.anyway ?? false });
  expect(fileSideSchema.parse(result)).toEqual(result);
  return result;
};

describe('one side of a diff', () => {
  it.each([
    ['plain text', Buffer.from('a\nb\n'), { encoding: 'utf-8', eol: 'lf', text: 'a\nb\n' }],
    ['nothing', Buffer.alloc(0), { encoding: 'utf-8', eol: 'none', text: '', bytes: 0 }],
    ['no line end', Buffer.from('noeol'), { encoding: 'utf-8', eol: 'none', text: 'noeol' }],
    ['CRLF', Buffer.from('a\r\nb\r\n'), { eol: 'crlf', text: 'a\r\nb\r\n' }],
    ['mixed line ends', Buffer.from('a\r\nb\nc\r'), { eol: 'mixed', text: 'a\r\nb\nc\r' }],
    ['lone CRs', Buffer.from('a\rb\r'), { eol: 'none', text: 'a\rb\r' }],
    ['UTF-8', Buffer.from('中文🙂\n'), { encoding: 'utf-8', text: '中文🙂\n' }],
    ['UTF-8 with a mark', Buffer.from('efbbbf626f6d0a', 'hex'), { encoding: 'utf-8-bom', text: 'bom\n', bytes: 7 }],
    ['UTF-16 little end', Buffer.from('fffe6800690000000a00', 'hex'), { encoding: 'utf-16le', text: 'hi\0\n', binary: false }],
    ['UTF-16 big end', Buffer.from('feff00680069000a', 'hex'), { encoding: 'utf-16be', text: 'hi\n', binary: false, eol: 'lf' }],
    ['latin1', Buffer.from('636166e90a', 'hex'), { encoding: 'latin1', text: 'caf\u00e9\n' }],
    ['GBK, which nobody can tell', Buffer.from('d6d0cec40a', 'hex'), { encoding: 'latin1', binary: false }],
    ['a zero byte', Buffer.from('a\0b'), { encoding: 'binary', text: null, binary: true, head: '610062', eol: 'none' }],
    ['a zero byte late', Buffer.concat([Buffer.alloc(8000, 'x'), Buffer.from([0])]), { encoding: 'utf-8', binary: false }],
    ['a zero byte just in time', Buffer.concat([Buffer.alloc(7999, 'x'), Buffer.from([0])]), { encoding: 'binary' }],
    ['an odd number of UTF-16 bytes', Buffer.from('fffe680069', 'hex'), { encoding: 'binary' }],
  ])('of %s', (_, bytes, expected) => {
    expect(side(bytes)).toMatchObject(expected);
  });

  it('tells kind and exec bit', () => {
    expect(side('x', { mode: '100755' })).toMatchObject({ kind: 'file', executable: true });
    expect(side('x')).toMatchObject({ kind: 'file', executable: false });
    expect(side('../target', { mode: '120000' })).toMatchObject({ kind: 'link', executable: false, text: '../target' });
    expect(side('', { mode: '160000' })).toMatchObject({ kind: 'submodule' });
  });

  it('shows a binary by its head alone', () => {
    const bytes = Buffer.concat([Buffer.from([0]), Buffer.alloc(5_000_000, 0xab)]);
    const result = side(bytes, { anyway: true });
    expect(result).toMatchObject({ binary: true, text: null, tooLarge: false, bytes: 5_000_001 });
    expect(result.head).toBe(`00${'ab'.repeat(255)}`);
  });

  it.each([
    ['1.5 MB', 'x\n'.repeat(786_432), 'x\n'.repeat(786_433)],
    ['20,000 lines', 'x\n'.repeat(20_000), 'x\n'.repeat(20_001)],
    ['20,000 lines without a last end', `${'x\n'.repeat(19_999)}x`, `${'x\n'.repeat(20_000)}x`],
    ['a line of 20,000 characters', `${'x'.repeat(20_000)}\n`, `${'x'.repeat(20_001)}\n`],
    ['a last line of 20,000 characters', `a\n${'x'.repeat(20_000)}`, `a\n${'x'.repeat(20_001)}`],
  ])('is shown up to %s, and above only when asked for', (name, fits, exceeds) => {
    if (name !== '1.5 MB') expect(side(fits)).toMatchObject({ tooLarge: false, text: fits });
    expect(side(exceeds)).toMatchObject({ tooLarge: true, text: null, binary: false, bytes: exceeds.length });
    expect(side(exceeds, { anyway: true })).toMatchObject({ tooLarge: true, text: exceeds });
  });

  it('looks at a file of 1.5 MB', () => {
    const long = `${'x'.repeat(99)}\n`.repeat(15_728);
    expect(side(long)).toMatchObject({ tooLarge: false, bytes: 1_572_800 });
    expect(side(`${long}${'x'.repeat(100)}`)).toMatchObject({ tooLarge: true });
  });
});
