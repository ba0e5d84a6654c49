import { type CursorState, cursorStore } from '../store/cursor-store.ts';
import { sessionStore } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';

/** Writes an attribute only when it changes: no style is computed for rows that stay as they are. */
function mark(element: HTMLElement, name: string, value: string | null): void {
  if (value === null) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

const rowOf = (stop: number): number => stopAt(sessionStore.getState().index.stops, stop)?.row ?? -1;

/** Paints one mounted row: ghost or not, and the line of the cursor. */
function paint(element: HTMLElement, state: CursorState, preview: number | null, here: number): void {
  const at = Number(element.dataset['row']);
  const last = Number(element.dataset['lastRow'] ?? at);
  mark(element, 'data-ghost', at > state.ghostsAfter ? '' : null);
  const drop = preview !== null && last === preview;
  mark(element, 'data-line', drop ? 'drop' : last === here && (preview === null || preview !== here) ? 'here' : null);
  mark(element, 'data-line-before', at === 0 && (preview ?? here) === -1 ? (preview === null ? 'here' : 'drop') : null);
}

/** Paints the rows that are mounted below `list`. Cheap: it touches the rows on the screen, not the thread. */
export function paintRows(list: HTMLElement): void {
  const state = cursorStore.getState();
  const preview = state.preview === null ? null : rowOf(state.preview);
  const here = rowOf(state.here);
  for (const element of list.querySelectorAll<HTMLElement>('[data-row]')) paint(element, state, preview, here);
}
