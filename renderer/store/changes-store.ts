import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Range } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { FileChange } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';

export interface ChangesState {
  /** What the file list and the diff show. `plan` while the cursor looks at a stop. */
  range: Range | null;
  /** Words for the range: "Step 3", "Turn 2", "Steps 3 to 5", "Since step 3", "If you go back to message 12". */
  title: string;
  phase: 'none' | 'loading' | 'ready' | 'failed';
  files: readonly FileChange[];
  error: Reason | null;
  /** The file that is looked at; the diff pane scrolls to it. */
  file: TreePath | null;
  /** Grows each time a file is chosen, so that choosing the same one scrolls to it again. */
  fileAsked: number;
}

export const noChanges: ChangesState = { range: null, title: '', phase: 'none', files: [], error: null, file: null, fileAsked: 0 };

/** The changed files of what is looked at; the files pane and the diff pane draw the same list. */
export const changesStore = createStore<ChangesState>(() => noChanges);

export function useChanges<T>(select: (state: ChangesState) => T): T {
  return useStore(changesStore, select);
}
