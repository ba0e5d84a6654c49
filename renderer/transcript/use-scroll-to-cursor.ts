import { useEffect, useRef } from 'react';
import { cursorStop, cursorStore } from '../store/cursor-store.ts';
import { onSignal } from '../store/pane-signal.ts';
import { searchStore } from '../store/search-store.ts';
import { sessionStore } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { positionOfMessage, type Row } from './rows.ts';

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
    const { view } = sessionStore.getState();
    if (view?.standing != null) toCursor('center');
    const offs = [
      cursorStore.subscribe((state, before) => {
        if (cursorStop(state) === cursorStop(before)) return;
        const overList = state.dragging && document.querySelector('.row-line:active') !== null;
        if (!overList) toCursor('auto');
      }),
      onSignal('scroll-to-cursor', () => toCursor('center')),
      onSignal('scroll-to-match', () => {
        const { rows: found, at } = searchStore.getState();
        const row = found[at];
        if (row !== undefined) show(row, 'center');
      }),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, []);
}
