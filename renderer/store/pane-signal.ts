/** Wishes from the command table that only a mounted pane can fulfil. */
export type PaneSignal =
  | 'hunk-next'
  | 'hunk-previous'
  | 'bring-back-change'
  | 'focus-transcript'
  | 'focus-steps'
  | 'focus-files'
  | 'focus-diff'
  | 'focus-cursor'
  | 'focus-search'
  | 'filter-files'
  | 'scroll-to-match'
  | 'zoom-in'
  | 'zoom-out'
  | 'zoom-all'
  | 'scroll-to-cursor'
  | 'scroll-to-end';

const listeners = new Map<PaneSignal, Set<() => void>>();

/** Calls `run` each time the signal is sent; the result ends it. */
export function onSignal(name: PaneSignal, run: () => void): () => void {
  const set = listeners.get(name) ?? new Set();
  listeners.set(name, set);
  set.add(run);
  return () => {
    set.delete(run);
  };
}

/** True when a mounted pane heard it. */
export function sendSignal(name: PaneSignal): boolean {
  const set = listeners.get(name);
  if (set === undefined || set.size === 0) return false;
  for (const run of [...set]) run();
  return true;
}
