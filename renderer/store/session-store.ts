import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ThreadView } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import { indexThread, type ThreadIndex } from './thread-index.ts';

/** Two stops whose files are compared, the older one first unless they were swapped; `to` null: the files on disk now. */
export interface Comparison {
  from: number;
  to: number | null;
}

/** What is looked at. Steps are ids; `steps` is a range in log order, `from` first. */
export interface Selection {
  turn: number | null;
  /** The step that was chosen, or the one a range ends at. */
  step: string | null;
  /** The other end of a range of steps; null when one step is chosen. */
  anchor: string | null;
  /** Looked at in place of the step or turn, which comes back after it. */
  compare?: Comparison;
}

export interface SessionState {
  /** Id of the thread that is open or opening. */
  id: string | null;
  phase: 'none' | 'loading' | 'ready' | 'failed';
  error: Reason | null;
  view: ThreadView | null;
  /** The view is only the end of a log that is still being read: where it begins, and the size of the log, in bytes. */
  partial: { from: number; size: number } | null;
  /** The reading under way, for its progress and for cancelling it. */
  reading: { operation: string; done: number; total: number | null } | null;
  index: ThreadIndex;
  /** The snapshots are being asked for file lists and counts. */
  filling: boolean;
  fillError: Reason | null;
  selection: Selection;
  /** The stop that was marked as one side of a comparison. */
  mark: number | null;
  /** Message rows whose tool calls and thinking are open, by message id. */
  expanded: ReadonlySet<string>;
  /** Groups of hidden messages that are open, by the id of their first message. */
  openGroups: ReadonlySet<string>;
}

export const emptySession: SessionState = {
  id: null,
  phase: 'none',
  error: null,
  view: null,
  partial: null,
  reading: null,
  index: indexThread(null),
  filling: false,
  fillError: null,
  selection: { turn: null, step: null, anchor: null },
  mark: null,
  expanded: new Set(),
  openGroups: new Set(),
};

/** The one thread that is open in this window. */
export const sessionStore = createStore<SessionState>(() => emptySession);

export function useSession<T>(select: (state: SessionState) => T): T {
  return useStore(sessionStore, select);
}
