import { useCallback, useEffect, useRef, useState } from 'react';
import type { FileDiff } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import { type Body, bodyOf, LOADED_BYTES } from './body-of.ts';
import type { DiffLoader } from './diff-loader.ts';
import { useDiff } from './use-diff.ts';

/** A file that only flies by is not asked for. */
const REST_MS = 50;

export type Content =
  | { phase: 'waiting' }
  | { phase: 'failed'; error: Reason; retry(): void }
  | { phase: 'ready'; diff: FileDiff; body: Body; loading: boolean; load(): void; cancel(): void };

/** The content of a file in the window: asked for when it stays, dropped when it leaves, and what to do with a heavy one. `showEnds`: line ends that changed are drawn. */
export function useContent(loader: DiffLoader, path: string, wanted: boolean, showEnds = false): Content {
  const entry = useDiff(loader, path);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => loader.want(path), REST_MS);
    return () => {
      clearTimeout(timer);
      loader.unwant(path);
    };
  }, [loader, path, wanted]);
  // What was known stays while the rest of a heavy file is on its way, so that the wait can be left.
  const known = useRef<{ loader: DiffLoader; diff: FileDiff } | null>(null);
  if (entry.phase === 'ready') known.current = { loader, diff: entry.diff };
  else if (known.current?.loader !== loader) known.current = null;

  const load = useCallback(() => {
    setAsked(true);
    loader.want(path, true);
  }, [loader, path]);
  const cancel = useCallback(() => {
    setAsked(false);
    loader.unwant(path);
    loader.want(path);
  }, [loader, path]);
  const diff = entry.phase === 'ready' ? entry.diff : entry.phase === 'failed' ? null : (known.current?.diff ?? null);
  const body = diff === null ? null : bodyOf(diff, asked && entry.phase === 'ready', showEnds);
  const onlyLines = body?.kind === 'heavy' && body.why === 'size' && body.bytes <= LOADED_BYTES && !entry.anyway;
  useEffect(() => {
    if (onlyLines) loader.want(path, true);
  }, [loader, path, onlyLines]);

  if (entry.phase === 'failed') return { phase: 'failed', error: entry.error, retry: () => loader.want(path, entry.anyway) };
  if (diff === null || body === null || onlyLines) return { phase: 'waiting' };
  return { phase: 'ready', diff, body, loading: entry.phase === 'loading' && asked, load, cancel };
}
