import { expect, test } from 'vitest';
import { readBody } from '../../renderer/store/bodies.ts';
import { bodiesStore } from '../../renderer/store/bodies-store.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import { stopBefore, takeBack } from '../../renderer/store/take-back.ts';
import { estimateRow } from '../../renderer/transcript/estimate-row.ts';
import { NO_LINE, positionOfMessage, rowsOf } from '../../renderer/transcript/rows.ts';
import { reason } from '../../shared/errors.ts';
import { Refusal } from './fake-host.ts';
import { makePlan } from './make-plan.ts';
import { makeView, type Say } from './make-view.ts';
import { windowWith } from './reset.ts';

const says: Say[] = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a', hidden: 'compacted' },
  { role: 'assistant', text: 'b', hidden: 'compacted' },
  { role: 'assistant', text: 'c', hidden: 'undone' },
  { role: 'user', text: 'two', divider: 'compaction' },
  { role: 'assistant', text: 'd', hidden: 'reverted' },
];
const none: ReadonlySet<string> = new Set();

test('messages that are gone fold into one row a reason; those of a standing revert stay', () => {
  const view = makeView(says, { bad: [{ line: 7, bytes: 18, why: 'it is no JSON' }] });
  expect(rowsOf(view, none).map((row) => [row.kind, row.key, row.at, row.last])).toEqual([
    ['message', 'm1', 0, 0],
    ['group', 'g:m2', 1, 2],
    ['group', 'g:m4', 3, 3],
    ['divider', 'd:m5', 4, NO_LINE],
    ['message', 'm5', 4, 4],
    ['message', 'm6', 5, 5],
    ['bad', 'b:7', 6, NO_LINE],
  ]);
});

test('records between messages that were taken back fold with them, and are not counted', () => {
  const view = makeView([
    { role: 'user', text: 'one' },
    { role: 'user', text: 'two', hidden: 'recalled' },
    { role: 'system', text: 'todo list' },
    { role: 'assistant', text: 'a', hidden: 'recalled' },
    { role: 'system', text: 'queued' },
    { role: 'user', text: 'three' },
  ]);
  for (const at of [2, 4]) Object.assign(view.messages[at] ?? {}, { stop: null });
  expect(rowsOf(view, new Set()).map((row) => [row.kind, row.key, row.at, row.last, row.kind === 'group' ? row.count : 1])).toEqual([
    ['message', 'm1', 0, 0, 1],
    ['group', 'g:m2', 1, 3, 2],
    ['message', 'm5', 4, 4, 1],
    ['message', 'm6', 5, 5, 1],
  ]);
});

test('an open group is followed by its messages, and the cursor’s line belongs to them', () => {
  const rows = rowsOf(makeView(says), new Set(['m2']));
  expect(rows.slice(1, 4).map((row) => [row.key, row.last])).toEqual([
    ['g:m2', NO_LINE],
    ['m2', 1],
    ['m3', 2],
  ]);
});

test('a message is found at its row, or at the group that folds it', () => {
  const view = makeView(says, { bad: [{ line: 7, bytes: 18, why: 'x' }] });
  const rows = rowsOf(view, none);
  const found = (at: number): string | undefined => rows[positionOfMessage(rows, at)]?.key;
  expect([0, 1, 2, 3, 4, 5].map(found)).toEqual(['m1', 'g:m2', 'g:m2', 'g:m4', 'm5', 'm6']);
  expect(positionOfMessage([], 0)).toBe(-1);
});

test('a guess at the height grows with what is in the row, and has a limit', () => {
  const [short, long, tools] = rowsOf(
    makeView([
      { role: 'user', text: 'x' },
      { role: 'assistant', text: 'word '.repeat(100_000) },
      { role: 'assistant', text: '', tools: [{}, {}] },
    ]),
    none,
  );
  expect(estimateRow(short)).toBe(64);
  expect(estimateRow(long)).toBeLessThan(700);
  expect(estimateRow(tools)).toBe(44 + 68);
});

test('a body is read once, again when the message grew, and a failed one only when asked', async () => {
  let fail = true;
  const host = await windowWith(makeView(says), {
    'thread.message'({ message }) {
      if (message === 'm5' && fail) throw new Refusal(reason('LOG_UNREADABLE', { path: '/l' }));
      return { id: message, parts: [{ kind: 'text', text: 'whole' }] };
    },
  });
  const [first, , , , fifth] = sessionStore.getState().view?.messages ?? [];
  if (first === undefined || fifth === undefined) throw new Error('no message');
  await Promise.all([readBody(first), readBody(first)]);
  await readBody(first);
  expect(host.times('thread.message')).toBe(1);
  await readBody({ ...first, bytes: 99 });
  expect(host.times('thread.message')).toBe(2);
  await readBody(fifth);
  await readBody(fifth);
  expect(bodiesStore.getState().bodies.get('m5')).toMatchObject({ phase: 'failed', error: { code: 'LOG_UNREADABLE' } });
  expect(host.times('thread.message')).toBe(3);
  fail = false;
  await readBody(fifth, true);
  expect(bodiesStore.getState().bodies.get('m5')?.phase).toBe('ready');
});

test('no more than 300 bodies are kept, the newest', async () => {
  const many = makeView(Array.from({ length: 320 }, (): Say => ({ role: 'assistant', text: 'x' })));
  await windowWith(many, { 'thread.message': ({ message }) => ({ id: message, parts: [] }) });
  for (const message of many.messages) await readBody(message);
  const kept = [...bodiesStore.getState().bodies.keys()];
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([300, 'm21', 'm320']);
});

test('a prompt is taken back to the stop before it, its text first', async () => {
  const host = await windowWith(makeView(says), {
    'thread.message': ({ message }) => ({
      id: message,
      parts: [
        { kind: 'thinking', text: 'no' },
        { kind: 'text', text: 'two' },
      ],
    }),
    'clipboard.write': () => ({}),
    'travel.preview': ({ stop }) => makePlan(stop, { refusal: reason('NOT_IDLE') }),
  });
  const [first, , , , fifth] = sessionStore.getState().view?.messages ?? [];
  if (first === undefined || fifth === undefined) throw new Error('no message');
  expect(stopBefore(first)).toBe(0);
  expect(stopBefore(fifth)).toBe(1);
  await takeBack(fifth);
  expect(host.asked.find(({ call }) => call === 'clipboard.write')?.input).toEqual({ text: 'two' });
  expect(host.asked.find(({ call }) => call === 'travel.preview')?.input).toMatchObject({ kind: 'revert', stop: 1 });
});
