import { parseQuery, wordsOf } from '../../shared/query.ts';
import type { FoundThread, Hit } from '../../shared/search.ts';
import { call, reasonOfThrown } from './host.ts';
import { previewStop, setFollowing } from './preview.ts';
import { lookAtMatch, search } from './search.ts';
import { searchAllStore } from './search-all-store.ts';
import { openThread } from './session.ts';

/** Why the texts of all threads cannot be looked through for a query; null when they can. */
export function whyNotSearchAll(query: string): string | null {
  const terms = parseQuery(query);
  const words = wordsOf(terms);
  if (words.length === 0) return 'Type words to look for in the texts of all threads.';
  if (terms.some(({ field }) => field !== 'any' && field !== 'text')) return 'Over all threads only words are looked for, no fields.';
  return words.length > 20 || words.some((word) => word.length > 1000) ? 'These are too many words.' : null;
}

function cancel(): void {
  const { operation } = searchAllStore.getState();
  if (operation !== null) call('cancel', { operation }).catch((thrown: unknown) => console.error('cancel', thrown));
}

/** Looks through the texts of all threads; the newest query wins. */
export async function searchAll(query: string): Promise<void> {
  if (whyNotSearchAll(query) !== null) return;
  cancel();
  const operation = crypto.randomUUID();
  searchAllStore.setState({ ...searchAllStore.getInitialState(), query, phase: 'running', operation });
  const isMine = (): boolean => searchAllStore.getState().operation === operation;
  try {
    const { problems } = await call('search.threads', { operation, words: wordsOf(parseQuery(query)) });
    if (isMine()) searchAllStore.setState({ phase: 'done', operation: null, problems });
  } catch (thrown) {
    if (isMine()) searchAllStore.setState({ phase: 'failed', operation: null, error: reasonOfThrown(thrown) });
  }
}

export function takeFound(operation: string, found: FoundThread): void {
  const state = searchAllStore.getState();
  if (state.operation === operation) searchAllStore.setState({ found: [...state.found, found] });
}

export function takeAllProgress(operation: string, done: number, total: number | null, label: string): void {
  if (searchAllStore.getState().operation === operation) searchAllStore.setState({ done, total, label });
}

/** Ends the search under way; what was found stays. */
export function stopSearchAll(): void {
  cancel();
  searchAllStore.setState({ phase: 'done', operation: null });
}

/** Ends it and shows all threads again. */
export function leaveSearchAll(): void {
  cancel();
  searchAllStore.setState(searchAllStore.getInitialState());
}

/** Opens the thread of a hit and goes to its stop, with the query in the search box. */
export function openHit(thread: string, hit: Hit): Promise<void> {
  const { query, operation } = searchAllStore.getState();
  if (operation !== null) stopSearchAll();
  return openThread(thread, {
    look: () => {
      setFollowing(false);
      search(query, [hit]);
      if (hit.stop !== null) previewStop(hit.stop);
      lookAtMatch(hit.message);
    },
  });
}
