import type { ThreadView } from '../../shared/contract.ts';
import { reason } from '../../shared/errors.ts';
import type { TravelContext } from './travel-context.ts';

/** The thread with our overlay applied, and what may be done with it. */
export async function viewOf({ thread }: TravelContext): Promise<ThreadView> {
  const no = reason('NOT_SUPPORTED', { what: 'Travelling' });
  return { ...thread.thread(), can: { revert: no, unrevert: no, undo: no, redo: no, patch: true } };
}
