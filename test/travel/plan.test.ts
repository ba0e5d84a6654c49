import { expect, test } from 'vitest';
import { ABSENT } from '../../electron/travel/content.ts';
import type { Draft, DraftFile } from '../../electron/travel/draft.ts';
import type { Intention } from '../../electron/travel/intention.ts';
import { filesRefusal, planOf } from '../../electron/travel/plan.ts';
import { reason } from '../../shared/errors.ts';
import { draftFile, drifted, file } from './drafts.ts';

const intention = (more: Partial<Intention> = {}): Intention => ({
  request: { kind: 'revert', stop: 3, entry: null, scope: 'both' },
  target: { messageId: 'm', stop: 3, words: 'message 3' },
  turns: [2, 3],
  messages: 4,
  sideEffects: [{ turn: 2, tool: 'bash', summary: 'rm x' }],
  notes: ['A note.'],
  refusal: null,
  scoped: null,
  conversation: { how: 'none' },
  covers: [],
  supersedes: null,
  standingFrom: null,
  ended: null,
  listed: null,
  base: null,
  takes: [],
  ...more,
});
const draft = (files: DraftFile[], more: Partial<Draft> = {}): Draft => ({ files, skipped: [], already: [], ...more });
const stuck = drifted('stuck', { choice: 'keep', choices: ['keep'], why: 'A folder.' });

test('a plan lists everything in the order of its paths', () => {
  const files = [
    drifted('c'),
    draftFile('a', { target: ABSENT, merged: ABSENT }),
    draftFile('b', { disk: ABSENT }),
    drifted('d', { choice: 'keep', choices: ['keep', 'overwrite'], target: ABSENT, merged: null }),
  ];
  const skipped = [
    { path: 'z', why: 'Z.' },
    { path: 'y', why: 'Y.' },
    { path: 'y', why: 'Again.' },
  ];
  const counts = new Map([['c', { added: 1, removed: 2, binary: true }]]);
  expect(planOf(intention(), draft(files, { skipped }), counts, 'print')).toEqual({
    kind: 'revert',
    target: { messageId: 'm', stop: 3 },
    scope: 'both',
    turns: [2, 3],
    messages: 4,
    files: [
      {
        path: 'a',
        verb: 'delete',
        drift: false,
        choice: 'write',
        choices: ['write', 'keep'],
        why: null,
        added: null,
        removed: null,
        binary: false,
      },
      {
        path: 'b',
        verb: 'recreate',
        drift: false,
        choice: 'write',
        choices: ['write', 'keep'],
        why: null,
        added: null,
        removed: null,
        binary: false,
      },
      {
        path: 'c',
        verb: 'restore',
        drift: true,
        choice: 'merge',
        choices: ['merge', 'keep', 'overwrite'],
        why: 'It drifted.',
        added: 1,
        removed: 2,
        binary: true,
      },
      // What is kept shows what a write would do.
      {
        path: 'd',
        verb: 'delete',
        drift: true,
        choice: 'keep',
        choices: ['keep', 'overwrite'],
        why: 'It drifted.',
        added: null,
        removed: null,
        binary: false,
      },
    ],
    sideEffects: [{ turn: 2, tool: 'bash', summary: 'rm x' }],
    skipped: [skipped[1], skipped[2], skipped[0]],
    notes: ['A note.'],
    refusal: null,
    fingerprint: 'print',
  });
});

test('a plan without files in scope has none, and no recall of its own', () => {
  const plan = planOf(intention({ conversation: { how: 'append' } }), null, new Map(), 'f');
  expect([plan.files, plan.skipped, plan.refusal, 'recall' in plan]).toEqual([[], [], null, false]);
  const shown = { text: 't', log: 'none' as const, changed: [] };
  expect(planOf(intention({ recall: { shown, lists: null, mayBeBack: new Set() } }), null, new Map(), 'f').recall).toEqual(shown);
});

test('the intention’s own refusal comes first', () => {
  expect(planOf(intention({ refusal: reason('NOT_IDLE') }), draft([]), new Map(), 'f').refusal?.code).toBe('NOT_IDLE');
  expect(planOf(intention(), draft([]), new Map(), 'f').refusal?.code).toBe('NO_FILES_AFTER');
});

test('why no file can be written', () => {
  const none = intention();
  const messages = intention({ conversation: { how: 'append' } });
  expect(filesRefusal(none, null)).toBeNull();
  expect(filesRefusal(none, draft([draftFile('a')]))).toBeNull();
  expect(filesRefusal(none, draft([stuck, drifted('b', { choice: 'keep' })]))).toBeNull();
  expect(filesRefusal(none, draft([]))?.code).toBe('NO_FILES_AFTER');
  expect(filesRefusal(none, draft([], { already: ['a'] }))?.code).toBe('FILES_ALREADY_THERE');
  expect([filesRefusal(messages, draft([])), filesRefusal(messages, draft([], { already: ['a'] }))]).toEqual([null, null]);
  // Nothing of many can be written: the first is named, be messages meant to go or not.
  for (const meant of [none, messages]) {
    expect(filesRefusal(meant, draft([stuck]))).toEqual(reason('NOTHING_CAN_GO_BACK', { count: 1, path: 'stuck', cause: 'A folder.' }));
    expect(filesRefusal(meant, draft([stuck], { skipped: [{ path: 'f\n', why: 'Gone.' }] }))).toEqual(
      reason('NOTHING_CAN_GO_BACK', { count: 2, path: 'f\\n', cause: 'Gone.' }),
    );
  }
  expect(filesRefusal(none, draft([draftFile('x', { choice: 'keep', choices: ['keep'], disk: file('b') })]))).toEqual(
    reason('NOTHING_CAN_GO_BACK', { count: 1, path: 'x', cause: '' }),
  );
});
