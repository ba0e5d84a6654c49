import { expect } from 'vitest';
import type { Thread } from '../../shared/model.ts';
import type { ReferenceFold } from './tanstack-reference.ts';

/** The product's view of the same log, in the words of the reference. */
export function compareFold(thread: Thread, fold: ReferenceFold): void {
  // A record that nobody knows is shown raw (16), as the system's.
  const shown = thread.messages.filter((message) => message.hidden === null && message.role !== 'system');
  expect(shown.map((message) => message.role)).toEqual(fold.visible.map((message) => message.role));
  const named = (list: readonly { id: string | null; role: string }[]) => list.filter((one) => one.role !== 'tool').map((one) => one.id);
  expect(named(shown)).toEqual(named(fold.visible));
  expect(thread.standing?.messageId ?? null).toEqual(fold.standing);
  expect(thread.standing?.hidden ?? 0).toBe(fold.messages.length - fold.visible.length);
  const steps = thread.steps.filter((step) => step.from !== null && step.to !== null);
  expect(steps.map(({ from, to, toolCallIds, listed: files }) => ({ from, to, files, toolCallIds }))).toEqual(fold.steps);
  // Steps of messages that are hidden are hidden, those of others are not; one of the first era names no call.
  const calls = new Set(fold.visible.flatMap((message) => message.calls));
  const told = steps.filter((step) => step.toolCallIds.length > 0);
  for (const step of told) expect([step.id, step.hidden === null]).toEqual([step.id, step.toolCallIds.some((id) => calls.has(id))]);
  expect(thread.turns.map((turn) => [turn.prompt, turn.status])).toEqual(fold.turns.map((turn) => [turn.prompt, turn.outcome]));
}
