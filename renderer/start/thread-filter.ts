import type { SourceKind, ThreadHead } from '../../shared/model.ts';

/** What the list is narrowed to besides the words; null: everything. */
export interface ThreadChoice {
  source: SourceKind | null;
  /** A workspace, or '' for threads that name none. */
  root: string | null;
}

export const chosenThreads = (threads: readonly ThreadHead[], { source, root }: ThreadChoice): readonly ThreadHead[] =>
  source === null && root === null
    ? threads
    : threads.filter((head) => (source === null || head.source === source) && (root === null || (head.root ?? '') === root));

/** The sources there are, and the workspaces by name; each with its number of threads. */
export function choicesOf(threads: readonly ThreadHead[]): { sources: [SourceKind, number][]; roots: [string, number][] } {
  const sources = new Map<SourceKind, number>();
  const roots = new Map<string, number>();
  for (const { source, root } of threads) {
    sources.set(source, (sources.get(source) ?? 0) + 1);
    roots.set(root ?? '', (roots.get(root ?? '') ?? 0) + 1);
  }
  return { sources: [...sources].sort((a, b) => b[1] - a[1]), roots: [...roots].sort(([a], [b]) => (a < b ? -1 : 1)) };
}
