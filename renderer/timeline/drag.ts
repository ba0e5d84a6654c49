import { cursorStore } from '../store/cursor-store.ts';
import { leavePreview, previewStop, setDragging } from '../store/preview.ts';
import { sessionStore } from '../store/session-store.ts';
import { nearestStop } from '../store/stops.ts';
import { commitStop } from '../store/travel.ts';
import { travelStore } from '../store/travel-store.ts';
import { boundaryOfX, DRAG_THRESHOLD, EDGE, magnetX, panSpan, xOfBoundary } from './geometry.ts';
import { spanStore } from './span-store.ts';

/** How far above and below the lanes the pointer may stray and still be on them. */
const SLACK = 40;
const SCROLL_STEP = 14;

/** The element of the lanes and the scroll area of the transcript, as they are mounted now. */
export const dragPlaces: { lanes: HTMLElement | null; transcript: HTMLElement | null; onDraw: ((x: number) => void) | null } = {
  lanes: null,
  transcript: null,
  onDraw: null,
};

/** Where the two places are on the screen. Read once for a drag: reading them in each frame would cost a layout each. */
interface Boxes {
  lanes: DOMRect | undefined;
  transcript: DOMRect | undefined;
}

/** The boundary that a pointer over a message row means: before it in its upper half, after it in the lower. */
function boundaryInTranscript(box: DOMRect | undefined, x: number, y: number): number | null {
  if (box === undefined || x < box.left || x > box.right || y < box.top || y > box.bottom) return null;
  const row = document.elementsFromPoint(x, y).find((element) => element instanceof HTMLElement && element.dataset['row'] !== undefined);
  if (!(row instanceof HTMLElement)) return null;
  const { top, height } = row.getBoundingClientRect();
  const at = Number(row.dataset['row']);
  return y < top + height / 2 ? at : Math.max(Number(row.dataset['lastRow'] ?? at), at - 1) + 1;
}

function boundaryInLanes(box: DOMRect | undefined, x: number, y: number): number | null {
  if (box === undefined || y < box.top - SLACK || y > box.bottom + SLACK) return null;
  const { span, width } = spanStore.getState();
  return boundaryOfX(span, width, Math.min(Math.max(x - box.left, 0), width));
}

function scrollAtEdges({ lanes, transcript: box }: Boxes, x: number, y: number): void {
  const { span, rows } = spanStore.getState();
  const step = (span.to - span.from) / 60;
  if (lanes !== undefined && y < lanes.bottom + SLACK) {
    if (x < lanes.left + EDGE) spanStore.setState({ span: panSpan(span, rows, -step) });
    if (x > lanes.right - EDGE) spanStore.setState({ span: panSpan(span, rows, step) });
    return;
  }
  const area = dragPlaces.transcript;
  if (area === null || box === undefined) return;
  if (y > box.top - SLACK && y < box.top + EDGE) area.scrollTop -= SCROLL_STEP;
  if (y < box.bottom + SLACK && y > box.bottom - EDGE) area.scrollTop += SCROLL_STEP;
}

/**
 * Follows a press on the cursor or the lanes. A press without a move looks at the place; a drag looks at every place it
 * passes, and its end asks for the travel. Outside, or with Escape, the cursor springs back.
 */
export function beginDrag(event: PointerEvent, source: HTMLElement): void {
  const { stops } = sessionStore.getState().index;
  if (event.button !== 0 || stops.length === 0 || travelStore.getState().gate !== null) return;
  const begin = { x: event.clientX, y: event.clientY };
  const onLanes = dragPlaces.lanes?.contains(source) ?? false;
  let pointer = { ...begin, alt: event.altKey };
  let dragging = false;
  let inside = true;
  let frame = 0;
  const boxes: Boxes = {
    lanes: dragPlaces.lanes?.getBoundingClientRect(),
    transcript: dragPlaces.transcript?.getBoundingClientRect(),
  };
  source.setPointerCapture(event.pointerId);

  const look = (): void => {
    const inRows = boundaryInTranscript(boxes.transcript, pointer.x, pointer.y);
    const boundary = inRows ?? boundaryInLanes(boxes.lanes, pointer.x, pointer.y);
    inside = boundary !== null;
    if (boundary === null) return;
    const stop = nearestStop(stops, boundary, { changed: pointer.alt });
    if (stop === null) return;
    previewStop(stop.stop);
    const { span, width } = spanStore.getState();
    const snapped = xOfBoundary(span, width, stop.row + 1);
    const left = boxes.lanes?.left ?? 0;
    dragPlaces.onDraw?.(inRows === null ? magnetX(pointer.x - left, snapped) : snapped);
  };
  const tick = (): void => {
    scrollAtEdges(boxes, pointer.x, pointer.y);
    look();
    frame = requestAnimationFrame(tick);
  };
  const move = (moved: PointerEvent): void => {
    pointer = { x: moved.clientX, y: moved.clientY, alt: moved.altKey };
    if (dragging || Math.hypot(pointer.x - begin.x, pointer.y - begin.y) < DRAG_THRESHOLD) return;
    dragging = true;
    setDragging(true);
    frame = requestAnimationFrame(tick);
  };
  const end = (): void => {
    cancelAnimationFrame(frame);
    source.removeEventListener('pointermove', move);
    source.removeEventListener('pointerup', up);
    source.removeEventListener('pointercancel', cancel);
    window.removeEventListener('keydown', key, true);
    setDragging(false);
  };
  const cancel = (): void => {
    end();
    leavePreview();
  };
  const up = (): void => {
    if (!dragging) {
      if (onLanes) look();
      end();
      return;
    }
    look();
    end();
    const { preview } = cursorStore.getState();
    if (!inside || preview === null) leavePreview();
    else void commitStop(preview);
  };
  const key = (pressed: KeyboardEvent): void => {
    if (pressed.key !== 'Escape') return;
    pressed.preventDefault();
    pressed.stopPropagation();
    cancel();
  };
  source.addEventListener('pointermove', move);
  source.addEventListener('pointerup', up);
  source.addEventListener('pointercancel', cancel);
  window.addEventListener('keydown', key, true);
}
