import { ChevronDown, Eraser, List } from 'lucide-react';
import type { ThreadHead } from '../../shared/model.ts';
import { commandOf, runCommand } from '../commands.ts';
import { closeThread, openThread } from '../store/session.ts';
import { useSession } from '../store/session-store.ts';
import { useThreads } from '../store/threads-store.ts';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { SOURCE_NAMES, titleOfThread, workspaceName } from '../ui/names.ts';

const MOST = 14;

const item = (head: ThreadHead, open: string | null, what = ''): MenuItem => ({
  id: head.id,
  label: `${what}${titleOfThread(head)}`,
  checked: head.id === open,
  run: () => void (head.id === open ? undefined : openThread(head.id)),
});

/** "workspace ▸ thread": a menu of the threads of the same workspace. */
export function ThreadSwitcher() {
  const id = useSession((state) => state.id);
  const opened = useSession((state) => state.view?.head ?? null);
  const threads = useThreads((state) => state.threads);
  const head = opened ?? threads.find((thread) => thread.id === id) ?? null;
  if (head === null) return <span className="title-thread">Opening…</span>;
  const near = threads.filter((thread) => thread.root === head.root && thread.parent === null);
  const family = threads.filter((thread) => thread.source === head.source && thread.id !== head.id);
  const parents = head.parent === null ? [] : family.filter((thread) => thread.threadId === head.parent);
  const children = family.filter((thread) => thread.parent === head.threadId);
  const listed = near.some((thread) => thread.id === head.id) ? near : [head, ...near];
  return (
    <Menu
      trigger={
        <button type="button" className="title-switch">
          <span className="title-root cut">{workspaceName(head.root)}</span>
          <span className="title-slash" aria-hidden="true">
            /
          </span>
          <span className="title-thread cut">{titleOfThread(head)}</span>
          <span className="title-source">{SOURCE_NAMES[head.source]}</span>
          <ChevronDown aria-hidden="true" />
        </button>
      }
      groups={[
        listed.slice(0, MOST).map((thread) => item(thread, id)),
        [
          ...parents.map((thread) => item(thread, id, 'Began in: ')),
          ...children.slice(0, MOST).map((thread) => item(thread, id, 'Sub-agent: ')),
        ],
        [{ id: 'all', label: 'All threads', icon: <List />, keys: 'backspace', run: closeThread }],
        [{ id: 'forget', label: 'Forget this thread…', icon: <Eraser />, off: commandOf('forget').off(), run: () => runCommand('forget') }],
      ]}
    />
  );
}
