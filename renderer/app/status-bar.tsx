import { runCommand } from '../commands.ts';
import { useApp } from '../store/app-store.ts';
import { useCursor } from '../store/cursor-store.ts';
import { useSession } from '../store/session-store.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { count, showBytes } from '../ui/words.ts';
import './status-bar.css';

function ThreadStatus() {
  const size = useSession((state) => state.view?.head.size ?? null);
  const log = useSession((state) => state.view?.head.log ?? '');
  const messages = useSession((state) => state.view?.messages.length ?? 0);
  const turns = useSession((state) => state.view?.turns.length ?? 0);
  const filling = useSession((state) => state.filling);
  const patch = useSession((state) => state.view?.can.patch ?? null);
  const keeps = useSession((state) => state.view?.keeps ?? null);
  const partial = useSession((state) => state.partial !== null);
  const following = useCursor((state) => state.following);
  return (
    <>
      <Tooltip side="top" text={patch === true || patch === null ? 'The snapshots of this thread can be read.' : patch.message}>
        <span className="status-item" data-tone={patch === true ? 'good' : 'off'}>
          <i className="status-dot" aria-hidden="true" />
          {partial ? 'reading the log…' : filling ? 'asking the snapshots…' : patch === true ? 'snapshots ok' : 'no snapshots'}
        </span>
      </Tooltip>
      <Tooltip side="top" text={log}>
        <span className="status-item num">
          {partial ? `the last ${count(messages, 'message')}` : `${count(turns, 'turn')} · ${count(messages, 'message')}`}
          {size === null ? '' : ` · log ${showBytes(size)}`}
        </span>
      </Tooltip>
      <Tooltip
        side="top"
        text={
          keeps === 'overlay'
            ? 'A revert of messages is kept by Turnback only: the agent still remembers them.'
            : 'A revert of messages is written to the agent’s own log.'
        }
      >
        <span className="status-item status-keeps">{keeps === 'overlay' ? 'messages: Turnback only' : 'messages: agent’s log'}</span>
      </Tooltip>
      <span className="status-space" />
      <Tooltip side="top" text={following ? 'New messages come into view' : 'The view stays where it is'} keys="f">
        <button type="button" className="status-item status-button" aria-pressed={following} onClick={() => runCommand('follow')}>
          {following ? 'following' : 'not following'}
        </button>
      </Tooltip>
    </>
  );
}

/** 24 px: the health of what the window stands on. */
export function StatusBar() {
  const open = useSession((state) => state.view !== null);
  const info = useApp((state) => state.info);
  const connection = useApp((state) => state.connection);
  const git = info === null ? null : info.git;
  return (
    <footer className="status-bar">
      {open ? <ThreadStatus /> : <span className="status-space" />}
      {connection === 'lost' ? (
        <span className="status-item" data-tone="failed" role="status">
          <i className="status-dot" aria-hidden="true" />
          connecting again…
        </span>
      ) : null}
      {git === null ? null : 'version' in git ? (
        <span className="status-item num">git {git.version.replace(/^git version /, '')}</span>
      ) : (
        <Tooltip side="top" text={git.message}>
          <span className="status-item" data-tone="failed">
            <i className="status-dot" aria-hidden="true" />
            git is missing
          </span>
        </Tooltip>
      )}
      {info === null ? null : <span className="status-item status-version num">Turnback {info.version}</span>}
    </footer>
  );
}
