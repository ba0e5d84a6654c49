import { expect, test } from 'vitest';
import { choiceWords, keptWords, markedWhy } from '../../../renderer/travel/choice-words.ts';
import { planFile } from '../make-plan.ts';

test.each([
  ['restore', ['Merge: my edit stays', 'Keep mine: leave it', 'Overwrite my edit']],
  ['delete', ['Merge: my edit stays', 'Keep mine: leave it', 'Delete it anyway']],
  // Nothing stands on the disk: nothing is mine, and nothing is written over.
  ['recreate', ['Bring it back: my edit stays', 'Leave it absent', 'Bring it back without my edit']],
] as const)('the choices for a drifted file whose verb is %s', (verb, words) => {
  const file = planFile('a', { verb, drift: true, choices: ['merge', 'keep', 'overwrite'] });
  expect((['merge', 'keep', 'overwrite'] as const).map((choice) => choiceWords(file, choice))).toEqual(words);
});

test('a file that can come back in one way only comes back', () => {
  for (const choices of [
    ['write', 'keep'],
    ['keep', 'overwrite'],
    ['merge', 'keep'],
  ] as const) {
    const file = planFile('a', { verb: 'recreate', choices: [...choices] });
    expect(choices.map((choice) => choiceWords(file, choice))).toEqual(
      choices.map((choice) => (choice === 'keep' ? 'Leave it absent' : 'Bring it back')),
    );
  }
});

test.each([
  ['restore', ['Keep', 'Leave this file', 'Left as it is', 'It stays as it is now.', 'Your edit is kept in the undo point.']],
  ['delete', ['Keep', 'Leave this file', 'Left as it is', 'It stays as it is now.', 'Your edit is kept in the undo point.']],
  ['recreate', ['Absent', 'Leave it absent', 'Left absent', 'It stays absent.', 'An undo takes it away again.']],
] as const)('what a file is called that is left alone, its verb being %s', (verb, words) => {
  expect(Object.values(keptWords(planFile('a', { verb })))).toEqual(words);
});

test('a sentence on a drifted file says once that it was changed', () => {
  expect(markedWhy('It was changed since; yours stays.')).toEqual({ mark: 'It was changed since', rest: '; yours stays.' });
  expect(markedWhy('It was deleted since.')).toEqual({ mark: 'It was deleted since', rest: '.' });
  expect(markedWhy('The agent deleted it, and another file stands in its place now.')).toEqual({
    mark: 'Changed since',
    rest: ' The agent deleted it, and another file stands in its place now.',
  });
  expect(markedWhy(null)).toEqual({ mark: 'Changed since', rest: '' });
});
