import type { TreePath } from '../../shared/tree-path.ts';
import type { DraftFile } from './draft.ts';
import { someNames } from './some-names.ts';

/**
 * A note for files of a plan that have names on this disk which are not in it: a file is replaced, never written into, so what these
 * names hold stays. Null where there are none.
 */
export function otherNamesNote(files: readonly DraftFile[]): string | null {
  const planned = new Map<string, { outside: number; paths: TreePath[] }>();
  for (const { state, choices, path } of files) {
    if (state.kind !== 'file' || state.names === undefined || choices.every((choice) => choice === 'keep')) continue;
    const { id, count } = state.names;
    const one = planned.get(id) ?? { outside: count, paths: [] };
    planned.set(id, { outside: one.outside - 1, paths: [...one.paths, path] });
  }
  const found = [...planned.values()].filter((one) => one.outside > 0);
  const paths = found.flatMap((one) => one.paths).sort();
  if (paths.length === 0) return null;
  return paths.length === 1 && found[0]?.outside === 1
    ? `${someNames(paths)} has another name on this disk (a hard link), which keeps what is in it now.`
    : `${someNames(paths)} ${paths.length === 1 ? 'has' : 'have'} other names on this disk (hard links), which keep what is in them now.`;
}
