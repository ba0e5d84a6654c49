import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';
import type { Choice, HistoryEntry, Interrupted, Piece, Plan, Scope, TravelKind, TravelResult } from '../../shared/plan.ts';

export interface TravelRequest {
  kind: TravelKind;
  stop: number | null;
  entry: string | null;
  scope: Scope;
  /** Only for a partial travel. */
  piece?: Piece;
}

/** The question before files are written. */
export interface GateState {
  request: TravelRequest;
  /** The words of the message that the travel goes to. */
  title: string;
  phase: 'loading' | 'ready' | 'failed';
  plan: Plan | null;
  /** Per path, where the user chose other than the plan's own choice. */
  choices: Readonly<Record<string, Choice>>;
  /** A failed preview, or a run that was refused; shown in the dialog. */
  error: Reason | null;
  /** The user said to go on although another agent works in the folder; the button then asks once more. */
  evenBusy: boolean;
}

export interface RunningState {
  operation: string;
  request: TravelRequest;
  done: number;
  total: number | null;
  label: string;
  cancelling: boolean;
}

export interface TravelState {
  gate: GateState | null;
  running: RunningState | null;
  last: { request: TravelRequest; result: TravelResult } | null;
  history: { phase: 'none' | 'loading' | 'ready' | 'failed'; entries: readonly HistoryEntry[]; error: Reason | null };
  /** Travels that a crash interrupted, on this machine. */
  interrupted: readonly Interrupted[];
  recovering: string | null;
}

export const atRest: TravelState = {
  gate: null,
  running: null,
  last: null,
  history: { phase: 'none', entries: [], error: null },
  interrupted: [],
  recovering: null,
};

export const travelStore = createStore<TravelState>(() => atRest);

export function useTravel<T>(select: (state: TravelState) => T): T {
  return useStore(travelStore, select);
}
