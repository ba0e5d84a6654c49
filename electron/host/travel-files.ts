import type { FileDiff } from '../../shared/contract.ts';
import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { Choice, Hunk } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { sideOf } from '../snapshots/side.ts';
import { hunksOf, shownHunk } from '../travel/hunks.ts';
import { leftBy } from '../travel/predict.ts';
import type { TravelContext, TravelRequest } from '../travel/travel-context.ts';
import { diffOf, diskSide } from './changes.ts';

/** One file of a plan: the disk now against what the choice would leave there. Throws CHOICE_IMPOSSIBLE, TREE_MISSING. */
export async function fileOfTravel(
  context: TravelContext,
  request: TravelRequest,
  o: { path: TreePath; choice: Choice; anyway: boolean },
): Promise<FileDiff> {
  const { path, choice, anyway } = o;
  const left = await leftBy(context, request, path, choice);
  return diffOf(path, await diskSide(context, path, anyway), left && sideOf({ mode: left.mode }, left.bytes, { anyway }));
}

/**
 * The changes of one file in a step, each of which can be brought back alone, and why there is none where that is so. Throws
 * UNKNOWN_STEP.
 */
export async function hunksOfStep(
  { thread }: TravelContext,
  o: { step: string; path: TreePath; signal?: AbortSignal | undefined },
): Promise<{ hunks: Hunk[]; why: Reason | null }> {
  const step = thread.thread().steps.find((one) => one.id === o.step);
  if (step === undefined) throw new TurnbackError('UNKNOWN_STEP', { id: o.step });
  const { from, to } = step;
  if (thread.store === null) return { hunks: [], why: thread.storeReason ?? reason('NO_SNAPSHOTS') };
  if (from === null || to === null) return { hunks: [], why: reason('TREE_EMPTY') };
  try {
    const found = await hunksOf(thread.store, { from, to, path: o.path, signal: o.signal });
    return 'code' in found ? { hunks: [], why: found } : { hunks: found.map(shownHunk), why: null };
  } catch (thrown) {
    if (thrown instanceof TurnbackError && thrown.code === 'TREE_MISSING') return { hunks: [], why: thrown.reason };
    throw thrown;
  }
}
