import { useEffect, useRef, useState } from 'react';
import CompareWorker from './compare.worker.ts?worker';
import type { CompareAnswer, CompareQuestion } from './compare-messages.ts';
import type { Excerpt } from './excerpt.ts';

export interface Comparison {
  changed: number;
  pages: number;
  page: number;
  /** Null while the page is on its way. */
  excerpt: Excerpt | null;
  turnTo(page: number): void;
}

/** Compares two long texts in a worker, a page at a time. Null while it works. */
export function useCompare(before: string | null, after: string | null): Comparison | null {
  const worker = useRef<Worker | null>(null);
  const [totals, setTotals] = useState<{ changed: number; pages: number } | null>(null);
  const [page, setPage] = useState(0);
  const [excerpt, setExcerpt] = useState<Excerpt | null>(null);
  const ask = (question: CompareQuestion): void => worker.current?.postMessage(question);
  useEffect(() => {
    const made = new CompareWorker();
    worker.current = made;
    made.onmessage = ({ data }: MessageEvent<CompareAnswer>) => {
      if (data.kind === 'page') {
        setPage(data.page);
        setExcerpt(data.excerpt);
        return;
      }
      setTotals(data);
      if (data.pages > 0) made.postMessage({ kind: 'page', page: 0 } satisfies CompareQuestion);
    };
    made.postMessage({ kind: 'compare', before, after } satisfies CompareQuestion);
    return () => {
      made.terminate();
      worker.current = null;
      setTotals(null);
      setExcerpt(null);
    };
  }, [before, after]);
  if (totals === null) return null;
  const turnTo = (next: number): void => ask({ kind: 'page', page: next });
  return { ...totals, page, excerpt, turnTo };
}
