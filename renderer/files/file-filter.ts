import type { FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';

/** The kinds of change that the list can be narrowed to; mode and kind changes are one. */
export type FileKind = 'created' | 'modified' | 'deleted' | 'other';

export const FILE_KINDS: readonly FileKind[] = ['created', 'modified', 'deleted', 'other'];

export function kindOf(file: FileChange): FileKind {
  return file.change === 'mode' || file.change === 'kind' ? 'other' : file.change;
}

export interface FileFilter {
  /** Words that must all be in the path; case does not matter. */
  text: string;
  /** Empty: every kind. */
  kinds: ReadonlySet<FileKind>;
}

export const EVERY_FILE: FileFilter = { text: '', kinds: new Set() };

export const isFiltering = (filter: FileFilter): boolean => filter.text.trim() !== '' || filter.kinds.size > 0;

/** The files that fit, in the same order. */
export function filterFiles(files: readonly FileChange[], filter: FileFilter): readonly FileChange[] {
  if (!isFiltering(filter)) return files;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return files.filter((file) => {
    if (filter.kinds.size > 0 && !filter.kinds.has(kindOf(file))) return false;
    const path = showTreePath(file.path).toLowerCase();
    return words.every((word) => path.includes(word));
  });
}

/** How many files there are of each kind. */
export function countKinds(files: readonly FileChange[]): Readonly<Record<FileKind, number>> {
  const counts = { created: 0, modified: 0, deleted: 0, other: 0 };
  for (const file of files) counts[kindOf(file)] += 1;
  return counts;
}
