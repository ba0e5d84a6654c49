import { useStore } from 'zustand';
import { nameOfStop } from '../store/changes.ts';
import { useSession } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { xOfBoundary } from './geometry.ts';
import { spanStore } from './span-store.ts';
import './compare-marks.css';

/** The sides of a comparison on the timeline: the marked one, or both. */
export function CompareMarks() {
  const mark = useSession((state) => state.mark);
  const compare = useSession((state) => state.selection.compare);
  const stops = useSession((state) => state.index.stops);
  const { span, width } = useStore(spanStore);
  const sides = compare === undefined ? [mark] : [compare.from, compare.to];
  return (
    <div className="timeline-clip compare-marks" aria-hidden="true">
      {sides.map((stop) =>
        stop === null ? null : (
          <span
            key={stop}
            className="compare-mark"
            title={nameOfStop(stop)}
            style={{ transform: `translateX(${xOfBoundary(span, width, stopAt(stops, stop)?.boundary ?? 0)}px)` }}
          />
        ),
      )}
    </div>
  );
}
