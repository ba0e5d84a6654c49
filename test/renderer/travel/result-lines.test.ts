import { expect, test } from 'vitest';
import { resultLines } from '../../../renderer/travel/result-lines.ts';

const shown = (before: string, after: string): string[] =>
  resultLines(before, after).lines.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', gap: '~' }[kind]}${text}`);
const lines = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('');

test('three lines around each change, gaps counted, one line alone not left out', () => {
  expect(shown(lines(1, 30), `${lines(1, 9)}ten\n${lines(11, 17)}18b\n${lines(19, 30)}`)).toEqual([
    '~6 lines stay the same',
    ' 7',
    ' 8',
    ' 9',
    '-10',
    '+ten',
    ' 11',
    ' 12',
    ' 13',
    ' 14',
    ' 15',
    ' 16',
    ' 17',
    '-18',
    '+18b',
    ' 19',
    ' 20',
    ' 21',
    '~9 lines stay the same',
  ]);
});

test.each([
  ['a file that is made', '', 'a\n', ['+a']],
  ['a file that goes', 'a\nb', '', ['-a', '-b']],
  ['a line on top', lines(1, 5), `new\n${lines(1, 5)}`, ['+new', ' 1', ' 2', ' 3', '~2 lines stay the same']],
  ['line ends alone', 'a\r\nb\r\n', 'a\nb\n', []],
])('%s', (_name, before, after, wanted) => {
  expect(shown(before, after)).toEqual(wanted);
});

test('a change of very many lines is cut, and says by how many', () => {
  const { lines: kept, more } = resultLines('', lines(1, 1000));
  expect([kept.length, more]).toEqual([300, 700]);
});
