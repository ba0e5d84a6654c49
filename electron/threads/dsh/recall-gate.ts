import { type Reason, reason } from '../../../shared/errors.ts';
import type { SideEffect } from '../../../shared/plan.ts';
import type { ChangeLists, ChangeSummary } from './change-lists.ts';
import { describeCall } from './dsh-tools.ts';
import type { RangeCall, RecallRange } from './recall-range.ts';

/** What the gate shows before a recall: the lists it got, what cannot be taken back, or why the recall is refused. */
export interface RecallGate {
  refusal: Reason | null;
  lists: { turn: number; seq: number; summary: ChangeSummary }[];
  sideEffects: SideEffect[];
  /** A running host gave a list, be it empty: it holds the session in its memory. */
  held: boolean;
}

/**
 * The gate of the seed: a recall is allowed when no change was recorded or every change list can be had; it is refused when a list is
 * lost, or when files were written and the list is not made yet. Better to refuse than to pretend that the turn did not happen.
 */
export async function recallGate(range: RecallRange, sessionId: string, lists: ChangeLists): Promise<RecallGate> {
  const gate: RecallGate = { refusal: null, lists: [], sideEffects: effectsIn(range), held: false };
  // A write whose outcome nobody knows may have happened.
  const wrote = (call: RangeCall): number => call.done ?? (call.unknown ? call.seq : -1);
  const early = range.writes.find((call) => wrote(call) > newestList(range, call.turn));
  if (early) return { ...gate, refusal: reason('CHANGES_NOT_READY', { turn: early.turn }) };
  for (const { turn, seq } of range.changes) {
    const summary = await lists.summary(sessionId, seq);
    // A list of another turn is not this turn's: the host and the log do not speak of the same session.
    if (summary === null || summary.turn !== turn) return { ...gate, refusal: reason('CHANGES_LOST', { turn }) };
    gate.held = true;
    if (summary.total > 0) gate.lists.push({ turn, seq, summary });
  }
  return gate;
}

/** The calls of a range that no recall can take back, in their own words. */
export function effectsIn(range: RecallRange): SideEffect[] {
  return range.calls
    .filter((call) => !call.file)
    .map((call) => ({ call, described: describeCall(call.name, call.arguments, null) }))
    .filter(({ described }) => described.sideEffect !== null)
    .map(({ call, described }) => ({ turn: call.turn, tool: call.name, summary: described.summary }));
}

function newestList(range: RecallRange, turn: number): number {
  return range.changes.find((change) => change.turn === turn)?.seq ?? -1;
}
