import path from 'node:path';
import type { TreePath } from '../../shared/tree-path.ts';

/** Tools that name each file they change, or change none: what the harness's own workspace tools are called. */
const REPORTING: readonly string[] = ['write_file', 'edit_file', 'patch', 'read_file', 'list_files', 'glob', 'grep', 'search_files'];

/** Which tools report their files. The others, like bash, do not say what they change. */
export type Reporting = readonly string[] | ((toolName: string) => boolean);

/** True for a tool that reports; by name from the list of the agent's author, or the default one. */
export function reports(reporting: Reporting | undefined, toolName: string): boolean {
  if (typeof reporting === 'function') return reporting(toolName);
  return (reporting ?? REPORTING).includes(toolName);
}

/**
 * A reported path as a tree path: relative to the root with `/`, null for one outside it or the root itself. The path may be absolute
 * or relative to the root.
 */
export function reportedPath(root: string, reported: string): TreePath | null {
  const flavour = /^[A-Za-z]:[\\/]/.test(root) || root.startsWith('\\\\') ? path.win32 : path.posix;
  const relative = flavour.relative(root, flavour.resolve(root, reported));
  if (relative === '' || relative === '..' || relative.startsWith(`..${flavour.sep}`) || flavour.isAbsolute(relative)) return null;
  return flavour.sep === '/' ? relative : relative.replaceAll('\\', '/');
}
