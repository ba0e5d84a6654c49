import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** The text of the prompt that was taken back last, to be copied and asked again in other words; null when there is none. */
export const takenBackStore = createStore<{ text: string | null }>(() => ({ text: null }));

export const useTakenBack = (): string | null => useStore(takenBackStore, (state) => state.text);
