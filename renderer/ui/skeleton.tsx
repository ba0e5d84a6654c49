import { useDelayed } from './use-delayed.ts';
import './skeleton.css';

const WIDTHS = [62, 88, 45, 74, 57, 81, 39, 69];

/** Rows that stand for content that takes longer than 300 ms. */
export function Skeleton({ rows = 6, label }: { rows?: number; label: string }) {
  const late = useDelayed(true);
  return (
    <div className="skeleton" role="status" data-late={late || undefined}>
      <span className="sr">{label}</span>
      {late
        ? Array.from({ length: rows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
            <span key={row} className="skeleton-row" style={{ width: `${WIDTHS[row % WIDTHS.length]}%` }} />
          ))
        : null}
    </div>
  );
}
