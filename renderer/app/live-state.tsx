import { useSession } from '../store/session-store.ts';
import { STATUS_WORDS } from '../ui/names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { showClock, showExactTime } from '../ui/words.ts';

/** Whether the agent works on the thread now, and when it last did. */
export function LiveState() {
  const status = useSession((state) => state.view?.status ?? null);
  const at = useSession((state) => state.view?.head.updatedAt ?? null);
  if (status === null) return null;
  const live = status === 'running' || status === 'waiting';
  const words = live ? (status === 'running' ? 'live' : 'waiting') : status;
  const tip = `${STATUS_WORDS[status]}${at === null ? '' : `\nLast change: ${showExactTime(at)}`}`;
  return (
    <Tooltip text={tip}>
      <span className="live" data-status={status} role="status" aria-label={STATUS_WORDS[status]}>
        <i className="live-dot" aria-hidden="true" />
        {words}
        {at === null ? null : <span className="num"> {showClock(at)}</span>}
      </span>
    </Tooltip>
  );
}
