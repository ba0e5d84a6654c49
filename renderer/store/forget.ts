import { appStore } from './app-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { closeThread } from './session.ts';
import { sessionStore } from './session-store.ts';
import { listThreads } from './threads.ts';
import { showFailure, showToast } from './toast-store.ts';

/** Removes all that Turnback keeps of a thread and leaves it. False when it was refused; then it is said why. */
export async function forgetThread(thread: string, evenStanding: boolean): Promise<boolean> {
  try {
    await call('forget.run', { thread, evenStanding });
    if (sessionStore.getState().id === thread) closeThread();
    appStore.setState({ settings: await call('settings.get', {}) });
    await listThreads();
    showToast({ tone: 'done', text: 'The thread is forgotten. The agent’s own files stay as they are.' });
    return true;
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
    return false;
  }
}
