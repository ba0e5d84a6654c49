import { useCallback, useSyncExternalStore } from 'react';
import type { DiffEntry, DiffLoader } from './diff-loader.ts';

/** The content of one file as far as it was loaded. */
export function useDiff(loader: DiffLoader, path: string): DiffEntry {
  const subscribe = useCallback((listener: () => void) => loader.subscribe(path, listener), [loader, path]);
  return useSyncExternalStore(subscribe, () => loader.entry(path));
}
