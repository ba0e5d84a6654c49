/** The part of the thread that the lanes show, in rows; boundary b lies before row b. */
export interface Span {
  from: number;
  to: number;
}

/** The narrowest zoom, in rows. */
export const LEAST_SPAN = 8;
/** From here on rows are drawn in buckets. */
export const MOST_BARS = 2000;
/** Pixels around a boundary where the dragged cursor is drawn to it. */
export const MAGNET = 6;
/** Pixels the pointer must move before a press becomes a drag. */
export const DRAG_THRESHOLD = 4;
/** Pixels at the ends of the lanes where a drag scrolls. */
export const EDGE = 24;

export const wholeSpan = (rows: number): Span => ({ from: 0, to: Math.max(rows, 1) });

export function xOfBoundary(span: Span, width: number, boundary: number): number {
  return ((boundary - span.from) / (span.to - span.from)) * width;
}

/** The place under a pixel, in rows, with the fraction. */
export function boundaryOfX(span: Span, width: number, x: number): number {
  return span.from + (width <= 0 ? 0 : x / width) * (span.to - span.from);
}

/** Where a dragged cursor is drawn: on the boundary when it is near, else under the pointer. */
export function magnetX(pointer: number, boundary: number): number {
  return Math.abs(pointer - boundary) <= MAGNET ? boundary : pointer;
}

function within(span: Span, rows: number): Span {
  const length = Math.min(Math.max(span.to - span.from, Math.min(LEAST_SPAN, rows)), Math.max(rows, 1));
  const from = Math.min(Math.max(span.from, 0), Math.max(rows, 1) - length);
  return { from, to: from + length };
}

/** Zooms so that the row under `pivot` stays where it is; a factor below 1 shows fewer rows. */
export function zoomSpan(span: Span, rows: number, factor: number, pivot: number): Span {
  const length = Math.min(Math.max((span.to - span.from) * factor, Math.min(LEAST_SPAN, rows)), Math.max(rows, 1));
  const share = (pivot - span.from) / (span.to - span.from);
  const from = pivot - share * length;
  return within({ from, to: from + length }, rows);
}

export function panSpan(span: Span, rows: number, by: number): Span {
  return within({ from: span.from + by, to: span.to + by }, rows);
}

/** Moves the span just far enough that a boundary is inside it, with a little air. */
export function revealBoundary(span: Span, rows: number, boundary: number): Span {
  const air = (span.to - span.from) * 0.08;
  if (boundary < span.from + air && span.from > 0) return panSpan(span, rows, boundary - span.from - air);
  if (boundary > span.to - air && span.to < rows) return panSpan(span, rows, boundary - span.to + air);
  return span;
}

export const isWhole = (span: Span, rows: number): boolean => span.from <= 0 && span.to >= rows;

/** Keeps a span over a thread that grew: the whole stays the whole, and one at the end stays at the end. */
export function growSpan(span: Span, before: number, rows: number): Span {
  if (isWhole(span, before)) return wholeSpan(rows);
  return span.to >= before ? panSpan(span, rows, rows - before) : within(span, rows);
}
