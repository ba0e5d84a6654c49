import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Built } from '../cases/case.ts';
import { names, text } from './case-files.ts';

/** Cases that go there and back as a whole: what the disk must look like once the revert stands, and the stop, where it is not the start. */
export const AFTER_REVERT: [string, (one: Built) => Promise<void>, number?][] = [
  ['c-01', async (one) => expect(await text(one, 'app.txt')).toMatch(/^1\n2\n3\n[\s\S]*17\neighteen \(me\)\n19\n20\n$/)],
  [
    'c-02',
    async (one) => {
      expect([await text(one, 'a.txt'), await text(one, 'out', 'model.bin'), await text(one, 'data', 'during.csv')]).toEqual([
        'a\n',
        'w2\n',
        'r2\n',
      ]);
      expect(await names(one)).not.toContain('new.txt');
    },
  ],
  [
    'c-03',
    async (one) =>
      expect([await names(one), await text(one, 'secret.env')]).toEqual([['build', 'build/cache.bin', 'secret.env', 'x.txt'], 'REALKEY\n']),
  ],
  ['c-04', async (one) => expect([await text(one, 'frontend', 'app.ts'), await text(one, 'backend', 'srv.go')]).toEqual(['v1\n', 'v2\n'])],
  ['c-06', async (one) => expect([await text(one, 'f1'), await text(one, 'f5')]).toEqual(['1\n', 'mine\n'])],
  ['c-08', async (one) => expect((await names(one)).some((name) => name.startsWith('new'))).toBe(true)],
  [
    'c-09',
    async (one) => {
      expect([await readlink(path.join(one.root, 'link')), await text(one, 'was_file')]).toEqual(['target.txt', 's\n']);
      expect(await readlink(path.join(one.root, 'd'))).toBe(path.join(one.outside, 'd'));
    },
  ],
  [
    'c-10',
    async (one) => expect(await names(one)).toEqual(expect.arrayContaining(['conf/a.ini', 'conf/mine.ini', 'docs/only.md', 'src/m.c'])),
  ],
  ['c-11', async (one) => expect(await readFile(path.join(one.root, 'crlf.txt'), 'latin1')).toBe('a\r\nb\r\n')],
  [
    'c-12',
    async (one) => {
      expect(await text(one, 'f.txt')).toBe('v1\n');
      expect(await readdir(path.join(one.folder, 'pwn'))).toEqual(['.keep']);
    },
  ],
  [
    'c-13',
    async (one) => {
      expect(await text(one, 'f.txt')).toBe('v1\n');
      expect(await readdir(one.folder)).not.toContain('PWN');
    },
  ],
  ['c-14', async (one) => expect(await text(one, 'f.txt')).toBe('v1\n')],
  ['c-18', async (one) => expect(await text(one, 'f')).toBe('2\n'), 4],
  ['c-19', async (one) => expect(await names(one)).toContain('old name.txt')],
];
