import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ThreadView } from '../../shared/contract.ts';
import { type Reason, reason } from '../../shared/errors.ts';
import type { ThreadHead } from '../../shared/model.ts';
import { call, reasonOfThrown } from './host.ts';
import { sessionStore } from './session-store.ts';
import { listThreads } from './threads.ts';
import { threadsStore } from './threads-store.ts';

export type ChildEntry = { phase: 'loading' } | { phase: 'ready'; head: ThreadHead; view: ThreadView } | { phase: 'failed'; error: Reason };

/** Threads of sub-agents that were looked at inside the open thread, by their id in the store. */
const childStore = createStore<{ children: ReadonlyMap<string, ChildEntry> }>(() => ({ children: new Map() }));

export const useChild = (threadId: string): ChildEntry | null => useStore(childStore, (state) => state.children.get(threadId) ?? null);

function put(threadId: string, entry: ChildEntry): void {
  childStore.setState(({ children }) => ({ children: new Map(children).set(threadId, entry) }));
}

/** The thread with that id in the store of the open thread, where the list knows it. */
export function headOfChild(threads: readonly ThreadHead[], threadId: string): ThreadHead | null {
  const source = sessionStore.getState().view?.head.source;
  return threads.find((head) => head.threadId === threadId && head.source === source) ?? null;
}

/** Reads the thread of a sub-agent unless it is there or on its way. */
export async function readChild(threadId: string): Promise<void> {
  const parent = sessionStore.getState().id;
  const known = childStore.getState().children.get(threadId);
  if (parent === null || (known !== undefined && known.phase !== 'failed')) return;
  put(threadId, { phase: 'loading' });
  const still = (): boolean => sessionStore.getState().id === parent;
  try {
    // A thread that began after the list was made is not in it yet.
    if (headOfChild(threadsStore.getState().threads, threadId) === null) await listThreads();
    const head = headOfChild(threadsStore.getState().threads, threadId);
    if (head === null) {
      put(threadId, { phase: 'failed', error: reason('UNKNOWN_THREAD', { id: threadId }) });
      return;
    }
    const view = await call('thread.open', { thread: head.id, root: null, data: null });
    if (still()) put(threadId, { phase: 'ready', head, view });
    else close(head.id);
  } catch (thrown) {
    if (still()) put(threadId, { phase: 'failed', error: reasonOfThrown(thrown) });
  }
}

function close(thread: string): void {
  if (sessionStore.getState().id === thread) return;
  call('thread.close', { thread }).catch((thrown: unknown) => console.error('thread.close', thrown));
}

// Another thread in the window has other sub-agents. Not at once: one of them may be the thread that opens now.
sessionStore.subscribe((now, before) => {
  if (now.id === before.id || before.id === null) return;
  const { children } = childStore.getState();
  childStore.setState({ children: new Map() });
  setTimeout(() => {
    for (const entry of children.values()) if (entry.phase === 'ready') close(entry.head.id);
  }, 0);
});
