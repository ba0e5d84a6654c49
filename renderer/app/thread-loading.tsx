import { closeThread, openThread } from '../store/session.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { useThreads } from '../store/threads-store.ts';
import { Button } from '../ui/button.tsx';
import { titleOfThread } from '../ui/names.ts';
import { PaneError } from '../ui/pane-error.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useDelayed } from '../ui/use-delayed.ts';
import { LocateTools } from './locate-tools.tsx';
import { ReadingProgress } from './reading-bar.tsx';
import './thread-loading.css';

/** A thread on its way, or why it could not be opened. */
export function ThreadLoading() {
  const id = useSession((state) => state.id);
  const error = useSession((state) => state.error);
  const head = useThreads((state) => state.threads.find((thread) => thread.id === id) ?? null);
  const late = useDelayed(error === null);
  if (error !== null) {
    return (
      <main className="thread-loading">
        <h1 className="sr">The thread could not be opened</h1>
        <PaneError reason={error} onRetry={() => void openThread(sessionStore.getState().id ?? '')}>
          <LocateTools code={error.code} />
          <Button onClick={closeThread}>All threads</Button>
        </PaneError>
      </main>
    );
  }
  return (
    <main className="thread-loading">
      <h1 className="sr">{head === null ? 'Opening a thread' : titleOfThread(head)}</h1>
      {late ? (
        <div className="thread-loading-head">
          <p>Reading {head === null ? 'the thread' : `“${titleOfThread(head)}”`}</p>
          <ReadingProgress />
          <Button onClick={closeThread}>Cancel</Button>
        </div>
      ) : null}
      <Skeleton rows={9} label="The thread is being read." />
    </main>
  );
}
