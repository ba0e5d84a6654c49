import type { MenuItem } from '../ui/menu.tsx';
import { appStore } from './app-store.ts';
import { nameOfStop } from './changes.ts';
import { cursorStop, cursorStore } from './cursor-store.ts';
import { leavePreview } from './preview.ts';
import { showSelection } from './selection.ts';
import { type Comparison, sessionStore } from './session-store.ts';
import { closeToast, showToast, toastStore } from './toast-store.ts';

/** Why nothing can be compared yet. */
export const NO_MARK = 'Choose “Compare from here” at another place first.';

/** The stop of the row that has the focus, else the one that the cursor is at. */
export function focusedStop(): number {
  const row = globalThis.document?.activeElement?.closest<HTMLElement>('[data-stop]') ?? null;
  const stop = Number(row?.dataset['stop'] ?? Number.NaN);
  return Number.isInteger(stop) ? stop : cursorStop(cursorStore.getState());
}

/** True when a step with this stop lies between the two sides. */
export const isBetween = ({ from, to }: Comparison, stop: number): boolean =>
  stop > Math.min(from, to ?? Number.POSITIVE_INFINITY) && stop <= Math.max(from, to ?? Number.POSITIVE_INFINITY);

/** The message that asks for the other side. */
let asking = -1;

/** Marks one side. What is shown stays until the other side is chosen. */
export function compareFrom(stop: number): void {
  sessionStore.setState({ mark: stop });
  showToast({
    text: `Comparing from ${nameOfStop(stop).toLowerCase()}. Choose “Compare with here” at another place.`,
    action: { label: 'Compare with now', run: () => void compareWith(null) },
  });
  asking = toastStore.getState().toast?.id ?? -1;
}

/** In a narrow window only one pane is seen: the one with the answer. */
function showDiffPane(): void {
  if (globalThis.matchMedia?.('(max-width: 719px)').matches) appStore.setState({ pane: 'diff' });
}

async function show(compare: Comparison): Promise<void> {
  closeToast(asking);
  sessionStore.setState(({ selection }) => ({ selection: { ...selection, compare } }));
  showDiffPane();
  if (cursorStore.getState().preview === null) await showSelection();
  else leavePreview();
}

/** Shows what differs between the marked stop and this one (null: the files on disk), the older one first. */
export async function compareWith(stop: number | null): Promise<void> {
  const { mark } = sessionStore.getState();
  if (mark === null) return;
  if (stop === mark) {
    showToast({ text: `${nameOfStop(stop)} is the other side already. Choose another place.` });
    return;
  }
  await show(stop === null || stop > mark ? { from: mark, to: stop } : { from: stop, to: mark });
}

/** Turns the two sides round. Not when one is the files on disk: a patch could not be made of it. */
export async function swapCompared(): Promise<void> {
  const { compare } = sessionStore.getState().selection;
  if (compare?.to != null) await show({ from: compare.to, to: compare.from });
}

/** Back to the step or turn that was looked at. False when nothing was compared or marked. */
export function endCompare(): boolean {
  const { mark, selection } = sessionStore.getState();
  if (mark === null && selection.compare === undefined) return false;
  const { turn, step, anchor } = selection;
  sessionStore.setState({ mark: null, selection: { turn, step, anchor } });
  if (selection.compare !== undefined && cursorStore.getState().preview === null) void showSelection();
  return true;
}

/** The acts of a row that has a stop; `why` says why another has none. */
export function itemsOfCompare(stop: number | null, why: string): MenuItem[] {
  const { mark } = sessionStore.getState();
  const off = stop === null ? why : null;
  return [
    {
      id: 'compare-from',
      label: 'Compare from here',
      keys: 'm',
      off,
      run: () => {
        if (stop !== null) compareFrom(stop);
      },
    },
    {
      id: 'compare-with',
      label: mark === null ? 'Compare with here' : `Compare with here, from ${nameOfStop(mark).toLowerCase()}`,
      keys: 'v',
      off: off ?? (mark === null ? NO_MARK : mark === stop ? 'This is the side that was marked.' : null),
      run: () => void compareWith(stop),
    },
  ];
}
