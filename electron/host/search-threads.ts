import { reasonOf, TurnbackError } from '../../shared/errors.ts';
import type { Problem, ThreadHead } from '../../shared/model.ts';
import type { FoundThread, Hit, SearchedThreads } from '../../shared/search.ts';
import type { Catalog } from '../threads/catalog.ts';
import { searchThread } from '../threads/search-thread.ts';

/** Hits that are told of one thread; the others are counted. */
const MOST_HITS = 20;

/** Threads by the store that they are in: one look at it serves all of them. */
function byLog(heads: readonly ThreadHead[]): ThreadHead[][] {
  return [...Map.groupBy(heads, ({ source, log }) => `${source}\0${log}`).values()];
}

export interface SearchAllOptions {
  signal?: AbortSignal | undefined;
  /** How many of the threads are done. */
  onThreads?: (done: number, total: number, title: string) => void;
  onFound: (found: FoundThread) => void;
}

/**
 * Looks for messages that hold every one of the words, in all threads that can be found, newest first. A thread that cannot be
 * read is a problem and hides no other. Throws CANCELLED.
 */
export async function searchThreads(catalog: Catalog, words: readonly string[], options: SearchAllOptions): Promise<SearchedThreads> {
  const { signal, onThreads, onFound } = options;
  const { threads, problems: known } = await catalog.list();
  const problems: Problem[] = [...known];
  let [done, found] = [0, 0];
  for (const heads of byLog(threads)) {
    try {
      for (const head of await catalog.mayHold(heads, words, signal)) {
        onThreads?.(done, threads.length, head.title ?? head.threadId);
        const hits = await hitsIn(catalog, head, words, signal);
        if (hits.length === 0) continue;
        found += 1;
        onFound({ head, hits: hits.slice(0, MOST_HITS), found: hits.length });
      }
    } catch (thrown) {
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
      problems.push({ path: heads[0]?.log ?? '', message: reasonOf(thrown).message });
    }
    done += heads.length;
    onThreads?.(done, threads.length, '');
    if (signal?.aborted) throw new TurnbackError('CANCELLED');
  }
  return { threads: threads.length, found, problems };
}

async function hitsIn(catalog: Catalog, head: ThreadHead, words: readonly string[], signal: AbortSignal | undefined): Promise<Hit[]> {
  const reader = await catalog.open(head, {}, { signal, unseen: true });
  try {
    const hits: Hit[] = [];
    for await (const hit of searchThread(reader, reader.thread().messages, words, { signal })) {
      if (hit.words.length === words.length) hits.push(hit);
    }
    return hits;
  } finally {
    await reader.close();
  }
}
