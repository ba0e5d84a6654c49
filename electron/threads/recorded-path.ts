import path from 'node:path';
import type { TreePath } from '../../shared/tree-path.ts';

/** The path rules of the machine that a folder was recorded on. Recorded paths keep the form of the machine they came from, which need not be this one. */
export const formOf = (folder: string): path.PlatformPath => (/^(?:[A-Za-z]:[\\/]|\\\\)/.test(folder) ? path.win32 : path.posix);

/** True when `inner` is `outer` or lies below it; both absolute, in the form of one machine. */
export function isWithin(outer: string, inner: string): boolean {
  const form = formOf(outer);
  const between = form.relative(outer, inner);
  return between === '' || (between !== '..' && !between.startsWith(`..${form.sep}`) && !form.isAbsolute(between));
}

/** The tree path of a file that a tool named, or null when it lies outside the worktree. */
export function treePathIn(root: string, cwd: string, named: string): TreePath | null {
  const form = formOf(root);
  const file = form.resolve(cwd, named);
  if (!isWithin(root, file)) return null;
  const inside = form.relative(root, file);
  return inside === '' ? null : inside.split(form.sep).join('/');
}
