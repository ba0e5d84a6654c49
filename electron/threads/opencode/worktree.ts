import { formOf, isWithin } from '../recorded-path.ts';

/**
 * The folder that a session's trees cover. 1.18 keeps the session's folder relative to it (`session.path`); before that it is
 * the project's worktree, or one of its other worktrees (`sandboxes`), whichever holds the session's folder.
 */
export function worktreeOf(session: {
  directory: string | null;
  path: string | null;
  git: boolean;
  worktree: string | null;
  sandboxes: readonly string[];
}): string | null {
  const { directory } = session;
  if (!session.git || directory === null) return directory ?? session.worktree;
  const form = formOf(directory);
  if (session.path !== null && !form.isAbsolute(session.path)) {
    const above = session.path.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
    const root = above.reduce((folder) => form.dirname(folder), directory);
    if (!above.includes('..') && form.resolve(root, ...above) === form.resolve(directory)) return root;
  }
  const holding = [session.worktree, ...session.sandboxes]
    .filter((folder) => folder !== null)
    .filter((folder) => isWithin(folder, directory));
  // The innermost: a worktree may lie inside another one.
  return holding.sort((a, b) => b.length - a.length)[0] ?? directory;
}
