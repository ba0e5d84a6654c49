import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';
import type { MessageBody } from '../../shared/model.ts';

export interface BodyEntry {
  phase: 'loading' | 'ready' | 'failed';
  body: MessageBody | null;
  error: Reason | null;
  /** Marks the state of the message it was read for; a message that grew is read again. */
  mark: string;
}

/** The contents of messages that were looked at, by message id; the oldest go first. */
export const bodiesStore = createStore<{ bodies: ReadonlyMap<string, BodyEntry> }>(() => ({ bodies: new Map() }));

export function useBody(id: string): BodyEntry | null {
  return useStore(bodiesStore, (state) => state.bodies.get(id) ?? null);
}
