import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runTravel } from '../../electron/travel/travel.ts';
import { record } from '../figures.ts';
import type { DshSample } from '../scenarios/dsh.ts';
import { dshSession, openWithoutWrites } from '../scenarios/dsh-session.ts';
import { DEFAULTS, revertTo } from '../travel/tanstack-travelling.ts';
import { dshReference } from './dsh-reference.ts';

const SAMPLES: DshSample[] = ['session-sample-a', 'session-sample-a-recalled', 'session-sample-b', 'session-sample-b-open'];

/** Whether somebody still works in a turn without an end, its log cannot tell. */
const OPEN = new Set<string>(['running', 'unknown', 'interrupted']);
const ENDED = new Set<string>(['completed', 'failed', 'aborted', 'interrupted']);

async function compare(log: string, context: Awaited<ReturnType<Awaited<ReturnType<typeof dshSession>>['context']>>): Promise<number> {
  const reference = dshReference(await readFile(log, 'utf8'));
  const { turns, steps, messages } = context.thread.thread();
  expect(turns.map((turn) => turn.index)).toEqual(reference.turns.map(({ turn }) => turn));
  for (const [at, { open }] of reference.turns.entries()) expect((open ? OPEN : ENDED).has(turns[at]?.status ?? '')).toBe(true);
  expect(turns.map((turn) => steps.filter((step) => step.turn === turn.index).length)).toEqual(reference.turns.map((turn) => turn.steps));
  const theirs = reference.messages.filter((message) => message.role === 'user');
  const ours = messages.filter(
    (message) => message.role === 'user' && message.turn !== null && theirs.some((one) => one.id === message.id),
  );
  expect(ours.map(({ id, hidden }) => [id, hidden?.reason === 'recalled'])).toEqual(theirs.map(({ id, recalled }) => [id, recalled]));
  const answers = (list: readonly { role: string; gone: boolean }[]) =>
    list.filter((one) => one.role === 'assistant').map((one) => one.gone);
  expect(answers(messages.map(({ role, hidden }) => ({ role, gone: hidden?.reason === 'recalled' })))).toEqual(
    answers(reference.messages.map(({ role, recalled }) => ({ role, gone: recalled }))),
  );
  return reference.messages.length;
}

test.each(SAMPLES)('%s: turns, steps and recalled messages are those of the reference', async (sample) => {
  const session = await dshSession(sample);
  expect(await compare(session.log, await session.context())).toBeGreaterThan(0);
});

test('so they are after a recall of ours', async () => {
  const session = await openWithoutWrites();
  const context = await session.context();
  await runTravel(context, revertTo(8, 'messages'), DEFAULTS);
  await compare(session.log, await session.context());
  record('differential', 'DSH logs as by the reference', SAMPLES.length + 1);
});
