import { expect, test, vi } from 'vitest';
import { diffOptions, factsOf } from '../../../renderer/diff/diff-look.ts';
import { lineNumbersOf, numberChars } from '../../../renderer/diff/editor-slot.ts';
import { emptyWords, missingOf, stepsOfRange } from '../../../renderer/diff/empty-words.ts';
import { CARD_HEIGHT, estimateBodyHeight, sectionHeight } from '../../../renderer/diff/estimate-height.ts';
import { createFrameQueue } from '../../../renderer/diff/frame-queue.ts';
import { hexRows } from '../../../renderer/diff/hex-dump.ts';
import { languageOf } from '../../../renderer/diff/language-of.ts';
import { sameFiles } from '../../../renderer/diff/use-stable-files.ts';
import { reason } from '../../../shared/errors.ts';
import type { FileChange } from '../../../shared/model.ts';
import { makeView } from '../make-view.ts';

const file = (over: Partial<FileChange> = {}): FileChange => ({
  path: 'a',
  change: 'modified',
  added: 1,
  removed: 1,
  binary: false,
  ...over,
});

test.each([
  ['src/app.tsx', 'typescript'],
  ['package.json', 'javascript'],
  ['Cargo.toml', 'ini'],
  ['a/b/Dockerfile', 'dockerfile'],
  ['x.PY', 'python'],
  ['.env', 'shell'],
  ['LICENSE', null],
  ['a.unknown', null],
  ['constructor', null],
  ['a.__proto__', null],
  ['dir.ts/file', null],
])('the language of %s is %s', (path, language) => {
  expect(languageOf(path)).toBe(language);
});

test('a height is guessed from counts, and cards have their own', () => {
  expect(estimateBodyHeight(file({ change: 'created', added: 10, removed: 0 }), 'split')).toBe(180);
  expect(estimateBodyHeight(file({ binary: true }), 'split')).toBe(CARD_HEIGHT);
  expect(estimateBodyHeight(file({ added: 30, removed: 30 }), 'inline')).toBeGreaterThan(
    estimateBodyHeight(file({ added: 30, removed: 30 }), 'split'),
  );
  expect(sectionHeight(100, true)).toBe(33);
  expect(sectionHeight(100, false)).toBe(140);
});

test('big or one-line files get the fast comparison, always with a time limit', () => {
  const look = { diffLayout: 'split', wrap: true, ignoreWhitespace: false, ignoreLineEnds: true } as const;
  const small = diffOptions(look, factsOf(['a\nb', 'a\nc'], 1));
  expect([small.diffAlgorithm, small.maxComputationTime, small.wordWrap]).toEqual(['advanced', 1000, 'on']);
  const many = diffOptions(look, factsOf(['a\n'.repeat(6_000), ''], 1));
  expect([many.diffAlgorithm, many.maxComputationTime]).toEqual(['legacy', 1000]);
  const line = diffOptions(look, factsOf(['x'.repeat(9_000)], 1));
  expect([line.diffAlgorithm, line.wordWrap]).toEqual(['legacy', 'off']);
  expect(factsOf(['ab\nabcd\na', null], null)).toEqual({ lines: 3, longestLine: 4, removed: 3 });
});

test('one column gives way to two where very many lines were removed', () => {
  const look = { diffLayout: 'inline', wrap: false, ignoreWhitespace: true, ignoreLineEnds: true } as const;
  expect(diffOptions(look, { lines: 900, longestLine: 10, removed: 500 }).renderSideBySide).toBe(false);
  expect(diffOptions(look, { lines: 900, longestLine: 10, removed: 501 }).renderSideBySide).toBe(true);
});

test('numbers of an excerpt are those of the file, with room for the largest', () => {
  const number = lineNumbersOf([null, 98_000, 98_001]);
  expect(typeof number === 'function' ? [1, 2, 3, 9].map(number) : number).toEqual(['', '98000', '98001', '']);
  expect(lineNumbersOf(undefined)).toBe('on');
  expect([numberChars(9, undefined), numberChars(123_456, undefined), numberChars(3, [null, 98_001])]).toEqual([4, 7, 6]);
});

test('a frame pays for one task, the newest first, and a cancelled one is never run', () => {
  const frames: (() => void)[] = [];
  const queue = createFrameQueue((run) => frames.push(run));
  const ran: string[] = [];
  queue.add(() => ran.push('a'));
  const cancel = queue.add(() => ran.push('b'));
  queue.add(() => ran.push('c'));
  cancel();
  while (frames.length > 0) {
    frames.shift()?.();
    ran.push('|');
  }
  expect(ran).toEqual(['c', '|', 'a', '|']);
  const task = vi.fn();
  queue.add(task)();
  frames.shift()?.();
  expect(task).not.toHaveBeenCalled();
});

test('a hex dump shows sixteen bytes a row and dots for what cannot be shown', () => {
  expect(hexRows('48690a00ff')).toEqual([{ offset: '0000', bytes: '48 69 0a 00 ff'.padEnd(47), text: 'Hi···' }]);
  expect(hexRows('00'.repeat(256)).map((row) => row.offset)).toEqual(['0000', '0010', '0020', '0030']);
  expect(hexRows('')).toEqual([]);
});

test('lists are the same when they say the same', () => {
  expect(sameFiles([file()], [file()])).toBe(true);
  expect(sameFiles([file()], [file({ added: 2 })])).toBe(false);
  expect(sameFiles([file()], [])).toBe(false);
});

test('a step that was not captured never reads as a step without changes', () => {
  const view = makeView([
    { role: 'user', text: 'go' },
    { role: 'assistant', text: 'one', files: [] },
    { role: 'assistant', text: 'two', files: [] },
  ]);
  const second = view.steps[1];
  if (second === undefined) throw new Error('two steps were said');
  second.captured = reason('TREES_EQUAL', { files: 'a.txt' });
  const step = (id: string) => ({ kind: 'step', step: id }) as const;
  expect(emptyWords(step('s1'), 'Step 1', missingOf(step('s1'), view.steps)).title).toBe('No file changed in this step');
  const plan = { kind: 'plan', stop: 0 } as const;
  expect(emptyWords(plan, '', [], reason('NO_FILES_AFTER'))).toEqual({
    title: 'No file would change',
    text: 'No step after this message changed a file, so there is nothing to put back.',
  });
  expect(emptyWords(plan, '', []).text).toBe('Going back to here only hides messages.');
  expect(emptyWords(step('s2'), 'Step 2', missingOf(step('s2'), view.steps))).toEqual({
    title: 'Step 2 was not captured',
    text: 'Tools wrote a.txt in this step, but the snapshots before and after are equal: the change was not captured.',
  });
  const turn = { kind: 'turn', turn: 1 } as const;
  expect(missingOf(turn, view.steps).map((entry) => entry.step.id)).toEqual(['s2']);
  expect(stepsOfRange({ kind: 'steps', from: 's1', to: 's2' }, view.steps).length).toBe(2);
  expect(stepsOfRange({ kind: 'steps', from: 's2', to: 's1' }, view.steps)).toEqual([]);
});
