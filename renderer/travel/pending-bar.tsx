import { Hourglass } from 'lucide-react';
import type { ThreadView } from '../../shared/contract.ts';
import { revertTo, unrevert } from '../store/travel.ts';
import { useTravel } from '../store/travel-store.ts';
import { Button } from '../ui/button.tsx';
import { givesFocusBack } from '../ui/keep-focus.ts';
import { count } from '../ui/words.ts';

const WAITS = 'DSH has no open step in this session. It can be carried out when it has one.';

/** Says that a recall is planned and not yet effective, and offers to carry it out where the log can take it, or to drop it. */
export function PendingBar({ standing, can }: { standing: NonNullable<ThreadView['standing']>; can: ThreadView['can'] }) {
  const busy = useTravel((state) => state.running !== null) ? 'A travel is running.' : null;
  const { stop, hidden, pending, files } = standing;
  return (
    <section className="standing-bar" ref={givesFocusBack} data-pending="true" aria-label="Planned recall">
      <Hourglass aria-hidden="true" />
      <p className="standing-words">
        Recall planned, not yet effective: it takes effect when DSH opens the next step.
        <span className="standing-note num">
          {count(hidden, 'message')}
          {files === null || files.length === 0 ? null : `, ${count(files.length, 'file')} put back`}
        </span>
      </p>
      <Button
        variant={pending === 'ready' ? 'time' : 'outline'}
        off={busy ?? (pending === 'ready' ? (can.revert === true ? null : can.revert.message) : WAITS)}
        hint="The agent forgets the planned messages now"
        onClick={() => void revertTo(stop, 'messages')}
      >
        Carry out
      </Button>
      <Button
        keys="u"
        off={busy ?? (can.unrevert === true ? null : can.unrevert.message)}
        hint="The messages are shown again, and files come back"
        onClick={() => void unrevert()}
      >
        Drop
      </Button>
    </section>
  );
}
