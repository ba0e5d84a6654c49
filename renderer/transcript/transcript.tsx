import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { MessagesSquare } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { cursorStore } from '../store/cursor-store.ts';
import { listFocused } from '../store/list-focus.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { dragPlaces } from '../timeline/drag.ts';
import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';
import { count } from '../ui/words.ts';
import { estimateRow } from './estimate-row.ts';
import { FreshPill } from './fresh-pill.tsx';
import { paintRows } from './paint-rows.ts';
import { rowsOf } from './rows.ts';
import { chooseRow, TranscriptRow } from './transcript-row.tsx';
import { useFollow } from './use-follow.ts';
import { useKeepPlace } from './use-keep-place.ts';
import { useMarkWords } from './use-mark-words.ts';
import { useRowFocus } from './use-row-focus.ts';
import { useScrollToCursor } from './use-scroll-to-cursor.ts';
import './transcript.css';
import './transcript-strips.css';

/** True when a row and the line below it are in view, so that nothing needs to scroll: asking the list would cost a layout. */
function isWhollySeen(virtual: Virtualizer<HTMLDivElement, Element>, at: number): boolean {
  const item = virtual.measurementsCache[at];
  const top = virtual.scrollOffset;
  const height = virtual.scrollRect?.height;
  return item !== undefined && top !== null && height !== undefined && item.start >= top && item.end + 12 <= top + height;
}

function List() {
  const area = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const index = useSession((state) => state.index);
  const openGroups = useSession((state) => state.openGroups);
  const [active, setActive] = useState<string | null>(null);
  const rows = useMemo(() => {
    const { view } = sessionStore.getState();
    return index.stops.length === 0 || view === null ? [] : rowsOf(view, openGroups);
  }, [index, openGroups]);
  // Guessed once for a view: the list asks for all of them whenever one row is measured.
  const guesses = useMemo(() => rows.map(estimateRow), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: useCallback((at: number) => guesses[at] ?? 36, [guesses]),
    // The same function as long as the rows are the same: another one makes the list measure every row again.
    getItemKey: useCallback((at: number) => rows[at]?.key ?? at, [rows]),
    overscan: 6,
    paddingStart: 4,
    paddingEnd: 24,
    scrollPaddingEnd: 24,
  });
  const scrollTo = (at: number, align: 'auto' | 'center' | 'end'): void => {
    if (align !== 'auto' || !isWhollySeen(virtual, at)) virtual.scrollToIndex(at, { align });
  };

  useEffect(() => {
    dragPlaces.transcript = area.current;
    return () => {
      dragPlaces.transcript = null;
    };
  }, []);
  // Rows that come into view are painted before they are seen; a move of the cursor paints those that are there.
  useLayoutEffect(() => {
    if (list.current !== null) paintRows(list.current);
  });
  useEffect(
    () =>
      cursorStore.subscribe(() => {
        if (list.current !== null) paintRows(list.current);
      }),
    [],
  );
  useScrollToCursor(rows, scrollTo);
  useFollow(area, rows.length, scrollTo);
  useKeepPlace(virtual, rows);
  useMarkWords(list);
  const focus = useRowFocus({ rows, list, active, setActive, scrollTo });

  const press = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (!(event.target instanceof HTMLElement) || event.target.tagName !== 'ARTICLE') return;
    const direction = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (direction !== 0) focus(direction);
    else if (event.key === ' ') {
      const row = rows.find((entry) => entry.key === active);
      if (row !== undefined) chooseRow(row);
    } else return;
    event.preventDefault();
  };
  const focused = (event: FocusEvent<HTMLDivElement>): void => {
    const place = event.target.closest<HTMLElement>('[data-index]');
    const row = rows[Number(place?.dataset['index'])];
    if (row === undefined) return;
    listFocused('transcript');
    setActive(row.key);
  };
  const first = active ?? rows.at(-1)?.key ?? null;
  if (rows.length === 0) {
    return (
      <Empty icon={<MessagesSquare />} title="No message yet">
        Messages appear here as the agent writes its log.
      </Empty>
    );
  }
  return (
    <div className="transcript" ref={area}>
      <div
        className="transcript-list"
        role="feed"
        aria-label="Transcript"
        ref={list}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={press}
        onFocus={focused}
      >
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={item.key}
              className="row-place"
              ref={virtual.measureElement}
              data-index={item.index}
              data-row={row.at}
              data-last-row={row.last}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <TranscriptRow row={row} position={item.index + 1} size={rows.length} active={row.key === first} />
            </div>
          );
        })}
      </div>
      <FreshPill />
    </div>
  );
}

/** The conversation, newest below. */
export function Transcript() {
  const messages = useSession((state) => state.view?.messages.length ?? 0);
  return (
    <Pane label="Transcript" title="Transcript" tools={<span className="pane-note muted num">{count(messages, 'message')}</span>}>
      <List />
    </Pane>
  );
}
