import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { cursorStore } from '../store/cursor-store.ts';
import { useSession } from '../store/session-store.ts';
import type { Row } from './rows.ts';

/** The first row in view, and how far it is scrolled past. */
interface Place {
  key: string;
  past: number;
}

function placeOf(virtual: Virtualizer<HTMLDivElement, Element>, rows: readonly Row[]): Place | null {
  const top = virtual.scrollOffset ?? 0;
  const item = virtual.getVirtualItems().find((one) => one.end > top);
  const row = item === undefined ? undefined : rows[item.index];
  return item === undefined || row === undefined ? null : { key: row.key, past: top - item.start };
}

/** Keeps the row that is read where it is when the whole thread takes the place of its end: hundreds of rows come above it. */
export function useKeepPlace(virtual: Virtualizer<HTMLDivElement, Element>, rows: readonly Row[]): void {
  const partial = useSession((state) => state.partial !== null);
  const place = useRef<Place | null>(null);
  const was = useRef(partial);
  useLayoutEffect(() => {
    const whole = was.current && !partial;
    was.current = partial;
    if (!whole || place.current === null || cursorStore.getState().following) return;
    const { key, past } = place.current;
    const at = rows.findIndex((row) => row.key === key);
    const start = at < 0 ? undefined : virtual.getOffsetForIndex(at, 'start')?.[0];
    if (start !== undefined) virtual.scrollToOffset(start + past);
  }, [partial, rows, virtual]);
  // After every drawing, scrolling included: what is in view now.
  useEffect(() => {
    if (partial) place.current = placeOf(virtual, rows);
  });
}
