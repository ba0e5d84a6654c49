import { createStore } from 'zustand/vanilla';
import type { Span } from './geometry.ts';

/** What the lanes show and how wide they are, for the canvas, the cursor, the bubble and the drag. */
export const spanStore = createStore<{ span: Span; rows: number; width: number }>(() => ({
  span: { from: 0, to: 1 },
  rows: 1,
  width: 0,
}));
