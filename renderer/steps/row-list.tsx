import { type CSSProperties, type KeyboardEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react';
import { type ListName, listFocused, registerList } from '../store/list-focus.ts';
import { onSignal } from '../store/pane-signal.ts';
import { useWindow } from './use-window.ts';
import './row-list.css';

/** What a row element must carry, whatever it draws. */
export interface RowPlace {
  'data-index': number;
  tabIndex: 0 | -1;
  style: CSSProperties;
}

export interface RowListHandle {
  /** Brings a row into view; with `focus` it also gets the focus. */
  show(at: number, options?: { focus?: boolean }): void;
}

export interface RowListProps<R> {
  name: Extract<ListName, 'steps' | 'files'>;
  label: string;
  /** Several rows can be selected. */
  multiple?: boolean;
  rows: readonly R[];
  heightOf(row: R): number;
  /** Place of the row that Tab goes to. */
  active: number;
  /** The focus moved to a row by a key; with `extend`, while Shift is held. */
  onMove(row: R, at: number, options: { extend: boolean }): void;
  /** Other keys on a row; true when it took the key. */
  onKey?(event: KeyboardEvent, row: R, at: number): boolean;
  draw(row: R, place: RowPlace): ReactNode;
  handle?: Ref<RowListHandle>;
}

const PAGE = 10;

/** Where a key goes from a row; null for a key that does not move. */
export function targetOfKey(key: string, at: number, count: number): number | null {
  const within = (next: number): number => Math.min(Math.max(next, 0), count - 1);
  switch (key) {
    case 'ArrowDown':
      return within(at + 1);
    case 'ArrowUp':
      return within(at - 1);
    case 'PageDown':
      return within(at + PAGE);
    case 'PageUp':
      return within(at - PAGE);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/** A tree of one-line rows: virtual, with the focus on one row at a time. The focused row stays in the document wherever it is scrolled to. */
export function RowList<R>(props: RowListProps<R>) {
  const { name, label, multiple = false, rows, heightOf, active, onMove, onKey, draw, handle } = props;
  const area = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of a row hangs on the row alone
  const heights = useMemo(() => rows.map(heightOf), [rows]);
  const shown = useWindow(area, heights);
  const places = usePlaces();

  const show = (at: number, { focus = false } = {}): void => {
    shown.scrollTo(at);
    if (!focus) return;
    listFocused(name);
    const take = (tries: number): void => {
      const element = area.current?.querySelector<HTMLElement>(`[data-index="${at}"]`);
      if (element != null) element.focus({ preventScroll: true });
      else if (tries > 0) requestAnimationFrame(() => take(tries - 1));
    };
    requestAnimationFrame(() => take(5));
  };
  const move = (at: number, extend: boolean): void => {
    const row = rows[at];
    if (row === undefined) return;
    onMove(row, at, { extend });
    show(at, { focus: true });
  };
  const latest = useRef({ move, show, active, count: rows.length });
  latest.current = { move, show, active, count: rows.length };
  useImperativeHandle(handle, () => ({ show: (at, options) => latest.current.show(at, options) }), []);
  useEffect(() => {
    const offs = [
      registerList(name, (direction) => {
        const now = latest.current;
        now.move(Math.min(Math.max(now.active + direction, 0), now.count - 1), false);
      }),
      onSignal(name === 'steps' ? 'focus-steps' : 'focus-files', () =>
        latest.current.show(Math.max(0, latest.current.active), { focus: true }),
      ),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, [name]);

  const press = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (!(event.target instanceof HTMLElement) || event.target.role !== 'treeitem') return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Number(event.target.dataset['index']);
    const row = rows[at];
    if (row === undefined) return;
    const target = targetOfKey(event.key, at, rows.length);
    if (target !== null) move(target, event.shiftKey);
    else if (onKey?.(event, row, at) !== true) return;
    event.preventDefault();
  };
  const drawn: ReactNode[] = [];
  const add = (at: number): void => {
    const row = rows[at];
    if (row !== undefined) drawn.push(draw(row, places(at, shown.top(at), shown.layout.height(at), at === active)));
  };
  if (active >= 0 && active < shown.first) add(active);
  for (let at = shown.first; at <= shown.last; at++) add(at);
  if (active > shown.last) add(active);
  return (
    <div className="row-list" ref={area}>
      <div
        className="row-list-track"
        role="tree"
        aria-label={label}
        aria-multiselectable={multiple || undefined}
        style={{ height: shown.total }}
        onKeyDown={press}
        onFocus={() => listFocused(name)}
      >
        {drawn}
      </div>
    </div>
  );
}

/** The same object for the same place, so that a row that did not move is not drawn again. */
function usePlaces(): (at: number, top: number, height: number, active: boolean) => RowPlace {
  const known = useRef(new Map<string, RowPlace>());
  return (at, top, height, active) => {
    const key = `${at} ${top} ${height} ${active}`;
    const place = known.current.get(key) ?? {
      'data-index': at,
      tabIndex: active ? 0 : -1,
      style: { height, transform: `translateY(${top}px)` },
    };
    if (known.current.size > 2_000) known.current.clear();
    known.current.set(key, place);
    return place;
  };
}
