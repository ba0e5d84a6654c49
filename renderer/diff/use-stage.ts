import { useEffect, useMemo, useRef } from 'react';
import type { Range } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';
import { reasonOfThrown } from '../store/host.ts';
import { createDiffLoader } from './diff-loader.ts';
import type { DiffLook } from './diff-look.ts';
import { createDiffSlot } from './diff-slot.ts';
import { fetchDiff, knownDiff } from './fetch-diff.ts';
import { createFrameQueue } from './frame-queue.ts';
import type { Monaco } from './load-monaco.ts';
import type { EditorPool, TextHandle } from './mount-text.ts';
import { createPool } from './pool.ts';
import { createSingleSlot } from './single-slot.ts';
import { createStack } from './stack.ts';
import type { DiffStage } from './stage.ts';

/** Editors that exist at once, whatever the number of files. */
export const MOST_EDITORS = 12;

const pools = new WeakMap<Monaco, EditorPool>();

/** The window's editors. They outlive the list that made them: another selection shows at once. */
function poolOf(monaco: Monaco): EditorPool {
  const known = pools.get(monaco);
  if (known !== undefined) return known;
  const pool: EditorPool = createPool(
    MOST_EDITORS,
    (kind) => (kind === 'diff' ? createDiffSlot(monaco) : createSingleSlot(monaco)),
    (slot) => slot.dispose(),
  );
  pools.set(monaco, pool);
  return pool;
}

export interface StageOptions {
  thread: string;
  range: Range;
  files: readonly FileChange[];
  look: DiffLook;
  monaco: Monaco | null;
  /** A file is drawn and can be walked through. */
  onReady(index: number): void;
}

/** The stage of a list of files: content is loaded once for the list, sections are laid out anew when the look changes. */
export function useStage({ thread, range, files, look, monaco, onReady }: StageOptions): DiffStage {
  const pool = monaco === null ? null : poolOf(monaco);
  const folded = useRef(new Set<string>());
  const frames = useMemo(() => createFrameQueue(), []);
  const { diffLayout, wrap, ignoreWhitespace, ignoreLineEnds } = look;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that was read again has other content, even for the same range
  const loader = useMemo(
    () =>
      createDiffLoader({
        fetch: (path, anyway) => fetchDiff(thread, range, path, anyway),
        known: (path) => knownDiff(thread, range, path),
        reasonOf: reasonOfThrown,
      }),
    [thread, range, files],
  );
  useEffect(() => () => loader.drop(), [loader]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights that were measured with another look are not true any more
  const stack = useMemo(() => createStack(files, diffLayout, folded.current), [files, diffLayout, wrap, ignoreWhitespace, ignoreLineEnds]);
  const ready = useRef(onReady);
  ready.current = onReady;
  return useMemo(() => {
    const handles = new Map<number, TextHandle>();
    return {
      thread,
      range,
      stack,
      loader,
      frames,
      pool,
      look: { diffLayout, wrap, ignoreWhitespace, ignoreLineEnds },
      fold(index) {
        const path = files[index]?.path ?? '';
        const next = !stack.folded(index);
        if (next) folded.current.add(path);
        else folded.current.delete(path);
        stack.fold(index, next);
      },
      ready(index, handle) {
        handles.set(index, handle);
        ready.current(index);
      },
      gone: (index) => void handles.delete(index),
      handle: (index) => handles.get(index) ?? null,
    };
  }, [thread, range, stack, loader, frames, pool, files, diffLayout, wrap, ignoreWhitespace, ignoreLineEnds]);
}
