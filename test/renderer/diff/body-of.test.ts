import { expect, test } from 'vitest';
import { bodyOf } from '../../../renderer/diff/body-of.ts';
import { badgesOf, encodingWords, eolWords, sentencesOf } from '../../../renderer/diff/file-words.ts';
import type { FileDiff, FileSide } from '../../../shared/contract.ts';
import { side } from '../panes/fake-files.ts';

const diff = (before: FileSide | null, after: FileSide | null, eolOnly = false): FileDiff => ({ path: 'a/b', before, after, eolOnly });
const bodyKind = (value: FileDiff, asked = false): string => bodyOf(value, asked).kind;

test('text of both sides is compared; of one side it is shown', () => {
  expect(bodyOf(diff(side('a\n'), side('b\n')), false)).toEqual({ kind: 'text', slot: 'diff', before: 'a\n', after: 'b\n' });
  expect(bodyOf(diff(null, side('b\n')), false)).toEqual({ kind: 'text', slot: 'single', before: null, after: 'b\n' });
  expect(bodyOf(diff(side('a\n'), null), false)).toEqual({ kind: 'text', slot: 'single', before: 'a\n', after: null });
});

test('a binary on either side is a card, whatever the other is', () => {
  const binary = side('', { binary: true, text: null, encoding: 'binary', bytes: 9 });
  expect(bodyKind(diff(binary, side('text')))).toBe('binary');
  expect(bodyKind(diff(side('text'), binary))).toBe('binary');
});

test('a file that was not sent is heavy, with its size; once it is here it is drawn', () => {
  const heavy = side('', { text: null, tooLarge: true, bytes: 5_600_000 });
  expect(bodyOf(diff(heavy, side('x')), false)).toEqual({ kind: 'heavy', bytes: 5_600_000, why: 'size' });
  expect(bodyKind(diff(side('a', { tooLarge: true }), side('b', { tooLarge: true })))).toBe('text');
});

test('one very long line is drawn only when it is asked for', () => {
  const long = side('x'.repeat(150_000));
  expect(bodyOf(diff(side('a'), long), false)).toEqual({ kind: 'heavy', bytes: 150_000, why: 'line' });
  expect(bodyKind(diff(side('a'), long), true)).toBe('text');
});

test('more than 20,000 lines are compared by the worker', () => {
  expect(bodyKind(diff(side('a\n'.repeat(20_001)), side('b\n')))).toBe('long');
  expect(bodyKind(diff(side('a\n'.repeat(20_000)), side('b\n')))).toBe('text');
});

test.each([
  [diff(side('x'), side('x', { executable: true })), ['Now executable']],
  [diff(side('x', { executable: true }), side('x')), ['No longer executable']],
  [diff(null, side('x', { kind: 'link' })), ['New: a link to x']],
  [diff(side('x', { kind: 'link' }), side('y', { kind: 'link' })), ['Link to x, now link to y']],
  [diff(side('text\n'), side('x', { kind: 'link' })), ['Was a file, now a link to x']],
  [diff(side('x', { kind: 'link' }), null), ['Was a link to x, now deleted']],
  [diff(side('', { kind: 'submodule' }), side('', { kind: 'submodule' })), ['Submodule: another commit is checked out']],
  [diff(null, side('')), ['New empty file']],
  [diff(side(''), null), ['Was an empty file, now deleted']],
  [diff(side('x'), side('x', { encoding: 'utf-8-bom' })), ['Only the encoding differs: UTF-8 → UTF-8 with BOM']],
])('changes that are no lines are told in words (%#)', (value, sentences) => {
  expect(bodyOf(value, false)).toEqual({ kind: 'words', sentences });
});

test('a link target is shown with its control characters escaped', () => {
  expect(sentencesOf(diff(null, side('a\u202eb', { kind: 'link' })))).toEqual(['New: a link to a\\u{202e}b']);
});

test('line ends: only, changed, or the same', () => {
  const lf = side('a\nb\n');
  const crlf = side('a\r\nb\r\n');
  expect(eolWords(diff(lf, crlf, true))).toBe('Line endings only: LF → CRLF');
  expect(bodyOf(diff(lf, crlf, true), false)).toEqual({
    kind: 'words',
    sentences: ['Only the line endings differ; every line reads the same'],
  });
  expect(eolWords(diff(crlf, side('a\nc\n')))).toBe('Line endings changed: CRLF → LF');
  expect(eolWords(diff(lf, side('a\nc\n')))).toBeNull();
  expect(eolWords(diff(side('a'), crlf))).toBeNull();
  expect(badgesOf(diff(crlf, side('a\r\nc\r\n')), null)).toEqual(['CRLF']);
  expect(badgesOf(diff(crlf, side('a\nc\n')), '1 line changed')).toEqual(['Line endings changed, 1 line changed']);
});

test('the encoding is named where it is not plain UTF-8 or changes', () => {
  expect(encodingWords(diff(side('a'), side('b')))).toBeNull();
  expect(encodingWords(diff(side('a', { encoding: 'latin1' }), side('b', { encoding: 'latin1' })))).toBe('Latin-1');
  expect(badgesOf(diff(side('a', { encoding: 'utf-16le' }), side('b')), null)).toEqual(['UTF-16 LE → UTF-8']);
});

test('line ends that changed are drawn when they are asked for, and only where they changed', () => {
  const lf = side('a\nb\n');
  const crlf = side('a\r\nb\r\n');
  expect(bodyOf(diff(lf, crlf, true), false, true)).toEqual({ kind: 'text', slot: 'diff', before: 'a\nb\n', after: 'a␍\nb␍\n' });
  expect(bodyOf(diff(lf, crlf, true), false, false).kind).toBe('words');
  expect(bodyOf(diff(crlf, side('a\r\nc\r\n')), false, true)).toMatchObject({ before: 'a\r\nb\r\n', after: 'a\r\nc\r\n' });
});
