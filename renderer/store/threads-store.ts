import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';
import type { Problem, SourceKind, ThreadHead } from '../../shared/model.ts';

export interface ThreadsState {
  phase: 'none' | 'loading' | 'ready' | 'failed';
  threads: readonly ThreadHead[];
  problems: readonly Problem[];
  error: Reason | null;
  filter: string;
  /** What the list is narrowed to besides the words; null: everything. A workspace of '' stands for threads that name none. */
  choice: { source: SourceKind | null; root: string | null };
  /** The workspace whose new place is asked for. */
  moving: string | null;
  /** What is being done for the user before a thread can open; null when nothing is. */
  busy: string | null;
}

/** The threads that can be found on this machine. */
export const threadsStore = createStore<ThreadsState>(() => ({
  phase: 'none',
  threads: [],
  problems: [],
  error: null,
  filter: '',
  choice: { source: null, root: null },
  moving: null,
  busy: null,
}));

export function useThreads<T>(select: (state: ThreadsState) => T): T {
  return useStore(threadsStore, select);
}
