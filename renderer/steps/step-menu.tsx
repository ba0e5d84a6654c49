import type { Step } from '../../shared/model.ts';
import { itemsOfCompare } from '../store/compare.ts';
import { copyPatch, exportPatch } from '../store/patch.ts';
import { selectStep, showSince } from '../store/selection.ts';
import { sessionStore } from '../store/session-store.ts';
import { positionOfStop } from '../store/stops.ts';
import { revertTo } from '../store/travel.ts';
import { travelStore } from '../store/travel-store.ts';
import type { MenuItem } from '../ui/menu.tsx';

function revertOff(step: Step): string | null {
  const { view } = sessionStore.getState();
  if (travelStore.getState().running !== null) return 'A travel is running.';
  const can = view?.can.revert;
  if (can !== undefined && can !== true) return can.message;
  return step.stop === null ? 'No message of the conversation owns this step.' : null;
}

function patchOff(step: Step): string | null {
  const can = sessionStore.getState().view?.can.patch;
  if (can !== undefined && can !== true) return can.message;
  if (step.captured !== null && step.captured !== true) return step.captured.message;
  return step.files?.length === 0 ? 'This step changed no files.' : null;
}

/** The stop before a step: its own changes go too. */
function stopBeforeStep(step: Step): number | null {
  const { stops } = sessionStore.getState().index;
  if (step.stop === null) return null;
  return stops[positionOfStop(stops, step.stop) - 1]?.stop ?? null;
}

/** What can be done with a step. */
export function itemsOfStep(step: Step): MenuItem[][] {
  const off = revertOff(step);
  const before = stopBeforeStep(step);
  const patch = patchOff(step);
  return [
    [
      {
        id: 'revert',
        label: 'Revert to here',
        off,
        run: () => {
          if (step.stop !== null) void revertTo(step.stop);
        },
      },
      {
        id: 'revert-before',
        label: 'Revert to before this step',
        off: off ?? (before === null ? 'There is no stop before it.' : null),
        run: () => {
          if (before !== null) void revertTo(before);
        },
      },
    ],
    [
      { id: 'since', label: 'Since this step', keys: 's', run: () => void showSince(step.id) },
      ...itemsOfCompare(step.stop, 'No message of the conversation owns this step.'),
    ],
    [
      { id: 'patch', label: 'Export patch…', off: patch, run: () => void selectStep(step.id).then(() => exportPatch(null)) },
      { id: 'copy', label: 'Copy patch', off: patch, run: () => void copyPatch({ kind: 'step', step: step.id }, null) },
    ],
  ];
}
