import { showTreePath, type TreePath } from '../../shared/tree-path.ts';

/** Paths that are named in one sentence. */
const MOST = 3;

/** The first of these paths, for a sentence, and how many more there are: "a, b and c", "a, b, c and 2 more". */
export function someNames(paths: readonly TreePath[]): string {
  const named = paths.slice(0, MOST).map(showTreePath);
  const last = paths.length > MOST ? `${paths.length - MOST} more` : named.pop();
  return named.length === 0 ? `${last}` : `${named.join(', ')} and ${last}`;
}
