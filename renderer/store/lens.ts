import type { TreePath } from '../../shared/tree-path.ts';
import { prefetchDiff } from '../diff/fetch-diff.ts';
import { showPlan } from './changes.ts';
import { changesStore } from './changes-store.ts';
import { cursorStore } from './cursor-store.ts';
import { placeInLens } from './lens-model.ts';
import { lensNow, lensStore } from './lens-store.ts';
import { selectStep, showSelection } from './selection.ts';
import { sessionStore } from './session-store.ts';

/** Steps on each side whose diffs are fetched ahead. */
const AHEAD = 2;

/** What is looked at, drawn again with or without the pin. */
async function showAgain(): Promise<void> {
  const { preview, plan, planStop } = cursorStore.getState();
  if (preview === null) await showSelection();
  else if (plan !== null && planStop !== null) showPlan(planStop, plan);
}

/** The step that the walk stands at: the selected one, or the last of a selected turn. */
function standing() {
  const { selection, index } = sessionStore.getState();
  if (selection.step !== null) return index.steps.get(selection.step) ?? null;
  return selection.turn === null ? null : (index.stepsOfTurn.get(selection.turn)?.at(-1) ?? null);
}

function fetchAround(at: number): void {
  const thread = sessionStore.getState().id;
  const stops = lensNow()?.stops ?? [];
  if (thread === null) return;
  for (const { step, file, movedFrom } of stops.slice(Math.max(0, at - AHEAD), at + AHEAD + 1)) {
    prefetchDiff(thread, step.id, file.path);
    if (movedFrom !== null) prefetchDiff(thread, step.id, movedFrom);
  }
}

/** Goes to one of the steps that changed the pinned file. */
async function goTo(at: number): Promise<void> {
  const stop = lensNow()?.stops[at];
  if (stop === undefined) return;
  fetchAround(at);
  await selectStep(stop.step.id);
}

/** Pins a file: the panes show it alone, at the step that is looked at or the nearest one before that changed it. */
export async function pinFile(path: TreePath): Promise<void> {
  lensStore.setState({ path });
  const lens = lensNow();
  const { compare } = sessionStore.getState().selection;
  if (lens === null || cursorStore.getState().preview !== null || compare !== undefined) return showAgain();
  const { at, before } = placeInLens(lens, standing());
  if (at === null && before === 0) return showAgain();
  await goTo(at ?? before - 1);
}

/** Shows all files again. False when none was pinned. */
export function leaveLens(): boolean {
  const { path } = lensStore.getState();
  if (path === null) return false;
  lensStore.setState({ path: null });
  changesStore.setState({ file: path });
  void showAgain();
  return true;
}

/** Pins the file that is looked at, or takes the pin away. */
export function toggleLens(): void {
  const { file } = changesStore.getState();
  if (!leaveLens() && file !== null) void pinFile(file);
}

/** Walks the pinned file through its steps: to the one before, the one after, or an end. Stays at the ends. */
export async function stepLens(to: -1 | 1 | 'first' | 'last'): Promise<void> {
  const lens = lensNow();
  if (lens === null || lens.stops.length === 0) return;
  const { at, before } = placeInLens(lens, standing());
  const last = lens.stops.length - 1;
  const next = to === 'first' ? 0 : to === 'last' ? last : at !== null ? at + to : to < 0 ? before - 1 : before;
  if (next >= 0 && next <= last && next !== at) await goTo(next);
}
