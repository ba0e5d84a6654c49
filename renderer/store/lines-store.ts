import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export interface LinesState {
  /** Whether the gutter tells who wrote each line. */
  on: boolean;
  /** The owner of the line that the caret is on, for a screen reader. */
  said: string;
}

export const linesStore = createStore<LinesState>(() => ({ on: false, said: '' }));

export function useLines<T>(select: (state: LinesState) => T): T {
  return useStore(linesStore, select);
}

/** Shows or hides who wrote each line, in all files that are shown. */
export function toggleLines(): void {
  linesStore.setState(({ on }) => ({ on: !on, said: '' }));
}
