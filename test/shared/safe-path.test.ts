import { describe, expect, it } from 'vitest';
import { foldedPath, safeLink, safePath } from '../../shared/safe-path.ts';
import { HOSTILE_NAMES } from '../snapshots/lab.ts';

const GIT = "The path leads into a repository's own folder.";
const EVERYWHERE = ['linux', 'darwin', 'win32'] as const;

describe('a path that is refused everywhere', () => {
  it.each<readonly [string, string]>([
    ['', 'The path is empty.'],
    ['/etc/passwd', 'The path is absolute.'],
    ['/', 'The path is absolute.'],
    ['..', 'The path leaves its folder by a dot part.'],
    ['../x', 'The path leaves its folder by a dot part.'],
    ['a/../../x', 'The path leaves its folder by a dot part.'],
    ['a/..', 'The path leaves its folder by a dot part.'],
    ['./a', 'The path leaves its folder by a dot part.'],
    ['a/./b', 'The path leaves its folder by a dot part.'],
    ['a//b', 'The path has an empty part.'],
    ['a/', 'The path has an empty part.'],
    ['a\0b', 'The path holds a zero byte.'],
    ['a\ud800', 'The path holds half a character, which no file name can.'],
    ['a\udc00b', 'The path holds half a character, which no file name can.'],
    ['\udc7f', 'The path holds half a character, which no file name can.'],
    ['x'.repeat(256), 'A name in the path is longer than 255 bytes.'],
    ['é'.repeat(128), 'A name in the path is longer than 255 bytes.'],
    [`${'d/'.repeat(2100)}x`, 'The path is longer than 4096 bytes.'],
    ...[
      '.git',
      '.git/config',
      'a/.git/hooks/post-checkout',
      '.GIT/config',
      '.Git',
      '.giT/x',
      'git~1',
      'GIT~1/config',
      'sub/Git~1',
      '.git.',
      '.git...',
      '.git ',
      '.git . .',
      '.git::$INDEX_ALLOCATION',
      '.git:stream',
      'git~1 ',
      'git~1.',
      'git~1:x',
      '.g\u200cit',
      '.\u200dgit/config',
      '.git\ufeff',
      '\u202e.git',
      '.g\u206fIT',
      'back\\.git\\config',
      '.git\\config',
      'x\\git~1',
    ].map((path) => [path, GIT] as const),
  ])('%j', (path, why) => {
    for (const platform of EVERYWHERE) expect(safePath(path, platform), platform).toBe(why);
  });
});

describe('a path that is only refused on Windows', () => {
  it.each<readonly [string, string]>([
    ['C:/x', 'The path is absolute.'],
    ['c:x', 'The path is absolute.'],
    ['\\\\server\\share', 'The path is absolute.'],
    ['\\x', 'The path is absolute.'],
    ['a\\b', 'The name holds a backslash, which Windows takes for a folder.'],
    ['a\\..\\..\\b', 'The name holds a backslash, which Windows takes for a folder.'],
    ['d/a:b', 'The name holds a colon, which Windows takes for a stream or a drive.'],
    ['file.txt::$DATA', 'The name holds a colon, which Windows takes for a stream or a drive.'],
    ['a\nb', 'The name holds a control character, which Windows cannot keep.'],
    ['esc\u001b[31m', 'The name holds a control character, which Windows cannot keep.'],
    ['\u0001', 'The name holds a control character, which Windows cannot keep.'],
    ['trail ', 'The name ends in a dot or a space, which Windows drops.'],
    ['dot.', 'The name ends in a dot or a space, which Windows drops.'],
    ['a/b./c', 'The name ends in a dot or a space, which Windows drops.'],
    ...['a<b', 'a>b', 'a"b', 'a|b', 'a?b', 'a*b'].map((path) => [path, 'The name holds a character that Windows does not allow.'] as const),
    ...[
      'con',
      'CON',
      'Con.txt',
      'prn',
      'aux',
      'aux.h',
      'AUX.tar.gz',
      'nul',
      'NUL.',
      'com0',
      'com1',
      'COM9.log',
      'com\u00b9',
      'lpt1',
      'LPT9',
      'lpt\u00b2.x',
      'conin$',
      'CONOUT$',
      'clock$',
      'd/nul/x',
      'con .txt',
    ].map(
      (path) =>
        [
          path,
          path === 'NUL.' ? 'The name ends in a dot or a space, which Windows drops.' : 'The name is that of a Windows device.',
        ] as const,
    ),
  ])('%j', (path, why) => {
    expect(safePath(path, 'win32')).toBe(why);
    expect(safePath(path, 'linux')).toBe(true);
    expect(safePath(path, 'darwin')).toBe(true);
  });
});

