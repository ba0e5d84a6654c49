import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createStackLayout, type StackLayout } from '../diff/stack-layout.ts';

/** Rows beyond both ends of the visible part. */
const OVERSCAN = 8;
const PADDING = 4;

export interface RowWindow {
  layout: StackLayout;
  first: number;
  last: number;
  /** Height of the whole list. */
  total: number;
  /** Top of a row inside of it. */
  top(at: number): number;
  /** Brings a row into view by the shortest way. */
  scrollTo(at: number): void;
}

/**
 * The rows of a list that must exist, for rows whose heights are known. Nothing here asks the document for its layout while it is being
 * changed: with every press of a key that would lay the whole window out again.
 */
export function useWindow(area: RefObject<HTMLElement | null>, heights: readonly number[]): RowWindow {
  const layout = useMemo(() => createStackLayout(heights), [heights]);
  const view = useRef({ scroll: 0, height: 0 });
  const newest = useRef(layout);
  newest.current = layout;
  const [range, setRange] = useState({ first: 0, last: -1 });
  const look = useCallback(() => {
    const { scroll, height } = view.current;
    const seen = newest.current.visible(scroll - PADDING, scroll + height) ?? { first: 0, last: -1 };
    const first = Math.max(0, seen.first - OVERSCAN);
    const last = Math.min(newest.current.count - 1, seen.last + OVERSCAN);
    setRange((now) => (now.first === first && now.last === last ? now : { first, last }));
  }, []);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    const scrolled = (): void => {
      view.current.scroll = element.scrollTop;
      look();
    };
    const observer = new ResizeObserver(() => {
      view.current.height = element.clientHeight;
      look();
    });
    view.current = { scroll: element.scrollTop, height: element.clientHeight };
    observer.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [area, look]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are another window
  useLayoutEffect(look, [layout, look]);
  const scrollTo = useCallback(
    (at: number) => {
      const element = area.current;
      if (element === null || at < 0) return;
      const { scroll, height } = view.current;
      const top = newest.current.top(at);
      const bottom = top + newest.current.height(at) + PADDING * 2;
      const next = top < scroll ? top : bottom > scroll + height ? bottom - height : scroll;
      if (next === scroll) return;
      view.current.scroll = next;
      element.scrollTop = next;
      look();
    },
    [area, look],
  );
  return {
    layout,
    first: range.first,
    last: Math.min(range.last, layout.count - 1),
    total: layout.total() + PADDING * 2,
    top: (at) => layout.top(at) + PADDING,
    scrollTo,
  };
}
