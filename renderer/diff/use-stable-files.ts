import { useRef } from 'react';
import type { Range } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';

const sameFile = (a: FileChange, b: FileChange | undefined): boolean =>
  b !== undefined && a.path === b.path && a.change === b.change && a.added === b.added && a.removed === b.removed && a.binary === b.binary;

/** True when both lists say the same. */
export const sameFiles = (a: readonly FileChange[], b: readonly FileChange[]): boolean =>
  a === b || (a.length === b.length && a.every((file, at) => sameFile(file, b[at])));

/** Ranges that end at the files on disk: their content can change while their list stays. */
const endsOnDisk = (range: Range): boolean =>
  range.kind === 'since' || range.kind === 'plan' || (range.kind === 'stops' && range.to === null);

/**
 * The list before, while a newer one says the same about snapshots: a thread that grows is read again and again, and what is looked at
 * must not be drawn anew each time.
 */
export function useStableFiles(range: Range, files: readonly FileChange[]): { range: Range; files: readonly FileChange[] } {
  const kept = useRef({ range, files });
  const same = JSON.stringify(kept.current.range) === JSON.stringify(range) && !endsOnDisk(range) && sameFiles(kept.current.files, files);
  if (!same && (kept.current.range !== range || kept.current.files !== files)) kept.current = { range, files };
  return kept.current;
}
