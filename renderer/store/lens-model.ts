import type { FileChange, Step } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { looksMoved } from '../files/moved.ts';

/** A step that changed the pinned file. */
export interface LensStop {
  step: Step;
  /** What the file is called there. */
  file: FileChange;
  /** The name before it, where this step looks like a move. */
  movedFrom: TreePath | null;
}

/** One file through the steps, with the names that it looks to have had. */
export interface Lens {
  path: TreePath;
  names: ReadonlySet<TreePath>;
  /** In the order of the log. */
  stops: readonly LensStop[];
}

const isLive = (step: Step): boolean => step.hidden === null || step.hidden.reason === 'reverted';

/** The other half of a move that this step looks to have made of the file. */
const partner = (step: Step, path: TreePath): TreePath | null => looksMoved(step.files ?? []).get(path) ?? null;

/** The steps that changed a file, under this name and those that it looks moved from or to. Dropped branches are no part of its way. */
export function lensOf(steps: readonly Step[], path: TreePath): Lens {
  const live = steps.filter(isLive);
  const under = (name: TreePath, from: number, to: number): { at: number; stop: LensStop }[] => {
    const found: { at: number; stop: LensStop }[] = [];
    for (let at = Math.max(0, from); at < Math.min(to, live.length); at++) {
      const step = live[at];
      const file = step?.files?.find((entry) => entry.path === name);
      if (step !== undefined && file !== undefined) found.push({ at, stop: { step, file, movedFrom: null } });
    }
    return found;
  };
  const names = new Set([path]);
  const all = under(path, 0, live.length);
  for (let first = all[0]; first?.stop.file.change === 'created'; first = all[0]) {
    const older = partner(first.stop.step, first.stop.file.path);
    if (older === null || names.has(older)) break;
    names.add(older);
    first.stop.movedFrom = older;
    const before = under(older, 0, first.at);
    if (before.length === 0) break;
    all.unshift(...before);
  }
  for (let end = all.at(-1); end?.stop.file.change === 'deleted'; end = all.at(-1)) {
    const newer = partner(end.stop.step, end.stop.file.path);
    if (newer === null || names.has(newer)) break;
    names.add(newer);
    const moved = end.stop.step.files?.find((file) => file.path === newer);
    if (moved !== undefined) end.stop = { step: end.stop.step, file: moved, movedFrom: end.stop.file.path };
    const after = under(newer, end.at + 1, live.length);
    if (after.length === 0) break;
    all.push(...after);
  }
  return { path, names, stops: all.map(({ stop }) => stop) };
}

/** The place of a step in the way of the file: `at` when it changed it, else how many of its steps come before. */
export function placeInLens(lens: Lens, step: Step | null): { at: number | null; before: number } {
  if (step === null) return { at: null, before: lens.stops.length };
  const at = lens.stops.findIndex((stop) => stop.step.id === step.id);
  const before = lens.stops.filter((stop) => stop.step.index < step.index).length;
  return { at: at < 0 ? null : at, before };
}
