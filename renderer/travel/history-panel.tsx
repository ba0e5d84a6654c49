import { History } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { HistoryEntry, TravelKind } from '../../shared/plan.ts';
import { appStore } from '../store/app-store.ts';
import { loadHistory, restoreEntry } from '../store/travel.ts';
import { useTravel } from '../store/travel-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { PaneError } from '../ui/pane-error.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { When } from '../ui/when.tsx';
import { count, showBytes } from '../ui/words.ts';
import './history-panel.css';

/** What stands before the target's own words. */
export const KIND_WORDS = {
  revert: 'Reverted to',
  recall: 'Took back, to',
  unrevert: 'Unreverted from',
  undo: 'Undid, back to',
  redo: 'Redid, on to',
  restore: 'Went back to',
  partial: 'Brought back',
} as const satisfies Record<TravelKind, string>;

const close = (): void => appStore.setState({ overlay: null });

function Entry({ entry, newest }: { entry: HistoryEntry; newest: boolean }) {
  const back = (): void => {
    close();
    void restoreEntry(entry.id);
  };
  return (
    <li className="history-entry">
      <div className="history-words">
        <p>
          <strong>{KIND_WORDS[entry.kind]}</strong> {entry.target}
          {newest ? <Badge tone="time">newest</Badge> : null}
        </p>
        <p className="muted num">
          <When at={entry.at} /> · {count(entry.files, 'file')} · safety snapshot {showBytes(entry.bytes)}
        </p>
      </div>
      <Button
        off={entry.can === true ? null : entry.can.message}
        hint="The files become as they were just before it; this too can be undone"
        onClick={back}
      >
        Go back to before this
      </Button>
    </li>
  );
}

/** Every travel of the thread, newest first. What each one replaced is kept, so each can be gone back on. */
export function HistoryPanel() {
  const { phase, entries, error } = useTravel((state) => state.history);
  // Not on the close button: its hint would open, and Escape would then close only that.
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => void loadHistory(), []);
  return (
    <Dialog title="History of travels" width={640} onClose={close} className="history" focus={body}>
      <div className="history-body" ref={body} tabIndex={-1}>
        {phase === 'failed' && error !== null ? (
          <PaneError reason={error} onRetry={() => void loadHistory()} />
        ) : entries.length > 0 ? (
          <ol className="history-list">
            {entries.map((entry, at) => (
              <Entry key={entry.id} entry={entry} newest={at === 0} />
            ))}
          </ol>
        ) : phase === 'ready' ? (
          <Empty icon={<History />} title="No travel yet">
            Each revert, unrevert, undo and redo is listed here with what it changed, and can be gone back on.
          </Empty>
        ) : (
          <Skeleton rows={4} label="Reading the history" />
        )}
      </div>
    </Dialog>
  );
}
