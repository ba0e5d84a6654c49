import type { ThreadView } from '../../shared/contract.ts';
import { forgetDiffs } from '../diff/fetch-diff.ts';
import { forgetBodies } from './bodies.ts';
import { changesStore } from './changes-store.ts';
import { cursorStore, restingCursor } from './cursor-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { lensStore } from './lens-store.ts';
import { leavePreview, setFollowing } from './preview.ts';
import { readView } from './read-view.ts';
import { clearSearch, refreshSearch } from './search.ts';
import { showSelection } from './selection.ts';
import { emptySession, sessionStore } from './session-store.ts';
import { standingOf } from './standing-of.ts';
import { positionOfStop } from './stops.ts';
import { takenBackStore } from './taken-back-store.ts';
import { indexThread } from './thread-index.ts';
import { travelStore } from './travel-store.ts';

let opening = 0;

/** Where a view stands: the standing revert's stop, else its last stop. */
function stopOfView(view: ThreadView): number {
  return standingOf(view)?.stop ?? view.messages.reduce((last, message) => Math.max(last, message.stop ?? 0), 0);
}

/** Files and counts that the view before had and the new one has not been asked for yet. */
function carryFiles(view: ThreadView, before: ThreadView | null): ThreadView {
  if (before === null || before.head.id !== view.head.id) return view;
  const known = new Map(before.steps.map((step) => [step.id, step]));
  const steps = view.steps.map((step) => {
    const old = known.get(step.id);
    const same = step.files === null && step.captured === null && old !== undefined && old.from === step.from && old.to === step.to;
    return same ? { ...step, files: old.files, captured: old.captured } : step;
  });
  return { ...view, steps };
}

/** Takes a view in: indexes it, moves `here`, and keeps the cursor where the user looks. */
function takeView(answer: ThreadView): void {
  const session = sessionStore.getState();
  const view = carryFiles(answer, session.view);
  const index = indexThread(view);
  const here = stopOfView(view);
  const cursor = cursorStore.getState();
  const grown = session.view === null || session.partial !== null ? 0 : Math.max(0, view.messages.length - session.view.messages.length);
  const gone = cursor.preview !== null && index.stops[positionOfStop(index.stops, cursor.preview)]?.stop !== cursor.preview;
  // Turns and steps of the end of a log are counted from there; in the whole log they are others.
  const selection = session.partial === null ? session.selection : emptySession.selection;
  sessionStore.setState({ view, index, phase: 'ready', error: null, partial: null, selection });
  refreshSearch();
  const row = standingOf(view) === null ? Number.POSITIVE_INFINITY : (index.stops[positionOfStop(index.stops, here)]?.row ?? -1);
  if (session.view?.standing != null && view.standing === null) setFollowing(true);
  if (gone) leavePreview();
  const preview = cursorStore.getState().preview;
  cursorStore.setState({
    here,
    ...(preview === null ? { ghostsAfter: row } : {}),
    fresh: cursor.following ? 0 : cursor.fresh + grown,
  });
}

/** Selects the newest turn that changed files, so that the first look shows something. */
function selectFirst(): void {
  const { view, selection } = sessionStore.getState();
  if (view === null || selection.turn !== null) return;
  const step = [...view.steps].reverse().find((entry) => entry.hidden === null && (entry.files?.length ?? entry.listed?.length ?? 0) > 0);
  const turn = step?.turn ?? view.turns.at(-1)?.index ?? null;
  sessionStore.setState({ selection: { turn, step: null, anchor: null } });
}

/** Shows the end of a log while all of it is still being read. */
export function takePreview(operation: string, view: ThreadView, partial: { from: number; size: number }): void {
  const session = sessionStore.getState();
  if (session.reading?.operation !== operation || session.phase !== 'loading') return;
  const here = stopOfView(view);
  sessionStore.setState({ view, index: indexThread(view), partial });
  cursorStore.setState({ here });
}

/** Keeps how far the reading under way is. */
export function takeProgress(operation: string, done: number, total: number | null): void {
  if (sessionStore.getState().reading?.operation === operation) sessionStore.setState({ reading: { operation, done, total } });
}

/** Tells the host that a reading is not wanted any more. */
function cancelReading(): void {
  const { reading } = sessionStore.getState();
  sessionStore.setState({ reading: null });
  if (reading !== null) call('cancel', { operation: reading.operation }).catch((thrown: unknown) => console.error('cancel', thrown));
}

function beginReading(): string {
  cancelReading();
  const operation = crypto.randomUUID();
  sessionStore.setState({ reading: { operation, done: 0, total: null } });
  return operation;
}

async function fill(thread: string, mine: number): Promise<void> {
  sessionStore.setState({ filling: true, fillError: null });
  const operation = beginReading();
  try {
    const view = await readView(thread, { steps: true, operation });
    if (mine !== opening) return;
    sessionStore.setState({ reading: null });
    if (view !== sessionStore.getState().view) takeView(view);
    sessionStore.setState({ filling: false });
    selectFirst();
    if (cursorStore.getState().preview === null) await showSelection();
  } catch (thrown) {
    if (mine === opening) sessionStore.setState({ filling: false, fillError: reasonOfThrown(thrown), reading: null });
  }
}

/**
 * Opens a thread; the one before is closed. `root` and `data` name the workspace and the snapshot folder where the log does not;
 * `look` is called as soon as the whole thread is there.
 */
export async function openThread(thread: string, options: { root?: string; data?: string; look?: () => void } = {}): Promise<void> {
  closeThread();
  opening += 1;
  const mine = opening;
  sessionStore.setState({ ...emptySession, id: thread, phase: 'loading' });
  const operation = beginReading();
  try {
    const view = await call('thread.open', { thread, root: options.root ?? null, data: options.data ?? null, operation });
    if (mine !== opening) return;
    sessionStore.setState({ reading: null });
    takeView(view);
    if (options.look !== undefined) options.look();
    selectFirst();
    await fill(thread, mine);
  } catch (thrown) {
    if (mine === opening)
      sessionStore.setState({ phase: 'failed', error: reasonOfThrown(thrown), view: null, partial: null, reading: null });
  }
}

/** Reads the open thread again after its log or its files changed. The old view stays until the new one is there. */
export async function reloadThread(thread: string): Promise<void> {
  const session = sessionStore.getState();
  if (session.id !== thread || session.phase === 'loading') return;
  if (session.phase === 'failed') return openThread(thread);
  opening += 1;
  const mine = opening;
  const operation = beginReading();
  try {
    const view = await readView(thread, { steps: false, operation });
    if (mine !== opening) return;
    sessionStore.setState({ reading: null });
    if (view !== sessionStore.getState().view) takeView(view);
    await fill(thread, mine);
  } catch (thrown) {
    if (mine === opening) sessionStore.setState({ fillError: reasonOfThrown(thrown), filling: false, reading: null });
  }
}

/** Leaves the open thread and shows the start screen. */
export function closeThread(): void {
  const { id } = sessionStore.getState();
  opening += 1;
  cancelReading();
  leavePreview();
  forgetBodies();
  takenBackStore.setState({ text: null });
  clearSearch();
  sessionStore.setState(emptySession);
  cursorStore.setState(restingCursor);
  changesStore.setState(changesStore.getInitialState());
  lensStore.setState({ path: null });
  forgetDiffs();
  travelStore.setState(({ interrupted, recovering }) => ({ ...travelStore.getInitialState(), interrupted, recovering }));
  if (id !== null) call('thread.close', { thread: id }).catch((thrown: unknown) => console.error('thread.close', thrown));
}
