import { reason } from '../../shared/errors.ts';
import { showPlan } from './changes.ts';
import { cursorStore } from './cursor-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { showSelection } from './selection.ts';
import { sessionStore } from './session-store.ts';
import { standingOf } from './standing-of.ts';
import { type Stride, stopAfterStride, stopAt } from './stops.ts';
import { usualScope } from './usual-scope.ts';

/** How long the cursor must rest before a plan is asked for. */
export const PLAN_DELAY_MS = 80;

let timer: ReturnType<typeof setTimeout> | null = null;
let asking = false;
/** The stop that the call in flight should be followed by; null when it is the newest. */
let wanted: number | null = null;
/** Whether the view followed before the cursor was moved; it does again when the cursor comes back. */
let followed = true;

function rowOf(stop: number): number {
  return stopAt(sessionStore.getState().index.stops, stop)?.row ?? -1;
}

/** Ghosts begin after the cursor; at rest, after a standing revert. */
function ghostsFor(preview: number | null): number {
  const { view } = sessionStore.getState();
  if (preview !== null) return rowOf(preview);
  const standing = view === null ? null : standingOf(view);
  return standing === null ? Number.POSITIVE_INFINITY : rowOf(standing.stop);
}

async function askPlan(stop: number): Promise<void> {
  if (asking) {
    wanted = stop;
    return;
  }
  const { id: thread, partial } = sessionStore.getState();
  if (thread === null) return;
  if (partial !== null) {
    cursorStore.setState({ plan: null, planStop: stop, planPhase: 'failed', planError: reason('LOG_READING') });
    return;
  }
  asking = true;
  cursorStore.setState({ planPhase: 'loading', planError: null });
  try {
    const plan = await call('travel.preview', { thread, kind: 'revert', stop, entry: null, scope: usualScope() });
    if (sessionStore.getState().id === thread && cursorStore.getState().preview === stop) {
      cursorStore.setState({ plan, planStop: stop, planPhase: 'ready' });
      showPlan(stop, plan);
    }
  } catch (thrown) {
    if (cursorStore.getState().preview === stop) {
      cursorStore.setState({ plan: null, planStop: stop, planPhase: 'failed', planError: reasonOfThrown(thrown) });
    }
  } finally {
    asking = false;
    const next = wanted;
    wanted = null;
    if (next !== null && cursorStore.getState().preview === next) void askPlan(next);
  }
}

/** Moves the cursor to a stop to look at it. Nothing is written; the plan follows when the cursor rests. */
export function previewStop(stop: number): void {
  const state = cursorStore.getState();
  if (state.preview === stop) return;
  if (stop === state.here && !state.dragging) {
    leavePreview();
    return;
  }
  if (state.preview === null) followed = state.following;
  cursorStore.setState({ preview: stop, ghostsAfter: ghostsFor(stop), following: false });
  if (timer !== null) clearTimeout(timer);
  timer = setTimeout(() => {
    timer = null;
    void askPlan(stop);
  }, PLAN_DELAY_MS);
}

/** Moves the cursor by a key press. */
export function strideCursor(direction: -1 | 1, stride: Stride): void {
  const { preview, here } = cursorStore.getState();
  const { stops } = sessionStore.getState().index;
  const stop = stopAfterStride(stops, preview ?? here, direction, stride);
  if (stop !== null) previewStop(stop.stop);
}

/** Springs back to where the thread stands, and shows the selection's files again. */
export function leavePreview(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  wanted = null;
  const { preview, following } = cursorStore.getState();
  cursorStore.setState({
    preview: null,
    following: preview === null ? following : followed,

    hover: null,
    dragging: false,
    ghostsAfter: ghostsFor(null),
    plan: null,
    planStop: null,
    planPhase: 'none',
    planError: null,
  });
  if (preview !== null) void showSelection();
}

export function hoverStop(stop: number | null): void {
  if (cursorStore.getState().hover !== stop) cursorStore.setState({ hover: stop });
}

export function setDragging(dragging: boolean): void {
  cursorStore.setState({ dragging });
}

/** Follows the end of a growing thread, or stops to. */
export function setFollowing(following: boolean): void {
  cursorStore.setState(following ? { following, fresh: 0 } : { following });
}
