import type { Hit, Searched } from '../../shared/search.ts';
import { searchThread } from '../threads/search-thread.ts';
import type { OnBytes } from '../threads/source.ts';
import type { OpenThread } from '../threads/thread.ts';

/** More messages than anybody steps through. */
const MOST_HITS = 5000;
const HITS_AT_ONCE = 50;

export interface SearchOptions {
  signal?: AbortSignal | undefined;
  onBytes?: OnBytes | undefined;
  onHits: (hits: Hit[]) => void;
}

/**
 * Looks for words in all texts of an open thread; hands out what it finds as it goes, each message that holds one of them, in the
 * order of the log. Throws CANCELLED.
 */
export async function searchOpen(thread: OpenThread, words: readonly string[], options: SearchOptions): Promise<Searched> {
  const { signal, onBytes, onHits } = options;
  await thread.refresh(signal);
  let found = 0;
  let hits: Hit[] = [];
  const hand = (): void => {
    if (hits.length > 0) onHits(hits);
    hits = [];
  };
  const progress: OnBytes = (done, total) => {
    hand();
    onBytes?.(done, total);
  };
  const { reader } = thread;
  for await (const hit of searchThread(reader, reader.thread().messages, words, { signal, onBytes: progress })) {
    found += 1;
    if (hits.push(hit) >= HITS_AT_ONCE) hand();
    if (found >= MOST_HITS) break;
  }
  hand();
  return { found, more: found >= MOST_HITS };
}
