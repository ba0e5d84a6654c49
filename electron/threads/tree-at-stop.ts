import { TurnbackError } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';

/** Steps of the conversation as it is or was before the standing revert: a branch that was dropped or undone is no part of it. */
export const isLive = (step: Step): boolean => step.hidden === null || step.hidden.reason === 'reverted';

/** Throws NOT_CAPTURED for a step whose snapshots do not show what it changed. */
export function refuseNotCaptured(step: Step): void {
  if (step.captured === null || step.captured === true) return;
  throw new TurnbackError('NOT_CAPTURED', { step: step.index, cause: step.captured.message.replace(/\.$/, '') });
}

/** The stop as it is; UNKNOWN_MESSAGE for one that the conversation does not have. */
function checkStop(thread: Thread, stop: number): number {
  const last = thread.messages.reduce((most, message) => Math.max(most, message.stop ?? 0), 0);
  if (Number.isInteger(stop) && stop >= 0 && stop <= last) return stop;
  throw new TurnbackError('UNKNOWN_MESSAGE', { id: `stop:${stop}` });
}

/** The live steps that lie before a stop, in the order of the log. UNKNOWN_MESSAGE for a stop that is not there. */
export function stepsUpTo(thread: Thread, stop: number): Step[] {
  checkStop(thread, stop);
  return thread.steps.filter((step) => isLive(step) && step.stop !== null && step.stop <= stop);
}

/** The live steps between two stops, whichever is earlier; `to` null: up to the end. */
export function stepsBetween(thread: Thread, from: number, to: number | null): Step[] {
  const [a, b] = [checkStop(thread, from), to === null ? Number.POSITIVE_INFINITY : checkStop(thread, to)];
  const [first, last] = [Math.min(a, b), Math.max(a, b)];
  return thread.steps.filter((step) => isLive(step) && step.stop !== null && step.stop > first && step.stop <= last);
}

/**
 * The tree that holds the files as they were at a stop: what the last step before it left; at stop 0, what the first step
 * found. Null when no step has snapshots. Throws NOT_CAPTURED when that step was not captured: the state is not known then.
 */
export function treeAtStop(thread: Thread, stop: number): string | null {
  for (const step of stepsUpTo(thread, stop).reverse()) {
    refuseNotCaptured(step);
    if (step.to !== null) return step.to;
  }
  for (const step of thread.steps) {
    if (!isLive(step) || step.stop === null) continue;
    if (step.from !== null) return step.from;
    refuseNotCaptured(step);
  }
  return null;
}
