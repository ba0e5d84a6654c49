import { ChevronDown, ChevronUp, ZoomIn, ZoomOut } from 'lucide-react';
import { type PointerEvent, useEffect, useRef } from 'react';
import { runCommand } from '../commands.ts';
import { useApp } from '../store/app-store.ts';
import { useCursor } from '../store/cursor-store.ts';
import { hoverStop } from '../store/preview.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { nearestStop } from '../store/stops.ts';
import { IconButton } from '../ui/button.tsx';
import { Bubble } from './bubble.tsx';
import { TimelineCanvas } from './canvas.tsx';
import { CompareMarks } from './compare-marks.tsx';
import { Cursor } from './cursor.tsx';
import { beginDrag, dragPlaces } from './drag.ts';
import { boundaryOfX, panSpan, zoomSpan } from './geometry.ts';
import { lanesOf } from './lanes.ts';
import { spanStore } from './span-store.ts';
import { useSize } from './use-size.ts';
import { useSpan } from './use-span.ts';
import './timeline.css';

/** Moves the shown span to a press on the overview. */
function jumpTo(x: number): void {
  const { rows, span, width } = spanStore.getState();
  const middle = (span.from + span.to) / 2;
  spanStore.setState({ span: panSpan(span, rows, (x / width) * rows - middle) });
}

function onWheel(event: WheelEvent, left: number): void {
  event.preventDefault();
  const { span, rows, width } = spanStore.getState();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
    const by = event.deltaX === 0 ? event.deltaY : event.deltaX;
    spanStore.setState({ span: panSpan(span, rows, (by / width) * (span.to - span.from)) });
    return;
  }
  const pivot = boundaryOfX(span, width, event.clientX - left);
  spanStore.setState({ span: zoomSpan(span, rows, Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), pivot) });
}

function Lanes() {
  const area = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(area);
  const empty = useSession((state) => (state.view?.messages.length ?? 0) === 0);
  const dragging = useCursor((state) => state.dragging);
  useSpan(width);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    dragPlaces.lanes = element;
    const wheel = (event: WheelEvent): void => onWheel(event, element.getBoundingClientRect().left);
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      dragPlaces.lanes = null;
      element.removeEventListener('wheel', wheel);
    };
  }, []);
  const at = (event: PointerEvent<HTMLDivElement>): { x: number; y: number } => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const hover = (event: PointerEvent<HTMLDivElement>): void => {
    const { span } = spanStore.getState();
    const stop = nearestStop(sessionStore.getState().index.stops, boundaryOfX(span, width, at(event).x), { changed: event.altKey });
    hoverStop(stop?.stop ?? null);
  };
  const press = (event: PointerEvent<HTMLDivElement>): void => {
    const { x, y } = at(event);
    if (y < lanesOf(height).overview.height) jumpTo(x);
    else beginDrag(event.nativeEvent, event.currentTarget);
  };
  return (
    <div
      className="timeline-lanes"
      ref={area}
      data-dragging={dragging || undefined}
      onPointerDown={press}
      onPointerMove={hover}
      onPointerLeave={() => hoverStop(null)}
    >
      {empty ? <p className="timeline-empty">No message yet</p> : null}
      <TimelineCanvas width={width} height={height} />
      <CompareMarks />
      {empty ? null : <Cursor />}
      <Bubble />
    </div>
  );
}

/** The part of the log that was not read yet, hatched: as wide as it is of the log, so far as there is room for the rest. */
function Unread() {
  const partial = useSession((state) => state.partial);
  const reading = useSession((state) => state.reading);
  if (partial === null) return null;
  const done = reading?.total ? Math.round((reading.done / reading.total) * 100) : 0;
  return (
    <div className="timeline-unread" style={{ flexGrow: Math.min(partial.from / Math.max(partial.size - partial.from, 1), 1.5) }}>
      <span>still reading {done} %</span>
    </div>
  );
}

/** The thread on a line: turns, lines changed, side effects, and the cursor. */
export function Timeline() {
  const open = useApp((state) => state.timelineOpen);
  return (
    <section className="timeline" aria-label="Timeline" data-open={open || undefined}>
      <div className="timeline-names" aria-hidden="true">
        {open ? (
          <>
            <span>turns</span>
            <span>lines</span>
            <span>effects</span>
          </>
        ) : null}
      </div>
      {open ? <Unread /> : null}
      {open ? <Lanes /> : <span className="timeline-closed muted">Timeline</span>}
      <div className="timeline-tools">
        {open ? (
          <>
            <IconButton label="Zoom in" keys="+" icon={<ZoomIn />} onClick={() => runCommand('zoom-in')} />
            <IconButton label="Zoom out" keys="-" icon={<ZoomOut />} onClick={() => runCommand('zoom-out')} />
          </>
        ) : null}
        <IconButton
          label={open ? 'Hide the timeline' : 'Show the timeline'}
          keys="mod+j"
          icon={open ? <ChevronUp /> : <ChevronDown />}
          onClick={() => runCommand('timeline')}
        />
      </div>
    </section>
  );
}
