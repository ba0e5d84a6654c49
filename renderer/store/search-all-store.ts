import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';
import type { Problem } from '../../shared/model.ts';
import type { FoundThread } from '../../shared/search.ts';

export interface SearchAllState {
  /** What is looked for in the texts of all threads; empty while nothing is. */
  query: string;
  phase: 'none' | 'running' | 'done' | 'failed';
  operation: string | null;
  done: number;
  total: number | null;
  /** The thread that is looked through. */
  label: string;
  found: readonly FoundThread[];
  problems: readonly Problem[];
  error: Reason | null;
}

/** A search through the texts of all threads. */
export const searchAllStore = createStore<SearchAllState>(() => ({
  query: '',
  phase: 'none',
  operation: null,
  done: 0,
  total: null,
  label: '',
  found: [],
  problems: [],
  error: null,
}));

export function useSearchAll<T>(select: (state: SearchAllState) => T): T {
  return useStore(searchAllStore, select);
}
