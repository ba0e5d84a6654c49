import type { ThreadHead } from '../../shared/model.ts';
import { SOURCE_NAMES } from '../ui/names.ts';
import { splitPath } from '../ui/words.ts';

/** A row of the start screen: a workspace, or a thread in it. */
export type ThreadRow =
  | { kind: 'workspace'; key: string; root: string | null; gone: boolean; count: number }
  | { kind: 'thread'; key: string; head: ThreadHead; child: boolean };

const said = (head: ThreadHead): string =>
  `${head.title ?? ''} ${head.root ?? ''} ${splitPath(head.log).name} ${head.threadId} ${SOURCE_NAMES[head.source]}`.toLowerCase();

/**
 * All words of the filter must be found in the title, the workspace's path, the log's name, the id or the source. The folders of a log
 * have the same names for every thread, so only a word that is a path looks there.
 */
export function filterThreads(threads: readonly ThreadHead[], filter: string): readonly ThreadHead[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return threads;
  return threads.filter((head) => {
    const text = said(head);
    return words.every((word) => text.includes(word) || (/[\\/]/.test(word) && head.log.toLowerCase().includes(word)));
  });
}

const newest = (heads: readonly ThreadHead[]): number => heads.reduce((latest, head) => Math.max(latest, head.updatedAt ?? 0), 0);

/** Threads by workspace, the one with the newest thread first; newest first inside; sub-agents below their parents. */
export function groupThreads(threads: readonly ThreadHead[]): ThreadRow[] {
  const byRoot = new Map<string | null, ThreadHead[]>();
  for (const head of threads) {
    const list = byRoot.get(head.root);
    if (list === undefined) byRoot.set(head.root, [head]);
    else list.push(head);
  }
  const groups = [...byRoot].sort((a, b) => newest(b[1]) - newest(a[1]));
  const rows: ThreadRow[] = [];
  for (const [root, heads] of groups) {
    rows.push({ kind: 'workspace', key: `w:${root ?? ''}`, root, gone: heads.some((head) => head.rootGone), count: heads.length });
    const sorted = [...heads].sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
    const ids = new Set(sorted.map((head) => `${head.source}:${head.threadId}`));
    const isChild = (head: ThreadHead): boolean => head.parent !== null && ids.has(`${head.source}:${head.parent}`);
    for (const head of sorted) {
      if (isChild(head)) continue;
      rows.push({ kind: 'thread', key: head.id, head, child: false });
      for (const child of sorted) {
        if (child.parent === head.threadId && child.source === head.source && child !== head) {
          rows.push({ kind: 'thread', key: child.id, head: child, child: true });
        }
      }
    }
  }
  return rows;
}
