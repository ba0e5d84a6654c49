import { useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileChange } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { type Lens, lensOf } from './lens-model.ts';
import { sessionStore, useSession } from './session-store.ts';

export interface LensState {
  /** The one file that the panes show; null: all of them. */
  path: TreePath | null;
}

/** The pin on one file. It lies over whatever is looked at: a step, a turn, a comparison, a preview. */
export const lensStore = createStore<LensState>(() => ({ path: null }));

let last: { steps: unknown; path: TreePath; lens: Lens } | null = null;

/** The way of the pinned file through the open thread, worked out once for each state of the thread; null when none is pinned. */
export function lensNow(): Lens | null {
  const { path } = lensStore.getState();
  const steps = sessionStore.getState().view?.steps ?? [];
  if (path === null) return null;
  if (last === null || last.steps !== steps || last.path !== path) last = { steps, path, lens: lensOf(steps, path) };
  return last.lens;
}

/** The same for a component. */
export function useLens(): Lens | null {
  const path = useStore(lensStore, (state) => state.path);
  const steps = useSession((state) => state.view?.steps);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `lensNow` reads both from the stores
  return useMemo(lensNow, [path, steps]);
}

/** What is left of a list of files: all of it, or what the pinned file is called. */
export function throughLens(files: readonly FileChange[]): readonly FileChange[] {
  const lens = lensNow();
  return lens === null ? files : files.filter((file) => lens.names.has(file.path));
}
