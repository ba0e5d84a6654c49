import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';
import type { Hit } from '../../shared/search.ts';

export interface SearchState {
  query: string;
  /** Indexes in `view.messages` of the messages that match, ascending. */
  rows: readonly number[];
  /** Position in `rows` of the match that is looked at; -1 when none is. */
  at: number;
  /** What was found in the whole texts so far, by message id. */
  hits: ReadonlyMap<string, Hit>;
  /** The search of the whole texts under way, with how far it is from 0 to 1; null when none is. */
  running: { operation: string; done: number } | null;
  /** There is more than is told of. */
  more: boolean;
  error: Reason | null;
}

export const searchStore = createStore<SearchState>(() => ({
  query: '',
  rows: [],
  at: -1,
  hits: new Map(),
  running: null,
  more: false,
  error: null,
}));

export function useSearch<T>(select: (state: SearchState) => T): T {
  return useStore(searchStore, select);
}
