import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { cursorStore } from '../store/cursor-store.ts';
import { onSignal } from '../store/pane-signal.ts';
import { setFollowing } from '../store/preview.ts';

/** Pixels from the end at which the view still counts as being there. */
const NEAR = 48;

/** Keeps the end in view while the view follows. The wheel stops that, and coming back to the end starts it again. */
export function useFollow(area: RefObject<HTMLElement | null>, rows: number, scrollTo: (at: number, align: 'end') => void): void {
  const latest = useRef(scrollTo);
  latest.current = scrollTo;
  const count = useRef(rows);
  count.current = rows;
  useLayoutEffect(() => {
    if (rows > 0 && cursorStore.getState().following) latest.current(rows - 1, 'end');
  }, [rows]);
  useEffect(() => onSignal('scroll-to-end', () => latest.current(count.current - 1, 'end')), []);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const wheel = (): void => {
      requestAnimationFrame(() => {
        const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
        const { following, preview } = cursorStore.getState();
        if (following !== atEnd && preview === null) setFollowing(atEnd);
      });
    };
    element.addEventListener('wheel', wheel, { passive: true });
    return () => element.removeEventListener('wheel', wheel);
  }, [area]);
}
