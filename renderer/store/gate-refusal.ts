import type { Reason } from '../../shared/errors.ts';
import type { GateState } from './travel-store.ts';

/** What stands in the way of the travel that a gate asks about. Another agent at work does not once the user said to go on. */
export function gateRefusal({ plan, phase, error, evenBusy }: GateState): Reason | null {
  const refusal = plan?.refusal ?? (phase === 'failed' || error?.code === 'FOLDER_BUSY' ? error : null);
  return evenBusy && refusal?.code === 'FOLDER_BUSY' ? null : refusal;
}
