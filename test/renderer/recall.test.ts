import { describe, expect, test } from 'vitest';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { previewStop } from '../../renderer/store/preview.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import { takeBack } from '../../renderer/store/take-back.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import { planAgain, revertTo, runGate } from '../../renderer/store/travel.ts';
import { travelStore } from '../../renderer/store/travel-store.ts';
import { changedByTurn, type RecallPlan, recallButton, recallSentence } from '../../renderer/travel/recall-words.ts';
import { wayOutOf } from '../../renderer/travel/way-out.ts';
import { reason } from '../../shared/errors.ts';
import type { Plan, RecallShown } from '../../shared/plan.ts';
import { makePlan, makeResult, planFile } from './make-plan.ts';
import { headOf, makeView, type Say } from './make-view.ts';
import { windowWith } from './reset.ts';

const says: Say[] = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a' },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'b' },
];
const view = () => makeView(says, { head: headOf({ source: 'dsh', id: 'dsh:s' }) });

const shown = (over: Partial<RecallShown> = {}): RecallShown => ({ text: 'two', log: 'appended', changed: [], ...over });
const recallPlan = (over: Partial<Plan> = {}, recall: Partial<RecallShown> = {}): RecallPlan => ({
  ...makePlan(2, { kind: 'recall', scope: 'messages', ...over }),
  recall: shown(recall),
});
const changed = [
  { turn: 3, path: 'a', added: 1, removed: 0, binary: false },
  { turn: 1, path: 'a', added: 1, removed: 1, binary: false },
  { turn: 1, path: 'b', added: 0, removed: 0, binary: true },
];

describe('going back in a DSH thread', () => {
  test('leaves the files unless they are asked for, and always asks first: what the agent forgets does not come back', async () => {
    const host = await windowWith(view(), { 'travel.preview': ({ scope }) => recallPlan({ scope }) });
    await revertTo(2);
    expect(host.asked.find(({ call }) => call === 'travel.preview')?.input).toMatchObject({ kind: 'revert', stop: 2, scope: 'messages' });
    expect([travelStore.getState().gate?.phase, host.times('travel.run')]).toEqual(['ready', 0]);
    await planAgain({ scope: 'both' });
    expect(travelStore.getState().gate?.request.scope).toBe('both');
  });

  test('taking a prompt back and looking by the cursor ask for the same plan', async () => {
    const host = await windowWith(view(), {
      'travel.preview': ({ scope }) => recallPlan({ scope }),
      'thread.message': () => ({ id: 'm3', parts: [{ kind: 'text', text: 'two' }] }),
      'clipboard.write': () => ({}),
    });
    previewStop(2);
    await expect.poll(() => cursorStore.getState().planPhase).toBe('ready');
    const [, , prompt] = sessionStore.getState().view?.messages ?? [];
    if (prompt === undefined) throw new Error('no prompt');
    await takeBack(prompt);
    expect(travelStore.getState().gate?.plan?.kind).toBe('recall');
    expect(host.asked.filter(({ call }) => call === 'travel.preview').map(({ input }) => (input as { scope: string }).scope)).toEqual([
      'messages',
    ]);
  });

  test.each([
    ['planned', 'pending', [], 'Drop'],
    ['done, with files', 'appended', [{ path: 'a', outcome: 'written', why: null }], 'Bring files back'],
    ['done', 'appended', [], 'Copy text'],
  ] as const)('%s: the message offers what can still be done', async (_, log, files, label) => {
    await windowWith(view(), { 'travel.preview': () => recallPlan(), 'travel.run': () => makeResult({ log, files: [...files] }) });
    await revertTo(2);
    await runGate();
    expect(toastStore.getState().toast?.action?.label).toBe(label);
  });

  test('a plan that is not yet effective moves nothing: the thread still stands at its end', async () => {
    const standing = { messageId: 'm2', stop: 2, hidden: 2, files: null, now: null, pending: 'waits' as const };
    await windowWith({ ...view(), standing });
    expect(cursorStore.getState()).toMatchObject({ here: 4, ghostsAfter: Number.POSITIVE_INFINITY });
    await windowWith({ ...view(), standing: { messageId: 'm2', stop: 2, hidden: 2, files: null, now: null } });
    expect(cursorStore.getState()).toMatchObject({ here: 2, ghostsAfter: 1 });
  });
});

describe('the words of a recall', () => {
  test.each([
    [recallPlan(), "2 messages leave the agent's memory, for good; the text can be copied.", 'Take back 2 messages'],
    [
      recallPlan({ messages: 1, scope: 'both', files: [planFile('a')] }, { log: 'pending' }),
      "1 message leaves the agent's memory when DSH opens the next step; until then you can drop this plan. 1 file goes back to before these turns.",
      'Plan to take back 1 message and restore 1 file',
    ],
    [
      recallPlan({ scope: 'files', messages: 0, files: [planFile('a'), planFile('b')] }, { log: 'none' }),
      '2 files go back to before these turns. The conversation stays; you can undo this.',
      'Restore 2 files',
    ],
    [recallPlan({ scope: 'files' }, { log: 'none' }), 'No file changes. The conversation stays; you can undo this.', 'Restore nothing'],
  ])('say when it takes effect and what comes back (%#)', (plan, sentence, button) => {
    expect([recallSentence(plan), recallButton(plan)]).toEqual([sentence, button]);
  });

  test('name the files turn by turn', () => {
    expect(changedByTurn(recallPlan({}, { changed })).map(({ turn, files }) => [turn, files.map((file) => file.path)])).toEqual([
      [3, ['a']],
      [1, ['a', 'b']],
    ]);
  });

  test('a refusal has its way out', () => {
    const ways = (['NOT_RESTORABLE', 'CONFLICT', 'OUTSIDE_WORKSPACE', 'RECALL_PLANNED', 'CHANGES_NOT_READY', 'CHANGES_LOST'] as const).map(
      (code) => wayOutOf(reason(code), 'revert'),
    );
    expect(ways).toEqual(['messages-only', 'messages-only', 'messages-only', 'drop', 'again', 'none']);
  });
});
