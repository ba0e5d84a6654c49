import type { Range } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { refuseNotCaptured, stepsBetween, treeAtStop } from '../threads/tree-at-stop.ts';

/** A range of the log: all but the preview of a travel. */
export type LogRange = Exclude<Range, { kind: 'plan' }>;

/** The two sides of a range of steps; `to` null means the files on disk. */
export interface Sides {
  from: string;
  to: string | null;
  /** Only these paths belong to the range; null: all that differ. */
  only: TreePath[] | null;
  steps: Step[];
  /** For a file name: `step-3`, `turn-2`, `steps-3-7`. */
  name: string;
}

function stepOf(thread: Thread, id: string): Step {
  const step = thread.steps.find((one) => one.id === id);
  if (!step) throw new TurnbackError('UNKNOWN_STEP', { id });
  return step;
}

/** The steps that a range covers, in the order of the log. UNKNOWN_STEP when it names one that is not there. */
export function stepsOfRange(thread: Thread, range: LogRange): Step[] {
  if (range.kind === 'stops') return stepsBetween(thread, range.from, range.to);
  if (range.kind === 'step' || range.kind === 'since') return [stepOf(thread, range.step)];
  if (range.kind === 'turn') {
    const turn = thread.turns.find((one) => one.index === range.turn);
    if (!turn) throw new TurnbackError('UNKNOWN_STEP', { id: `turn ${range.turn}` });
    return turn.steps.map((id) => stepOf(thread, id));
  }
  const [a, b] = [stepOf(thread, range.from), stepOf(thread, range.to)];
  if (range.kind === 'between') return [a, b];
  const [first, last] = a.index <= b.index ? [a.index, b.index] : [b.index, a.index];
  // A branch that was dropped lies between its neighbours in the list, but nothing after it was built on it.
  const dropped = a.hidden !== null || b.hidden !== null;
  return thread.steps.filter((step) => step.index >= first && step.index <= last && (dropped || step.hidden === null));
}

function nameOf(range: LogRange, steps: readonly Step[]): string {
  if (range.kind === 'stops') return `stops-${range.from}-${range.to ?? 'now'}`;
  const [first, last] = [steps[0]?.index ?? 0, steps.at(-1)?.index ?? 0];
  if (range.kind === 'turn') return `turn-${range.turn}`;
  if (range.kind === 'since') return `since-step-${first}`;
  return first === last ? `step-${first}` : `steps-${first}-${last}`;
}

/**
 * The trees that a range compares. Steps without snapshots that changed nothing are passed over; null when no step of the
 * range has any. Throws NOT_CAPTURED when one of them was not captured: half a truth is not shown as the whole.
 */
export function sidesOf(thread: Thread, range: LogRange): Sides | null {
  const steps = stepsOfRange(thread, range);
  const name = nameOf(range, steps);
  if (range.kind === 'stops') {
    const from = treeAtStop(thread, range.from);
    const to = range.to === null ? null : treeAtStop(thread, range.to);
    return from === null || (to === null && range.to !== null) ? null : { from, to, only: null, steps, name };
  }
  for (const step of steps) refuseNotCaptured(step);
  if (range.kind === 'between') {
    const [from, to] = [lastTreeUpTo(thread, steps[0]), lastTreeUpTo(thread, steps[1])];
    return from === null || to === null ? null : { from, to, only: null, steps, name };
  }
  if (range.kind === 'since') {
    const to = lastTreeUpTo(thread, steps[0]);
    return to === null ? null : { from: to, to: null, only: null, steps, name };
  }
  const withTrees = steps.filter((step) => step.from !== null && step.to !== null);
  const from = withTrees[0]?.from ?? null;
  const to = withTrees.at(-1)?.to ?? null;
  if (from === null || to === null) return null;
  const only = withTrees.every((step) => step.listed === null && step.files === null)
    ? null
    : [...new Set(withTrees.flatMap((step) => step.listed ?? step.files?.map((file) => file.path) ?? []))];
  return { from, to, only, steps, name };
}

/** The state after a step that recorded none itself is the one that the step before it left. */
function lastTreeUpTo(thread: Thread, step: Step | undefined): string | null {
  if (!step) return null;
  const before = thread.steps.filter((one) => one.index <= step.index && one.to !== null && (one.hidden === null || one === step));
  const last = before.at(-1);
  if (last) return last.to;
  return thread.steps.find((one) => one.from !== null && one.hidden === null)?.from ?? null;
}
