import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Reason } from '../../shared/errors.ts';

export interface Toast {
  id: number;
  tone: 'done' | 'note' | 'failed';
  text: string;
  action: { label: string; run: () => void } | null;
  /** Offers to copy the code and the sentence. */
  reason: Reason | null;
  /** Stays until it is acted on, closed or replaced. */
  stays: boolean;
}

/** The newest message only: a new one takes the place of the one before. */
export const toastStore = createStore<{ toast: Toast | null }>(() => ({ toast: null }));

export function useToast<T>(select: (state: { toast: Toast | null }) => T): T {
  return useStore(toastStore, select);
}

let count = 0;

export function showToast(toast: Partial<Omit<Toast, 'id' | 'text'>> & { text: string }): void {
  count += 1;
  toastStore.setState({ toast: { tone: 'note', action: null, reason: null, stays: false, ...toast, id: count } });
}

/** A refusal or failure of something the user asked for. */
export function showFailure(reason: Reason): void {
  if (reason.code === 'CANCELLED') showToast({ text: reason.message });
  else showToast({ tone: 'failed', text: reason.message, reason, stays: true });
}

export function closeToast(id: number): void {
  if (toastStore.getState().toast?.id === id) toastStore.setState({ toast: null });
}
