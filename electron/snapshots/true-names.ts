import { bytesOfTreePath, type TreePath } from '../../shared/tree-path.ts';

const REPLACEMENT = '\ufffd';
const RAW = /[\udc80-\udcff]/;

/** The path as a program has it that reads git's bytes as UTF-8: U+FFFD stands for what it could not read. */
const misread = (path: TreePath): string => Buffer.from(bytesOfTreePath(path)).toString('utf8');

/** Could a name of the list stand for a file with other bytes? */
export const isMisread = (listed: readonly string[]): boolean => listed.some((name) => name.includes(REPLACEMENT));

/**
 * The paths that a list means whose writer read git's bytes as UTF-8, as the harness does: one such name stands for every changed path
 * that reads like it. `changed`: the paths that differ between the trees. A name that none of them reads like stays as it is.
 */
export function trueNames(listed: readonly string[], changed: Iterable<TreePath>): TreePath[] {
  if (!isMisread(listed)) return [...listed];
  const meant = new Map<string, TreePath[]>();
  for (const path of changed) {
    const name = RAW.test(path) ? misread(path) : path;
    if (!name.includes(REPLACEMENT)) continue;
    const known = meant.get(name);
    if (known) known.push(path);
    else meant.set(name, [path]);
  }
  return [...new Set(listed.flatMap((name) => meant.get(name) ?? [name]))];
}
