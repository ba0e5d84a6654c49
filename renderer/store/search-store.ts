import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export interface SearchState {
  query: string;
  /** Indexes in `view.messages` of the messages that match, ascending. */
  rows: readonly number[];
  /** Position in `rows` of the match that is looked at; -1 when none is. */
  at: number;
}

export const searchStore = createStore<SearchState>(() => ({ query: '', rows: [], at: -1 }));

export function useSearch<T>(select: (state: SearchState) => T): T {
  return useStore(searchStore, select);
}
