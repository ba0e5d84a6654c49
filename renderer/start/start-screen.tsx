import { FileText, FolderOpen, Sparkles } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { runCommand } from '../commands.ts';
import { useApp } from '../store/app-store.ts';
import { useSearchAll } from '../store/search-all-store.ts';
import { loadApp } from '../store/start.ts';
import { listThreads, locatePath } from '../store/threads.ts';
import { threadsStore, useThreads } from '../store/threads-store.ts';
import { Button } from '../ui/button.tsx';
import { PaneError } from '../ui/pane-error.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useDelayed } from '../ui/use-delayed.ts';
import { Folders } from './folders.tsx';
import { FoundList } from './found-list.tsx';
import { Problems } from './problems.tsx';
import { Recent } from './recent.tsx';
import { ThreadFilters } from './thread-filters.tsx';
import { ThreadList } from './thread-list.tsx';
import { useDrop } from './use-drop.ts';
import '../ui/progress.css';
import './start.css';

/** The browser cannot ask for a path with a dialog of the system, so it can be typed. */
function PathField() {
  const [path, setPath] = useState('');
  const open = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '') void locatePath(path.trim());
  };
  return (
    <form className="start-path" onSubmit={open}>
      <input
        className="field mono"
        aria-label="Path of a log, a store or a workspace"
        placeholder="/path/to/a/log, a store or a workspace"
        spellCheck={false}
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      <Button type="submit">Open</Button>
    </form>
  );
}

function Welcome() {
  return (
    <div className="start-welcome">
      <p className="start-welcome-title">No thread was found in the usual places</p>
      <p className="muted">
        Turnback reads the threads of TanStack harness apps, DSH, OpenCode and Claude Code. Open a log or a workspace, drop one here, or try
        the sample: a small workspace with a recorded thread that you can travel in.
      </p>
      <Button variant="primary" icon={<Sparkles />} onClick={() => runCommand('open-sample')}>
        Try the sample
      </Button>
    </div>
  );
}

function Threads() {
  const phase = useThreads((state) => state.phase);
  const error = useThreads((state) => state.error);
  const none = useThreads((state) => state.threads.length === 0);
  if (phase === 'failed' && error !== null) return <PaneError reason={error} onRetry={() => void listThreads()} />;
  if (phase === 'none' || phase === 'loading') return <Skeleton rows={8} label="Looking for threads." />;
  return none ? <Welcome /> : <ThreadList />;
}

/** What takes long before a thread opens. */
function Busy() {
  const busy = useThreads((state) => state.busy);
  const late = useDelayed(busy !== null);
  if (!late) return null;
  return (
    <div className="start-busy" role="status">
      <div className="progress" aria-hidden="true">
        <i />
      </div>
      {busy}…
    </div>
  );
}

/** What is seen when no thread is open: open something, or choose from what was found. */
export function StartScreen() {
  const failed = useApp((state) => state.failed);
  const browser = useApp((state) => state.info?.host === 'browser');
  const searching = useSearchAll((state) => state.phase !== 'none');
  const problems = useThreads((state) => state.problems);
  const dropping = useDrop();
  // Coming back from a thread: it, and others, may be newer than the list.
  useEffect(() => {
    if (threadsStore.getState().phase === 'ready') void listThreads();
  }, []);
  if (failed !== null) {
    return (
      <main className="start">
        <h1 className="sr">Turnback could not start</h1>
        <PaneError reason={failed} onRetry={() => void loadApp()} />
      </main>
    );
  }
  return (
    <main className="start">
      <div className="start-column">
        <header className="start-head">
          <h1 className="start-title">Go back to any moment of a thread</h1>
          <div className="start-acts">
            <Button icon={<FileText />} keys="mod+o" hint="A session log or a database" onClick={() => runCommand('open-log')}>
              Open log…
            </Button>
            <Button icon={<FolderOpen />} keys="mod+shift+o" hint="A workspace or a store" onClick={() => runCommand('open-folder')}>
              Open folder…
            </Button>
            <Button variant="plain" icon={<Sparkles />} onClick={() => runCommand('open-sample')}>
              Try the sample
            </Button>
          </div>
        </header>
        {browser ? <PathField /> : null}
        <Busy />
        <Recent />
        <Problems problems={problems} what="could not be read" />
        <ThreadFilters />
        {searching ? <FoundList /> : <Threads />}
        <Folders />
      </div>
      {dropping ? (
        <div className="start-drop" role="status">
          Drop a log, a store or a workspace to open it
        </div>
      ) : null}
    </main>
  );
}
