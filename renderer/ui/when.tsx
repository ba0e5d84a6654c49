import { useEffect, useState } from 'react';
import { Tooltip } from './tooltip.tsx';
import { showAgo, showClock, showExactTime } from './words.ts';

/** A time: relative (kept current) or as a clock, with the exact time in the tooltip. Nothing when it is not known. */
export function When({ at, as = 'ago' }: { at: number | null; as?: 'ago' | 'clock' }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (as === 'clock') return;
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [as]);
  if (at === null) return null;
  return (
    <Tooltip text={showExactTime(at)}>
      <time className="num" dateTime={new Date(at).toISOString()}>
        {as === 'clock' ? showClock(at) : showAgo(at, now)}
      </time>
    </Tooltip>
  );
}
