import { useEffect, useRef } from 'react';
import { cursorStop, cursorStore } from '../store/cursor-store.ts';
import { onSignal } from '../store/pane-signal.ts';
import { searchStore } from '../store/search-store.ts';
import { sessionStore } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { toggleGroup } from './expand.ts';
import { positionOfMessage, type Row } from './rows.ts';

/** A drag passes many rows a frame; the transcript keeps step without making all of them. */
const DRAG_MS = 60;

/** Moves the transcript with the cursor, to search matches, and to where the thread stands. Not while the pointer drags over it. */
export function useScrollToCursor(rows: readonly Row[], scrollTo: (at: number, align: 'auto' | 'center') => void): void {
  const latest = useRef({ rows, scrollTo });
  latest.current = { rows, scrollTo };
  useEffect(() => {
    const show = (message: number, align: 'auto' | 'center'): void => {
      const position = positionOfMessage(latest.current.rows, Math.max(message, 0));
      if (position >= 0) latest.current.scrollTo(position, align);
    };
    const toCursor = (align: 'auto' | 'center'): void => {
      const stop = stopAt(sessionStore.getState().index.stops, cursorStop(cursorStore.getState()));
      if (stop !== null) show(stop.row, align);
    };
    const toMatch = (): void => {
      const { rows: found, at } = searchStore.getState();
      const row = found[at];
      if (row === undefined) return;
      const holder = latest.current.rows[positionOfMessage(latest.current.rows, row)];
      // A match in folded messages unfolds them; the rows are others then.
      if (holder?.kind === 'group' && !holder.open) {
        toggleGroup(holder.key.slice(2));
        setTimeout(() => show(row, 'center'), 0);
      } else show(row, 'center');
    };
    const { view } = sessionStore.getState();
    if (searchStore.getState().at >= 0) toMatch();
    else if (view?.standing != null || cursorStore.getState().preview !== null) toCursor('center');
    let timer: ReturnType<typeof setTimeout> | null = null;
    const offs = [
      cursorStore.subscribe((state, before) => {
        if (cursorStop(state) === cursorStop(before) || timer !== null) return;
        if (state.dragging && document.querySelector('.row-line:active') !== null) return;
        const wait = state.dragging ? DRAG_MS : 0;
        timer = setTimeout(() => {
          timer = null;
          toCursor('auto');
        }, wait);
      }),
      () => clearTimeout(timer ?? undefined),
      onSignal('scroll-to-cursor', () => toCursor('center')),
      onSignal('scroll-to-match', toMatch),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, []);
}
