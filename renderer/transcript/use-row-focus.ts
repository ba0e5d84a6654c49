import { type RefObject, useEffect, useRef } from 'react';
import { listFocused, registerList } from '../store/list-focus.ts';
import { onSignal } from '../store/pane-signal.ts';
import type { Row } from './rows.ts';

interface RowFocus {
  rows: readonly Row[];
  list: RefObject<HTMLElement | null>;
  active: string | null;
  setActive: (key: string) => void;
  scrollTo: (at: number, align: 'auto') => void;
}

/** Roving focus over rows that may not be mounted yet: scroll there, then focus. Gives the function that moves it. */
export function useRowFocus({ rows, list, active, setActive, scrollTo }: RowFocus): (direction: -1 | 0 | 1) => void {
  const move = (direction: -1 | 0 | 1): void => {
    listFocused('transcript');
    const from = rows.findIndex((row) => row.key === active);
    const at = from < 0 ? rows.length - 1 : Math.min(Math.max(from + direction, 0), rows.length - 1);
    const row = rows[at];
    if (row === undefined) return;
    setActive(row.key);
    scrollTo(at, 'auto');
    const focus = (tries: number): void => {
      const element = list.current?.querySelector<HTMLElement>(`[data-index="${at}"] > article`);
      if (element != null) element.focus({ preventScroll: true });
      else if (tries > 0) requestAnimationFrame(() => focus(tries - 1));
    };
    requestAnimationFrame(() => focus(5));
  };
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => {
    const offs = [
      registerList('transcript', (direction) => latest.current(direction)),
      onSignal('focus-transcript', () => latest.current(0)),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, []);
  return move;
}
