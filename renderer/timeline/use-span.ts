import { useEffect } from 'react';
import { cursorStop, cursorStore } from '../store/cursor-store.ts';
import { onSignal } from '../store/pane-signal.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { growSpan, revealBoundary, wholeSpan, zoomSpan } from './geometry.ts';
import { spanStore } from './span-store.ts';

const ZOOM = 1.6;

const rowOf = (stop: number): number => (stopAt(sessionStore.getState().index.stops, stop)?.row ?? -1) + 1;

function zoom(factor: number): void {
  const { span, rows } = spanStore.getState();
  spanStore.setState({ span: zoomSpan(span, rows, factor, rowOf(cursorStop(cursorStore.getState()))) });
}

/** Keeps the span over the thread: whole at first, grown with it, moved to the cursor, zoomed by keys. */
export function useSpan(width: number): void {
  const rows = useSession((state) => state.view?.messages.length ?? 0);
  const id = useSession((state) => state.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thread begins with its whole length
  useEffect(() => spanStore.setState({ span: wholeSpan(rows), rows: Math.max(rows, 1) }), [id]);
  useEffect(() => {
    spanStore.setState((state) => ({ span: growSpan(state.span, state.rows, rows), rows: Math.max(rows, 1) }));
  }, [rows]);
  useEffect(() => spanStore.setState({ width }), [width]);
  useEffect(() => {
    const offs = [
      onSignal('zoom-in', () => zoom(1 / ZOOM)),
      onSignal('zoom-out', () => zoom(ZOOM)),
      onSignal('zoom-all', () => spanStore.setState((state) => ({ span: wholeSpan(state.rows) }))),
      cursorStore.subscribe((state, before) => {
        if (state.dragging || cursorStop(state) === cursorStop(before)) return;
        const { span, rows: all } = spanStore.getState();
        const shown = revealBoundary(span, all, rowOf(cursorStop(state)));
        if (shown !== span) spanStore.setState({ span: shown });
      }),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, []);
}
