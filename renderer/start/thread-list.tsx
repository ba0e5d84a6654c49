import { useVirtualizer } from '@tanstack/react-virtual';
import { CornerDownRight, Folder } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ThreadHead } from '../../shared/model.ts';
import { useApp } from '../store/app-store.ts';
import { listFocused, registerList } from '../store/list-focus.ts';
import { openThread } from '../store/session.ts';
import { locateWorkspace } from '../store/threads.ts';
import { useThreads } from '../store/threads-store.ts';

import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { SOURCE_NAMES, showPath, titleOfThread, workspaceName } from '../ui/names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { When } from '../ui/when.tsx';
import { count, showBytes } from '../ui/words.ts';
import { chosenThreads } from './thread-filter.ts';
import { filterThreads, groupThreads, type ThreadRow } from './thread-groups.ts';
import './thread-list.css';

const HEAD = 40;
const ROW = 36;

function Workspace({ row }: { row: Extract<ThreadRow, { kind: 'workspace' }> }) {
  const home = useApp((state) => state.info?.home);
  return (
    <div className="thread-workspace" role="presentation">
      <Folder aria-hidden="true" />
      <span className="thread-workspace-name">{workspaceName(row.root)}</span>
      {row.root === null ? (
        <span className="muted cut">the log does not say where it worked</span>
      ) : (
        <span className="muted mono cut">{showPath(row.root, home)}</span>
      )}
      {row.gone && row.root !== null ? (
        <>
          <Badge tone="changed">folder not found</Badge>
          {/* For the pointer: a list of options holds no buttons. By keys, the opened thread offers the same. */}
          <Button className="thread-locate" tabIndex={-1} aria-hidden="true" onClick={() => void locateWorkspace(row.root ?? '')}>
            Locate folder…
          </Button>
        </>
      ) : null}
      <span className="muted num thread-workspace-count">{row.count}</span>
    </div>
  );
}

/** Turns and changed files, as far as they are known. */
function countsOf({ turns, files }: ThreadHead): string {
  const known = [turns == null ? null : count(turns, 'turn'), files == null ? null : count(files, 'file')];
  return known.filter(Boolean).join(' · ');
}

function Thread({ row }: { row: Extract<ThreadRow, { kind: 'thread' }> }) {
  const { head, child } = row;
  return (
    <>
      {child ? (
        <>
          <CornerDownRight className="thread-child" aria-hidden="true" />
          <span className="sr">Sub-agent: </span>
        </>
      ) : null}
      <Tooltip text={head.log}>
        <span className="thread-title cut">{titleOfThread(head)}</span>
      </Tooltip>
      <Badge>{SOURCE_NAMES[head.source]}</Badge>
      <span className="thread-counts muted num">{countsOf(head)}</span>
      <span className="thread-size muted num">{head.size === null ? '' : showBytes(head.size)}</span>
      <span className="thread-when muted">
        <When at={head.updatedAt} />
      </span>
    </>
  );
}

/** The threads by workspace, as a listbox: arrows or J and K move, Enter opens. */
export function ThreadList() {
  const area = useRef<HTMLDivElement>(null);
  const threads = useThreads((state) => state.threads);
  const filter = useThreads((state) => state.filter);
  const [chosen, setChosen] = useState<string | null>(null);
  const choice = useThreads((state) => state.choice);
  const rows = useMemo(() => groupThreads(filterThreads(chosenThreads(threads, choice), filter)), [threads, choice, filter]);
  const options = useMemo(() => rows.filter((row) => row.kind === 'thread'), [rows]);
  const active = options.find((row) => row.key === chosen) ?? options[0] ?? null;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: (at) => (rows[at]?.kind === 'workspace' ? HEAD : ROW),
    getItemKey: useCallback((at: number) => rows[at]?.key ?? at, [rows]),
    overscan: 8,
  });
  const move = (direction: -1 | 1): void => {
    const from = active === null ? -1 : options.indexOf(active);
    const next = options[Math.min(Math.max(from + direction, 0), options.length - 1)];
    if (next === undefined) return;
    setChosen(next.key);
    virtual.scrollToIndex(rows.indexOf(next));
  };
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => registerList('threads', (direction) => latest.current(direction)), []);
  // At the start and back from a thread nothing has the focus: the arrows are for the list then.
  useEffect(() => {
    if (document.activeElement === document.body) area.current?.focus({ preventScroll: true });
  }, []);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && active !== null) void openThread(active.key);
    else return;
    event.preventDefault();
  };
  if (rows.length === 0) return <p className="thread-none muted">No thread fits. Enter looks for the words in the texts of all threads.</p>;
  return (
    <div
      className="thread-list"
      ref={area}
      role="listbox"
      aria-label="Threads"
      data-focus-home=""
      tabIndex={0}
      aria-activedescendant={active === null ? undefined : `thread-${active.key}`}
      onKeyDown={press}
      onFocus={() => listFocused('threads')}
    >
      <div role="presentation" className="thread-list-inner" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          const style = { transform: `translateY(${item.start}px)`, height: item.size };
          if (row.kind === 'workspace') {
            return (
              <div key={item.key} className="thread-place" role="presentation" style={style}>
                <Workspace row={row} />
              </div>
            );
          }
          return (
            <div
              key={item.key}
              id={`thread-${row.key}`}
              className="thread-place thread-row"
              role="option"
              aria-selected={row === active}
              aria-posinset={options.indexOf(row) + 1}
              aria-setsize={options.length}
              data-child={row.child || undefined}
              style={style}
              onClick={() => void openThread(row.key)}
              onPointerMove={() => setChosen(row.key)}
            >
              <Thread row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
