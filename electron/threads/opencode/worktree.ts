import path from 'node:path';
import type { TreePath } from '../../../shared/tree-path.ts';

/** Recorded paths keep the form of the machine they came from, which need not be this one. */
const formOf = (folder: string): path.PlatformPath => (/^(?:[A-Za-z]:[\\/]|\\\\)/.test(folder) ? path.win32 : path.posix);

/** True when `inner` is `outer` or lies below it; both absolute, in the form of one machine. */
export function isWithin(outer: string, inner: string): boolean {
  const form = formOf(outer);
  const between = form.relative(outer, inner);
  return between === '' || (between !== '..' && !between.startsWith(`..${form.sep}`) && !form.isAbsolute(between));
}

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

/** The tree path of a file that a tool named, or null when it lies outside the worktree. */
export function treePathIn(root: string, cwd: string, named: string): TreePath | null {
  const form = formOf(root);
  const file = form.resolve(cwd, named);
  if (!isWithin(root, file)) return null;
  const inside = form.relative(root, file);
  return inside === '' ? null : inside.split(form.sep).join('/');
}
