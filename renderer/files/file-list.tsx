import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { PlanFile } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { RowList, type RowListHandle } from '../steps/row-list.tsx';
import { useApp } from '../store/app-store.ts';
import { selectFile } from '../store/changes.ts';
import { useChanges } from '../store/changes-store.ts';
import { useCursor } from '../store/cursor-store.ts';
import { stepLens } from '../store/lens.ts';
import { useLens } from '../store/lens-store.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { showNumber } from '../ui/words.ts';
import { EVERY_FILE, type FileFilter, filterFiles, isFiltering } from './file-filter.ts';
import { FileItem } from './file-row.tsx';
import { type FileRow, listRows, treeRows } from './file-tree.ts';
import { FilterBar } from './filter-bar.tsx';
import { looksMoved } from './moved.ts';
import './files-pane.css';

const ROW_HEIGHT = 28;

const LENS_KEYS: Readonly<Record<string, -1 | 1>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Folders that are closed by hand; a new selection starts with all of them open. */
function useClosed(): [ReadonlySet<TreePath>, (path: TreePath, close?: boolean) => void] {
  const [closed, setClosed] = useState<ReadonlySet<TreePath>>(new Set());
  const set = useCallback((path: TreePath, close?: boolean) => {
    setClosed((now) => {
      const next = new Set(now);
      if (close ?? !now.has(path)) next.add(path);
      else next.delete(path);
      return next;
    });
  }, []);
  return [closed, set];
}

/** The plan's files by path, while the list shows what a revert to the cursor would do. */
function usePlanFiles(): ReadonlyMap<TreePath, PlanFile> {
  const isPlan = useChanges((state) => state.range?.kind === 'plan');
  const plan = useCursor((state) => state.plan);
  return useMemo(() => new Map(isPlan ? (plan?.files ?? []).map((file) => [file.path, file] as const) : []), [isPlan, plan]);
}

/** The files of what is looked at, with their filter; choosing one scrolls the diff to it. */
export function FileList() {
  const files = useChanges((state) => state.files);
  const file = useChanges((state) => state.file);
  const as = useApp((state) => state.settings.filesAs);
  const [filter, setFilter] = useState<FileFilter>(EVERY_FILE);
  const [closed, setClosed] = useClosed();
  const [focused, setFocused] = useState<TreePath | null>(null);
  const list = useRef<RowListHandle>(null);
  const plan = usePlanFiles();
  const lens = useLens();
  const moved = useMemo(() => looksMoved(files), [files]);
  const shown = useMemo(() => filterFiles(files, filter), [files, filter]);
  const rows = useMemo(() => (as === 'tree' ? treeRows(shown, closed) : listRows(shown)), [shown, as, closed]);
  const selectedAt = rows.findIndex((row) => row.kind === 'file' && row.path === file);
  useEffect(() => {
    if (selectedAt >= 0) list.current?.show(selectedAt);
  }, [selectedAt]);
  useEffect(() => setFocused(file), [file]);

  const onMove = (row: FileRow): void => {
    setFocused(row.path);
    if (row.kind === 'file') selectFile(row.path);
  };
  const goTo = (at: number): void => {
    const row = rows[at];
    if (row === undefined) return;
    onMove(row);
    list.current?.show(at, { focus: true });
  };
  const onKey = (event: KeyboardEvent, row: FileRow, at: number): boolean => {
    if (event.key === 'Enter' || event.key === ' ') {
      if (row.kind === 'folder') setClosed(row.path);
      else selectFile(row.path);
      return true;
    }
    // A pinned file goes through its steps by the same keys from here.
    if (lens !== null && row.kind === 'file' && LENS_KEYS[event.key] !== undefined) {
      void stepLens(LENS_KEYS[event.key] ?? 1);
      return true;
    }
    if (event.key === 'ArrowRight') {
      if (row.kind === 'folder' && !row.open) setClosed(row.path, false);
      else if (row.kind === 'folder') goTo(at + 1);
      return true;
    }
    if (event.key !== 'ArrowLeft') return false;
    if (row.kind === 'folder' && row.open) setClosed(row.path, true);
    else goTo(rows.findLastIndex((entry, place) => place < at && entry.depth < row.depth));
    return true;
  };
  const focusedAt = rows.findIndex((row) => row.path === focused);
  return (
    <>
      <FilterBar files={files} filter={filter} onFilter={setFilter} onLeave={() => goTo(Math.max(0, selectedAt))} />
      {rows.length === 0 ? (
        <Empty title="No file fits the filter">
          <Button onClick={() => setFilter(EVERY_FILE)}>Show all {showNumber(files.length)}</Button>
        </Empty>
      ) : (
        <RowList
          name="files"
          label="Files"
          rows={rows}
          heightOf={() => ROW_HEIGHT}
          active={focusedAt < 0 ? Math.max(0, selectedAt) : focusedAt}
          onMove={onMove}
          onKey={onKey}
          handle={list}
          draw={(row, place) => (
            <FileItem
              key={`${row.kind} ${row.path}`}
              row={row}
              place={place}
              flat={as === 'list'}
              selected={row.kind === 'file' && row.path === file}
              moved={moved.get(row.path)}
              plan={plan.get(row.path)}
              onToggle={setClosed}
            />
          )}
        />
      )}
      {isFiltering(filter) && rows.length > 0 ? (
        <p className="files-note muted num" role="status">
          {showNumber(shown.length)} of {showNumber(files.length)} files
        </p>
      ) : null}
    </>
  );
}
