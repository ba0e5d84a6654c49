import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Range } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { runCommand } from '../commands.ts';
import { bringBackBlock } from '../store/bring-back.ts';
import { changesStore, useChanges } from '../store/changes-store.ts';
import { onSignal } from '../store/pane-signal.ts';
import { showToast } from '../store/toast-store.ts';
import type { DiffLook } from './diff-look.ts';
import { FileSection } from './file-section.tsx';
import { createHunkWalk } from './hunk-walk.ts';
import type { Monaco } from './load-monaco.ts';
import { useStableFiles } from './use-stable-files.ts';
import { useStage } from './use-stage.ts';
import './multi-diff.css';

/** Keys of the walk, which work inside of an editor too: it is read only and does not need them. */
const WALK_KEYS: Readonly<Record<string, string>> = {
  ',': 'hunk-previous',
  '.': 'hunk-next',
  '[': 'file-previous',
  ']': 'file-next',
  '{': 'lens-previous',
  '}': 'lens-next',
};

const SCROLL_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

function walkFromEditor(event: React.KeyboardEvent<HTMLElement>): void {
  const command = WALK_KEYS[event.key];
  const inEditor = event.target instanceof Element && event.target.closest('.monaco-editor') !== null;
  if (command === undefined || !inEditor || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest('.find-widget') !== null) return;
  event.preventDefault();
  event.stopPropagation();
  runCommand(command);
}

export interface MultiDiffProps {
  thread: string;
  range: Range;
  title: string;
  files: readonly FileChange[];
  look: DiffLook;
  monaco: Monaco | null;
}

/** All files of a range in one scroll. */
export function MultiDiff({ thread, title, look, monaco, ...asGiven }: MultiDiffProps) {
  const { range, files } = useStableFiles(asGiven.range, asGiven.files);
  const scroller = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const arrived = useRef<(index: number) => void>(() => {});
  const [said, setSaid] = useState('');
  const stage = useStage({ thread, range, files, look, monaco, onReady: (index) => arrived.current(index) });
  const { stack } = stage;
  const shown = useSyncExternalStore(stack.subscribe, stack.window);
  const file = useChanges((state) => state.file);
  const asked = useChanges((state) => state.fileAsked);
  const places = useMemo(() => new Map(files.map((entry, index) => [entry.path, index])), [files]);
  const place = useRef<{ range: Range | null; path: string | null; passed: number }>({ range: null, path: null, passed: 0 });
  // The list follows the scroll only while the user scrolls: at the end of the scroll the chosen file may not reach the top.
  const byHand = useRef(false);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || track.current === null) return;
    const detach = stack.attach(element, track.current);
    const { file: now } = changesStore.getState();
    const index = now === null ? 0 : (places.get(now) ?? 0);
    // The same list with another look, or read again from disk: the place in the file stays.
    const passed = place.current.range === range && place.current.path === now ? place.current.passed : 0;
    stack.reveal(index, Math.min(passed, Math.max(0, stack.layout.height(index) - 1)));
    const stop = stack.onMove(() => {
      const current = stack.current();
      const path = files[current]?.path ?? null;
      place.current = { range, path, passed: stack.passed(current) };
      if (byHand.current && path !== changesStore.getState().file) changesStore.setState({ file: path });
    });
    return () => {
      stop();
      detach();
    };
  }, [stack, files, places, range]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again for the same file scrolls to it again
  useEffect(() => {
    const index = file === null ? undefined : places.get(file);
    if (asked === 0 || index === undefined) return;
    byHand.current = false;
    if (stack.folded(index)) stage.fold(index);
    stack.reveal(index);
  }, [asked]);

  const walk = useMemo(
    () =>
      createHunkWalk({
        stage,
        count: files.length,
        onPlace({ index, hunk, hunks }) {
          const path = files[index]?.path ?? null;
          if (path !== changesStore.getState().file) changesStore.setState({ file: path });
          setSaid(`Change ${hunk + 1} of ${hunks}, ${path === null ? '' : showTreePath(path)}`);
        },
      }),
    [stage, files],
  );
  useEffect(() => {
    arrived.current = walk.arrived;
    const go = (direction: -1 | 1) => (): void => {
      byHand.current = false;
      walk.go(direction);
    };
    const bringBack = (): void => {
      const at = walk.place();
      const hunk = at?.hunk == null ? undefined : stage.handle(at.index)?.hunks()[at.hunk];
      const path = at === null ? undefined : files[at.index]?.path;
      if (hunk !== undefined && path !== undefined) void bringBackBlock(path, hunk);
      else showToast({ text: 'Go to a change first, with “Next change in the file”.' });
    };
    const stops = [
      onSignal('hunk-next', go(1)),
      onSignal('hunk-previous', go(-1)),
      onSignal('bring-back-change', bringBack),
      onSignal('focus-diff', () => scroller.current?.focus()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [walk, stage, files]);

  const scrolls = (): void => {
    byHand.current = true;
    stack.release();
    walk.forget();
  };
  const sections: React.ReactNode[] = [];
  for (let index = shown.first; index <= shown.last; index++) {
    const entry = files[index];
    if (entry === undefined) continue;
    sections.push(
      <FileSection
        key={entry.path}
        stage={stage}
        index={index}
        file={entry}
        total={files.length}
        top={stack.layout.top(index)}
        height={stack.layout.height(index)}
        bodyHeight={stack.bodyHeight(index)}
        folded={stack.folded(index)}
        current={entry.path === file}
      />,
    );
  }
  return (
    <>
      <div
        className="multi-diff"
        ref={scroller}
        tabIndex={0}
        role="feed"
        aria-label={`Changes, ${title}`}
        onWheel={scrolls}
        onTouchMove={scrolls}
        onPointerDown={(event) => {
          // The scroll bar; a press on what is inside scrolls nothing.
          if (event.target === event.currentTarget) scrolls();
        }}
        onKeyDown={(event) => {
          if (event.target !== event.currentTarget) walkFromEditor(event);
          else if (SCROLL_KEYS.has(event.key)) scrolls();
        }}
      >
        <div className="multi-diff-track" ref={track} style={{ height: stack.layout.total() }}>
          {sections}
        </div>
      </div>
      <p className="sr" role="status">
        {said}
      </p>
    </>
  );
}