describe('a name that is not UTF-8', () => {
  it('is written where names are bytes, and nowhere else', () => {
    expect(safePath('bad\udcff\udcfe.bin', 'linux')).toBe(true);
    expect(safePath('bad\udcff\udcfe.bin', 'freebsd')).toBe(true);
    for (const platform of ['darwin', 'win32'])
      expect(safePath('bad\udcff.bin', platform)).toBe('The name is not UTF-8, which this system cannot keep.');
  });

  it('is not taken for half of a character that is whole', () => {
    expect(safePath('\ud83d\udca9.txt', 'win32')).toBe(true);
    expect(safePath('🙂.txt', 'darwin')).toBe(true);
  });
});

describe('a path that is fine', () => {
  it.each(HOSTILE_NAMES.map((name) => [name]))('%j on Linux', (name) => {
    expect(safePath(name, 'linux')).toBe(true);
  });

  it.each([
    'a',
    'src/index.ts',
    '.gitignore',
    '.gitattributes',
    '.github/workflows/x.yml',
    'git/config',
    'a.git/config',
    'git~2',
    '...',
    '..foo',
    'foo..',
    'console.txt',
    'com10',
    'comx',
    'nully',
    'aux_',
    'x'.repeat(255),
    'Ünïcode/中文',
  ])('%j', (path) => {
    expect(safePath(path, 'linux')).toBe(true);
    if (path !== '...' && path !== 'foo..') expect(safePath(path, 'win32')).toBe(true);
  });
});

describe('a link', () => {
  it.each([
    ['l', 'target.txt'],
    ['d/l', '../target.txt'],
    ['d/e/l', '../../x'],
    ['l', './x/../y'],
    ['l', 'not/there'],
    ['l', '.'],
    ['d/l', '..'],
  ])('%j -> %j stays inside', (path, target) => {
    for (const platform of EVERYWHERE) expect(safeLink(path, target, platform)).toBe(true);
  });

  it.each([
    ['l', '/etc/passwd'],
    ['l', '..'],
    ['l', '../x'],
    ['d/l', '../../x'],
    ['l', 'a/../../x'],
    ['d/l', 'a/../../../x'],
    ['d/l', '../../ws/x'],
  ])('%j -> %j leads out', (path, target) => {
    for (const platform of EVERYWHERE) expect(safeLink(path, target, platform)).toBe('The link leads out of the workspace.');
  });

  it.each([
    ['l', 'C:\\x'],
    ['l', '..\\x'],
    ['d/l', '..\\..\\x'],
    ['l', '\\x'],
  ])('%j -> %j leads out on Windows', (path, target) => {
    expect(safeLink(path, target, 'win32')).toBe('The link leads out of the workspace.');
    expect(safeLink(path, target, 'linux')).toBe(true);
  });

  it('may not lead into a repository, nor nowhere', () => {
    for (const target of ['.git', '.git/hooks', 'a/.GIT/config', 'git~1'])
      expect(safeLink('l', target, 'linux')).toBe("The link leads into a repository's own folder.");
    expect(safeLink('l', '', 'linux')).toBe('The link has no target that a disk can keep.');
    expect(safeLink('l', 'a\0b', 'linux')).toBe('The link has no target that a disk can keep.');
  });
});

describe('two names for one file', () => {
  it.each([
    ['README.md', 'readme.MD'],
    ['caf\u00e9', 'cafe\u0301'],
    ['CAF\u00c9', 'cafe\u0301'],
    ['Stra\u00dfe', 'STRASSE'],
  ])('%j and %j fold to the same', (a, b) => {
    expect(foldedPath(a)).toBe(foldedPath(b));
  });

  it('and others do not', () => {
    expect(foldedPath('a/b')).not.toBe(foldedPath('a/c'));
    expect(foldedPath('bad\udcff')).not.toBe(foldedPath('bad\udcfe'));
  });
});
