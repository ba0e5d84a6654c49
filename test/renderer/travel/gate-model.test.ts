import { expect, test } from 'vitest';
import {
  buttonText,
  choiceOf,
  doesNothing,
  effectsText,
  gateSentence,
  hasScope,
  titleText,
  totalsOf,
  writtenFiles,
} from '../../../renderer/travel/gate-model.ts';
import { showClock } from '../../../renderer/ui/words.ts';
import { makePlan, planFile } from '../make-plan.ts';

const AT = Date.UTC(2026, 10, 30, 9, 41);
const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => planFile(path));
const drifted = planFile('edited', { drift: true, choice: 'merge', choices: ['merge', 'keep', 'overwrite'], added: 5, removed: 1 });

test('the sentence says files, time, messages, and that it can be undone', () => {
  expect(gateSentence(makePlan(3, { files: six, messages: 9 }), {}, AT)).toBe(
    `6 files go back to ${showClock(AT)}; 9 messages are hidden; you can undo this.`,
  );
  expect(gateSentence(makePlan(3, { files: six.slice(0, 1), messages: 1 }), {}, null)).toBe(
    '1 file goes back; 1 message is hidden; you can undo this.',
  );
  expect(gateSentence(makePlan(3, { files: six, messages: 9, scope: 'files' }), {}, null)).toBe('6 files go back; you can undo this.');
  expect(gateSentence(makePlan(3, { files: [], messages: 2, scope: 'messages' }), {}, AT)).toBe(
    '2 messages are hidden; you can undo this.',
  );
  expect(gateSentence(makePlan(3, { files: [drifted], messages: 2 }), { edited: 'keep' }, AT)).toBe(
    'No file changes; 2 messages are hidden; you can undo this.',
  );
});

test('coming forward has its own words', () => {
  expect(gateSentence(makePlan(null, { kind: 'unrevert', files: six, messages: 9 }), {}, null)).toBe(
    '6 files come back as they were before; 9 messages are shown again; you can undo this.',
  );
  expect(gateSentence(makePlan(null, { kind: 'restore', files: six.slice(0, 1), messages: 0, scope: 'files' }), {}, null)).toBe(
    '1 file goes back to before this travel; you can undo this.',
  );
});

test.each([
  ['revert', 'Revert 6 files'],
  ['recall', 'Take back 6 files'],
  ['unrevert', 'Unrevert 6 files'],
  ['undo', 'Undo 6 files'],
  ['redo', 'Redo 6 files'],
  ['restore', 'Restore 6 files'],
  ['partial', 'Bring back 6 files'],
] as const)('the button of %s says what the press will do', (kind, text) => {
  expect(buttonText(makePlan(3, { kind, files: six }), {})).toBe(text);
});

test('a file that is left alone is not counted', () => {
  const plan = makePlan(3, { files: [...six, drifted] });
  expect(buttonText(plan, {})).toBe('Revert 7 files');
  expect(buttonText(plan, { a: 'keep', edited: 'keep' })).toBe('Revert 5 files');
  expect(writtenFiles(plan, { a: 'keep' }).map((file) => file.path)).not.toContain('a');
});

test('without files it is about messages, and without both it does nothing', () => {
  expect(buttonText(makePlan(3, { messages: 9 }), {})).toBe('Hide 9 messages');
  expect(buttonText(makePlan(3, { messages: 1, kind: 'unrevert' }), {})).toBe('Show 1 message');
  expect(doesNothing(makePlan(3, { messages: 9 }), {})).toBe(false);
  const onlyKept = makePlan(3, { files: [drifted], messages: 0 });
  expect([doesNothing(onlyKept, {}), doesNothing(onlyKept, { edited: 'keep' })]).toEqual([false, true]);
  expect(doesNothing(makePlan(3, { files: [drifted], messages: 4, scope: 'files' }), { edited: 'keep' })).toBe(true);
});

test("the plan's own choice stands until another is made, also for names of the prototype", () => {
  const odd = planFile('__proto__', { drift: true, choice: 'merge', choices: ['merge', 'keep'] });
  expect(choiceOf(drifted, {})).toBe('merge');
  expect(choiceOf(drifted, { edited: 'overwrite' })).toBe('overwrite');
  expect(choiceOf(odd, {})).toBe('merge');
  expect(choiceOf(odd, { ['__proto__']: 'keep' })).toBe('keep');
  expect(choiceOf(planFile('toString'), {})).toBe('write');
});

test('sums leave out what is kept and what is binary', () => {
  const plan = makePlan(3, {
    files: [...six, drifted, planFile('gone', { verb: 'delete' }), planFile('bin', { binary: true, added: null, removed: null })],
  });
  expect(totalsOf(plan, { a: 'keep' })).toEqual({ added: 11, removed: 13, drifted: 1, deleted: 1 });
});

test('the title names the message, cut and on one line', () => {
  expect(titleText('revert', 'Fix the\n login form', 4)).toBe('Revert to “Fix the login form”');
  expect(titleText('revert', '', 0)).toBe('Revert to the start');
  expect(titleText('revert', '', 12)).toBe('Revert to message 12');
  expect(titleText('revert', 'x'.repeat(200), 4)).toBe(`Revert to “${'x'.repeat(89)}…”`);
  expect(titleText('undo', '', null)).toBe('Undo the last turn');
});

test('only what goes to a message has a scope', () => {
  expect((['revert', 'recall', 'unrevert', 'undo', 'redo', 'restore'] as const).map(hasScope)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('side effects are copied word for word', () => {
  const plan = makePlan(3, {
    sideEffects: [
      { turn: 2, tool: 'bash', summary: 'rm -rf "a b"' },
      { turn: 3, tool: 'mcp', summary: '{}' },
    ],
  });
  expect(effectsText(plan)).toBe('turn 2\tbash\trm -rf "a b"\nturn 3\tmcp\t{}');
});
