import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  boundaryOfX,
  growSpan,
  LEAST_SPAN,
  MAGNET,
  magnetX,
  panSpan,
  revealBoundary,
  type Span,
  wholeSpan,
  xOfBoundary,
  zoomSpan,
} from '../../renderer/timeline/geometry.ts';

const rowsAndSpan = fc.integer({ min: LEAST_SPAN, max: 100_000 }).chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    span: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })).map(([place, size]): Span => {
      const length = LEAST_SPAN + size * (rows - LEAST_SPAN);
      const from = place * (rows - length);
      return { from, to: from + length };
    }),
  }),
);

const inside = (span: Span, rows: number): boolean => span.from >= -1e-6 && span.to <= rows + 1e-6 && span.to > span.from;

describe('places', () => {
  test('a boundary and its pixel are the inverse of each other', () => {
    fc.assert(
      fc.property(rowsAndSpan, fc.integer({ min: 1, max: 4000 }), fc.double({ min: 0, max: 1, noNaN: true }), ({ span }, width, share) => {
        const boundary = span.from + share * (span.to - span.from);
        expect(boundaryOfX(span, width, xOfBoundary(span, width, boundary))).toBeCloseTo(boundary, 4);
      }),
    );
  });

  test('the whole thread of 120 rows on 1200 px', () => {
    const span = wholeSpan(120);
    expect(xOfBoundary(span, 1200, 34)).toBe(340);
    expect(boundaryOfX(span, 1200, 347)).toBeCloseTo(34.7);
  });

  test('an empty thread has a span that can be divided by', () => {
    expect(wholeSpan(0)).toEqual({ from: 0, to: 1 });
    expect(boundaryOfX(wholeSpan(0), 0, 5)).toBe(0);
  });

  test('the cursor is drawn to a boundary within the magnet only', () => {
    expect(magnetX(100 + MAGNET, 100)).toBe(100);
    expect(magnetX(100 - MAGNET, 100)).toBe(100);
    expect(magnetX(101 + MAGNET, 100)).toBe(101 + MAGNET);
  });
});

describe('zoom and pan', () => {
  test('stay inside the thread and never get narrower than the least span', () => {
    fc.assert(
      fc.property(
        rowsAndSpan,
        fc.double({ min: 0.01, max: 50, noNaN: true }),
        fc.double({ min: -0.2, max: 1.2, noNaN: true }),
        ({ rows, span }, factor, share) => {
          const pivot = span.from + share * (span.to - span.from);
          const zoomed = zoomSpan(span, rows, factor, pivot);
          expect(inside(zoomed, rows)).toBe(true);
          expect(zoomed.to - zoomed.from).toBeGreaterThanOrEqual(LEAST_SPAN - 1e-6);
          expect(inside(panSpan(span, rows, (share - 0.5) * rows * 3), rows)).toBe(true);
        },
      ),
    );
  });

  test('the row under the pointer stays where it is while there is room', () => {
    const before = { from: 40, to: 80 };
    const after = zoomSpan(before, 200, 0.5, 50);
    expect(after).toEqual({ from: 45, to: 65 });
    expect(xOfBoundary(after, 1000, 50)).toBe(xOfBoundary(before, 1000, 50));
  });

  test('a thread shorter than the least span shows whole', () => {
    expect(zoomSpan({ from: 0, to: 3 }, 3, 0.1, 1)).toEqual({ from: 0, to: 3 });
  });
});

describe('the span and the cursor', () => {
  test('is left alone while the cursor is well inside', () => {
    const span = { from: 10, to: 60 };
    expect(revealBoundary(span, 100, 30)).toBe(span);
  });

  test('moves just far enough to either side, with air', () => {
    expect(revealBoundary({ from: 10, to: 60 }, 100, 62)).toEqual({ from: 16, to: 66 });
    expect(revealBoundary({ from: 40, to: 90 }, 100, 20)).toEqual({ from: 16, to: 66 });
    expect(revealBoundary({ from: 40, to: 90 }, 100, 0)).toEqual({ from: 0, to: 50 });
  });

  test('the cursor is always visible after it', () => {
    fc.assert(
      fc.property(rowsAndSpan, fc.double({ min: 0, max: 1, noNaN: true }), ({ rows, span }, share) => {
        const boundary = Math.round(share * rows);
        const shown = revealBoundary(span, rows, boundary);
        expect(boundary).toBeGreaterThanOrEqual(shown.from - 1e-6);
        expect(boundary).toBeLessThanOrEqual(shown.to + 1e-6);
      }),
    );
  });
});

describe('a thread that grows', () => {
  test('the whole stays the whole', () => expect(growSpan({ from: 0, to: 50 }, 50, 53)).toEqual({ from: 0, to: 53 }));
  test('a zoom at the end stays at the end', () => expect(growSpan({ from: 30, to: 50 }, 50, 53)).toEqual({ from: 33, to: 53 }));
  test('a zoom elsewhere stays', () => expect(growSpan({ from: 10, to: 30 }, 50, 53)).toEqual({ from: 10, to: 30 }));
});
