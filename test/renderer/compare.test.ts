import { beforeEach, describe, expect, test } from 'vitest';
import { commandOf, runCommand } from '../../renderer/commands.ts';
import { emptyWords, missingOf, missingWords } from '../../renderer/diff/empty-words.ts';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { compareFrom, compareWith, itemsOfCompare, swapCompared } from '../../renderer/store/compare.ts';
import { previewStop } from '../../renderer/store/preview.ts';
import { selectStep } from '../../renderer/store/selection.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import { reason } from '../../shared/errors.ts';
import type { FakeHost } from './fake-host.ts';
import { makeView } from './make-view.ts';
import { windowWith } from './reset.ts';

const view = makeView([
  { role: 'user', text: 'One' },
  { role: 'assistant', text: 'a', files: [{ path: 'a' }] },
  { role: 'user', text: 'Two' },
  { role: 'assistant', text: 'b', files: [{ path: 'b' }] },
]);

let host: FakeHost;
beforeEach(async () => {
  host = await windowWith(view);
  await selectStep('s2');
});

const asked = () => host.asked.filter(({ call }) => call === 'diff.files').map(({ input }) => (input as { range: object }).range);
const shown = () => changesStore.getState().range;

describe('comparing two stops', () => {
  test('the older one comes first, both are named, and Escape leads back to the step', async () => {
    compareFrom(4);
    expect(toastStore.getState().toast?.text).toBe('Comparing from message 4. Choose “Compare with here” at another place.');
    expect(shown()).toEqual({ kind: 'step', step: 's2' });
    await compareWith(1);
    expect(asked().at(-1)).toEqual({ kind: 'stops', from: 1, to: 4 });
    expect(changesStore.getState()).toMatchObject({ title: 'Message 1 → message 4', phase: 'ready' });
    await swapCompared();
    expect(shown()).toEqual({ kind: 'stops', from: 4, to: 1 });
    runCommand('leave');
    expect(shown()).toEqual({ kind: 'step', step: 's2' });
    expect(sessionStore.getState()).toMatchObject({ mark: null, selection: { turn: 2, step: 's2', anchor: null } });
  });

  test('the files on disk are always the second side', async () => {
    compareFrom(0);
    await compareWith(null);
    expect(changesStore.getState()).toMatchObject({ range: { kind: 'stops', from: 0, to: null }, title: 'Start → now' });
    expect(commandOf('compare-swap').off()).toBe('Compare two messages first.');
    await swapCompared();
    expect(shown()).toEqual({ kind: 'stops', from: 0, to: null });
  });

  test('the cursor chooses a side, springs back, and the marked side stays for the next comparison', async () => {
    runCommand('compare-with');
    expect(toastStore.getState().toast?.text).toBe('Choose “Compare from here” at another place first.');
    previewStop(1);
    runCommand('compare-from');
    runCommand('compare-with');
    expect(toastStore.getState().toast?.text).toBe('Message 1 is the other side already. Choose another place.');
    previewStop(3);
    runCommand('compare-with');
    expect(shown()).toEqual({ kind: 'stops', from: 1, to: 3 });
    previewStop(2);
    runCommand('leave');
    expect(shown()).toEqual({ kind: 'stops', from: 1, to: 3 });
    runCommand('compare-now');
    expect(shown()).toEqual({ kind: 'stops', from: 1, to: null });
  });

  test('choosing a step ends the comparison', async () => {
    compareFrom(1);
    await compareWith(4);
    await selectStep('s1');
    expect(shown()).toEqual({ kind: 'step', step: 's1' });
  });

  test('rows without a stop say why they cannot be a side', () => {
    const offs = () => itemsOfCompare(null, 'It is no place to stand any more.').map(({ off }) => off);
    expect(offs()).toEqual(['It is no place to stand any more.', 'It is no place to stand any more.']);
    expect(itemsOfCompare(2, '').map(({ off }) => off)).toEqual([null, 'Choose “Compare from here” at another place first.']);
    compareFrom(2);
    expect(itemsOfCompare(2, '').map(({ off }) => off)).toEqual([null, 'This is the side that was marked.']);
    expect(itemsOfCompare(4, '')[1]).toMatchObject({ label: 'Compare with here, from message 2', off: null });
  });
});

test('steps in between that were not captured are named with their reason', () => {
  const steps = view.steps.map((step) => (step.id === 's1' ? { ...step, captured: reason('TREES_EQUAL', { files: 'a' }) } : step));
  const range = { kind: 'stops', from: 0, to: null } as const;
  const lost = missingOf(range, steps);
  expect(missingWords(range, lost)).toMatch(
    /^Step 1 in between was not captured, so a change of its files may be missing here\. Tools wrote a in this step/,
  );
  expect(emptyWords(range, '', lost)).toMatchObject({ title: 'No file differs', text: missingWords(range, lost) });
  expect(emptyWords(range, '', [])).toMatchObject({ text: 'The files are the same at both places.' });
  expect(missingOf({ kind: 'stops', from: 4, to: 2 }, steps)).toEqual([]);
});
