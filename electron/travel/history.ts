import type { HistoryEntry } from '../../shared/plan.ts';
import type { TravelContext } from './travel-context.ts';

/** The travels of a thread, newest first, each with whether its files can come back. */
export async function historyOf(_context: TravelContext): Promise<HistoryEntry[]> {
  return [];
}
