import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';
import type { Plan } from '../../shared/plan.ts';

export interface CursorState {
  /** Where the thread stands: the standing revert's stop, else the last stop. */
  here: number;
  /** Where the cursor is while looking; null when it is `here`. */
  preview: number | null;
  hover: number | null;
  dragging: boolean;
  /** Rows of the transcript with an index above it are ghosts; Infinity when none is. */
  ghostsAfter: number;
  /** What a revert to `planStop` would do. It may lag behind `preview`; compare before use. */
  plan: Plan | null;
  planStop: number | null;
  planPhase: 'none' | 'loading' | 'ready' | 'failed';
  planError: Reason | null;
  /** The view follows the end of a growing thread. */
  following: boolean;
  /** Messages that came while the view did not follow. */
  fresh: number;
}

export const restingCursor: CursorState = {
  here: 0,
  preview: null,
  hover: null,
  dragging: false,
  ghostsAfter: Number.POSITIVE_INFINITY,
  plan: null,
  planStop: null,
  planPhase: 'none',
  planError: null,
  following: true,
  fresh: 0,
};

/** The time cursor. Looking at a stop and going to it are separate states. */
export const cursorStore = createStore<CursorState>(() => restingCursor);

export function useCursor<T>(select: (state: CursorState) => T): T {
  return useStore(cursorStore, select);
}

/** Where the cursor is drawn. */
export const cursorStop = (state: CursorState): number => state.preview ?? state.here;
