import { sendSignal } from './pane-signal.ts';
import { findRows } from './search-query.ts';
import { searchStore } from './search-store.ts';
import { sessionStore } from './session-store.ts';

/** Marks the messages that match; the first one is looked at. */
export function search(query: string): void {
  const { view, index } = sessionStore.getState();
  const rows = view === null ? [] : findRows(view, index, query);
  searchStore.setState({ query, rows, at: rows.length > 0 ? 0 : -1 });
  if (rows.length > 0) sendSignal('scroll-to-match');
}

/** Goes to the next or previous match, around the ends. */
export function stepMatch(direction: -1 | 1): void {
  const { rows, at } = searchStore.getState();
  if (rows.length === 0) return;
  searchStore.setState({ at: (at + direction + rows.length) % rows.length });
  sendSignal('scroll-to-match');
}

/** Finds again in a view that changed. */
export function refreshSearch(): void {
  const { query, at } = searchStore.getState();
  const { view, index } = sessionStore.getState();
  if (query === '') return;
  const rows = view === null ? [] : findRows(view, index, query);
  searchStore.setState({ rows, at: Math.min(at, rows.length - 1) });
}

export const clearSearch = (): void => searchStore.setState(searchStore.getInitialState());
