import { type PointerEvent, useEffect, useRef } from 'react';
import { cursorStop, cursorStore, useCursor } from '../store/cursor-store.ts';
import { onSignal } from '../store/pane-signal.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { beginDrag, dragPlaces } from './drag.ts';
import { xOfBoundary } from './geometry.ts';
import { spanStore } from './span-store.ts';
import { valueText, wordsOfStop } from './stop-words.ts';

const place = (stop: number): number => {
  const { span, width } = spanStore.getState();
  return xOfBoundary(span, width, stopAt(sessionStore.getState().index.stops, stop)?.boundary ?? 0);
};

/**
 * The time cursor: a slider over the stops. It is moved by writing its style and its ARIA values, not by drawing it again,
 * so that a move costs the same in a thread of any length.
 */
export function Cursor() {
  const handle = useRef<HTMLButtonElement>(null);
  const veil = useRef<HTMLDivElement>(null);
  const here = useRef<HTMLDivElement>(null);
  const index = useSession((state) => state.index);
  const looking = useCursor((state) => state.preview !== null);
  const last = index.stops.at(-1)?.stop ?? 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another index moves every stop
  useEffect(() => {
    const draw = (x: number): void => {
      if (handle.current !== null) handle.current.style.transform = `translateX(${x}px)`;
      if (veil.current !== null) veil.current.style.transform = `translateX(${x}px)`;
    };
    const settle = (): void => {
      const state = cursorStore.getState();
      const stop = cursorStop(state);
      if (!state.dragging) draw(place(stop));
      if (here.current !== null) here.current.style.transform = `translateX(${place(state.here)}px)`;
      if (handle.current === null || handle.current.getAttribute('aria-valuenow') === String(stop)) return;
      const words = wordsOfStop(stop);
      handle.current.setAttribute('aria-valuenow', String(stop));
      handle.current.setAttribute('aria-valuetext', words === null ? '' : valueText(words));
    };
    dragPlaces.onDraw = draw;
    handle.current?.removeAttribute('aria-valuenow');
    settle();
    const offCursor = cursorStore.subscribe(settle);
    const offSpan = spanStore.subscribe(settle);
    const offFocus = onSignal('focus-cursor', () => handle.current?.focus());
    return () => {
      offCursor();
      offSpan();
      offFocus();
      dragPlaces.onDraw = null;
    };
  }, [index]);

  return (
    <div className="timeline-clip">
      <div className="timeline-veil-clip" aria-hidden="true">
        <div className="timeline-veil" ref={veil} data-looking={looking || undefined} />
      </div>
      <div className="timeline-here" ref={here} aria-hidden="true" data-looking={looking || undefined} />
      <button
        type="button"
        ref={handle}
        className="timeline-cursor"
        role="slider"
        aria-label="Time cursor"
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuenow={0}
        aria-valuemax={last}
        data-looking={looking || undefined}
        data-focus-home=""
        onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
          event.stopPropagation();
          beginDrag(event.nativeEvent, event.currentTarget);
        }}
      >
        <span className="timeline-grip" aria-hidden="true" />
      </button>
    </div>
  );
}
