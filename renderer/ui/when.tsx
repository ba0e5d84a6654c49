import { useEffect, useState } from 'react';
import { showAgo, showClock, showExactTime } from './words.ts';

/**
 * A time: relative (kept current) or as a clock, with the exact time as its title (not as a tooltip of ours: there are many of
 * them in lists). Nothing when it is not known.
 */
export function When({ at, as = 'ago' }: { at: number | null; as?: 'ago' | 'clock' }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (as === 'clock') return;
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [as]);
  if (at === null) return null;
  return (
    <time className="num" dateTime={new Date(at).toISOString()} title={showExactTime(at)}>
      {as === 'clock' ? showClock(at) : showAgo(at, now)}
    </time>
  );
}
