import { expect, test } from 'vitest';
import { headOfChild, readChild } from '../../renderer/store/child-threads.ts';
import { closeThread } from '../../renderer/store/session.ts';
import { takeBack } from '../../renderer/store/take-back.ts';
import { takenBackStore } from '../../renderer/store/taken-back-store.ts';
import { threadsStore } from '../../renderer/store/threads-store.ts';
import { closeGate } from '../../renderer/store/travel.ts';
import { makePlan, planFile } from './make-plan.ts';
import { headOf, makeView } from './make-view.ts';
import { windowWith } from './reset.ts';

const parent = makeView([
  { role: 'user', text: 'find it' },
  { role: 'assistant', text: 'a', tools: [{ name: 'task', child: 'c1' }] },
]);
const child = headOf({ id: 'tanstack:c1', threadId: 'c1', parent: 't1', title: 'Find it' });

test('a sub-agent’s thread is looked for in the list, read once, and closed with its parent', async () => {
  const host = await windowWith(parent, {
    'thread.open': ({ thread }) => (thread === child.id ? makeView([{ role: 'user', text: 'x' }], { head: child }) : parent),
    'threads.list': () => ({ threads: [parent.head, child, headOf({ id: 'dsh:c1', source: 'dsh', threadId: 'c1' })], problems: [] }),
  });
  await readChild('c1');
  await readChild('c1');
  const asked = (call: string): unknown[] => host.asked.filter((entry) => entry.call === call).map(({ input }) => input);
  expect(asked('thread.open')).toMatchObject([{ thread: parent.head.id }, { thread: 'tanstack:c1' }]);
  expect(headOfChild(threadsStore.getState().threads, 'c1')).toEqual(child);
  closeThread();
  await expect.poll(() => asked('thread.close')).toEqual([{ thread: parent.head.id }, { thread: 'tanstack:c1' }]);
});

test('the text of a prompt that was to be taken back is forgotten when the travel is given up', async () => {
  await windowWith(parent, {
    'thread.message': () => ({ id: 'm1', parts: [{ kind: 'text', text: 'find it' }] }),
    'clipboard.write': () => ({}),
    'travel.preview': () => makePlan(0, { files: [planFile('x')] }),
  });
  const [prompt] = parent.messages;
  if (prompt === undefined) throw new Error('no prompt');
  await takeBack(prompt);
  expect(takenBackStore.getState().text).toBe('find it');
  closeGate();
  expect(takenBackStore.getState().text).toBeNull();
});
