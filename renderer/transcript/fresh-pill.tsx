import { ArrowDown } from 'lucide-react';
import { useCursor } from '../store/cursor-store.ts';
import { sendSignal } from '../store/pane-signal.ts';
import { setFollowing } from '../store/preview.ts';
import { Button } from '../ui/button.tsx';

/** "12 new ↓": messages that came while the view did not follow. */
export function FreshPill() {
  const fresh = useCursor((state) => (state.following ? 0 : state.fresh));
  if (fresh === 0) return null;
  return (
    <div className="fresh">
      <Button
        variant="primary"
        icon={<ArrowDown />}
        onClick={() => {
          setFollowing(true);
          sendSignal('scroll-to-end');
        }}
      >
        {fresh} new
      </Button>
    </div>
  );
}
