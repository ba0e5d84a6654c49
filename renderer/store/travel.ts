import { reason } from '../../shared/errors.ts';
import type { Choice, Plan, RecallShown, Scope, TravelResult } from '../../shared/plan.ts';
import { cursorStore } from './cursor-store.ts';
import { gateRefusal } from './gate-refusal.ts';
import { call, reasonOfThrown } from './host.ts';
import { copyText } from './patch.ts';
import { leavePreview } from './preview.ts';
import { reloadThread } from './session.ts';
import { sessionStore } from './session-store.ts';
import { stopAt } from './stops.ts';
import { showFailure, showToast } from './toast-store.ts';
import { type GateState, type TravelRequest, travelStore } from './travel-store.ts';
import { usualScope } from './usual-scope.ts';

/** A plan that needs no question: nothing on disk is touched, left out, or out of reach. */
const isQuiet = (plan: Plan): boolean =>
  plan.refusal === null &&
  // What the agent forgets by a recall does not come back.
  plan.recall === undefined &&
  plan.files.length === 0 &&
  plan.skipped.length === 0 &&
  plan.sideEffects.length === 0;

/** Bringing back what a revert took is no loss while nobody edited the files since. */
const bringsBack = (request: TravelRequest, plan: Plan): boolean =>
  request.kind === 'unrevert' && plan.refusal === null && plan.skipped.length === 0 && plan.files.every((file) => !file.drift);

function titleOf(request: TravelRequest): string {
  const { view, index } = sessionStore.getState();
  if (request.stop === null) return '';
  const row = stopAt(index.stops, request.stop)?.row ?? -1;
  return view?.messages[row]?.excerpt.trim() ?? '';
}

const gateOf = (request: TravelRequest): GateState | null => {
  const { gate } = travelStore.getState();
  return gate?.request === request ? gate : null;
};

function changeGate(request: TravelRequest, change: Partial<GateState>): void {
  const gate = gateOf(request);
  if (gate !== null) travelStore.setState({ gate: { ...gate, ...change } });
}

async function planFor(thread: string, request: TravelRequest): Promise<Plan> {
  const { plan, planStop } = cursorStore.getState();
  const known = request.kind === 'revert' && request.scope === plan?.scope && planStop === request.stop;
  return known ? plan : call('travel.preview', { thread, ...request });
}

/**
 * Begins a travel: asks for its plan, then opens the gate, or runs at once when no file is touched.
 * The gate is open (loading) from the first moment for a revert, so that nothing else can be started meanwhile.
 */
export async function beginTravel(request: TravelRequest, title = titleOf(request)): Promise<void> {
  const thread = sessionStore.getState().id;
  if (thread === null || travelStore.getState().running !== null) return;
  travelStore.setState({ gate: { request, title, phase: 'loading', plan: null, choices: {}, error: null, evenBusy: false } });
  try {
    const plan = await planFor(thread, request);
    if (gateOf(request) === null) return;
    if (isQuiet(plan) || bringsBack(request, plan)) {
      await run(thread, request, plan, {}, false);
      return;
    }
    changeGate(request, { phase: 'ready', plan });
  } catch (thrown) {
    changeGate(request, { phase: 'failed', error: reasonOfThrown(thrown) });
  }
}

/** Asks for the plan again, for another scope or piece or after the disk changed. Choices stay where their path still has them. */
export async function planAgain(change: Partial<Pick<TravelRequest, 'scope' | 'piece'>> = {}): Promise<void> {
  const thread = sessionStore.getState().id;
  const { gate } = travelStore.getState();
  if (thread === null || gate === null) return;
  const request = { ...gate.request, ...change };
  travelStore.setState({ gate: { ...gate, request, phase: 'loading', error: null } });
  try {
    const plan = await call('travel.preview', { thread, ...request });
    const possible = new Map(plan.files.map((file) => [file.path, file.choices]));
    const kept = Object.entries(gate.choices).filter(([path, choice]) => possible.get(path)?.includes(choice));
    changeGate(request, { phase: 'ready', plan, choices: Object.fromEntries(kept) });
  } catch (thrown) {
    changeGate(request, { phase: 'failed', error: reasonOfThrown(thrown) });
  }
}

/** Goes on to the plan although another agent works in the folder. The button that runs it then says so, and is the second question. */
export function goOnWhileBusy(): void {
  const { gate } = travelStore.getState();
  if (gate === null || gate.plan === null) return;
  // A run that was refused for it says it of the plan from now on.
  const plan = { ...gate.plan, refusal: gateRefusal(gate) };
  travelStore.setState({ gate: { ...gate, plan, evenBusy: true, error: null } });
}

export function chooseForFile(path: string, choice: Choice): void {
  const { gate } = travelStore.getState();
  if (gate !== null) travelStore.setState({ gate: { ...gate, choices: { ...gate.choices, [path]: choice } } });
}

/** Runs what the gate shows. A refusal comes back into the gate. */
export async function runGate(): Promise<void> {
  const thread = sessionStore.getState().id;
  const { gate, running } = travelStore.getState();
  if (thread === null || gate === null || gate.plan === null || gateRefusal(gate) !== null || running !== null) return;
  await run(thread, gate.request, gate.plan, gate.choices, gate.evenBusy);
}

async function run(
  thread: string,
  request: TravelRequest,
  plan: Plan,
  choices: Readonly<Record<string, Choice>>,
  evenBusy: boolean,
): Promise<void> {
  const operation = crypto.randomUUID();
  const total = plan.files.length;
  travelStore.setState({ running: { operation, request, done: 0, total, label: '', cancelling: false } });
  try {
    const result = await call('travel.run', {
      thread,
      operation,
      ...request,
      drift: 'merge',
      choices: { ...choices },
      fingerprint: plan.fingerprint,
      evenBusy,
    });
    travelStore.setState({ running: null, gate: null, last: { request, result } });
    leavePreview();
    const takesBack = request.kind === 'unrevert' || request.kind === 'undo' || request.kind === 'redo';
    const failed = result.files.some((file) => file.outcome === 'failed');
    showToast({
      tone: failed ? 'failed' : 'done',
      text: result.message,
      stays: failed || !takesBack,
      action: takesBack
        ? null
        : plan.recall !== undefined
          ? afterRecall(plan.recall, result)
          : { label: 'Undo', run: () => void takeBackLast() },
    });
    await reloadThread(thread);
  } catch (thrown) {
    const error = reasonOfThrown(thrown);
    travelStore.setState({ running: null });
    if (gateOf(request) === null) showFailure(error);
    else changeGate(request, { phase: 'ready', plan, error });
  }
}

/** What can be done about a recall that was made: a planned one is dropped, files come back, and at least its text can be copied. */
function afterRecall({ text }: RecallShown, { log, files, entry }: TravelResult): { label: string; run: () => void } {
  if (log === 'pending') return { label: 'Drop', run: () => void unrevert() };
  if (files.length > 0) return { label: 'Bring files back', run: () => void restoreEntry(entry) };
  return { label: 'Copy text', run: () => void copyText(text, 'Prompt') };
}

/** Stops the running travel; what it wrote is put back. */
export async function cancelRunning(): Promise<void> {
  const { running } = travelStore.getState();
  if (running === null || running.cancelling) return;
  travelStore.setState({ running: { ...running, cancelling: true } });
  await call('cancel', { operation: running.operation }).catch((thrown: unknown) => showFailure(reasonOfThrown(thrown)));
}

/** Closes the gate; a preview by the cursor ends with it. Not while it runs. */
export function closeGate(): void {
  const { gate, running } = travelStore.getState();
  if (gate === null || running !== null) return;
  travelStore.setState({ gate: null });
  leavePreview();
}

export const revertTo = (stop: number, scope: Scope = usualScope()): Promise<void> =>
  beginTravel({ kind: 'revert', stop, entry: null, scope });

/** Goes to where the cursor was left. Nothing happens when it is where the thread stands. */
export async function commitStop(stop: number): Promise<void> {
  if (stop === cursorStore.getState().here) leavePreview();
  else await revertTo(stop);
}

export const unrevert = (): Promise<void> => beginTravel({ kind: 'unrevert', stop: null, entry: null, scope: 'both' });
export const undoTurn = (): Promise<void> => beginTravel({ kind: 'undo', stop: null, entry: null, scope: 'both' });
export const redoTurn = (): Promise<void> => beginTravel({ kind: 'redo', stop: null, entry: null, scope: 'both' });
export const restoreEntry = (entry: string): Promise<void> => beginTravel({ kind: 'restore', stop: null, entry, scope: 'files' });

/** Undoes the last travel: the standing revert is taken back, or its files come back from the safety snapshot. */
export async function takeBackLast(): Promise<void> {
  const { view } = sessionStore.getState();
  const { last } = travelStore.getState();
  // What was brought back is no part of a revert that stands.
  if (last?.request.kind === 'partial') await restoreEntry(last.result.entry);
  else if (view?.standing != null && view.can.unrevert === true) await unrevert();
  else if (last !== null) await restoreEntry(last.result.entry);
  else showFailure(reason('NO_STANDING_REVERT'));
}

export async function loadHistory(): Promise<void> {
  const thread = sessionStore.getState().id;
  if (thread === null) return;
  travelStore.setState(({ history }) => ({
    history: { ...history, phase: history.entries.length > 0 ? 'ready' : 'loading', error: null },
  }));
  try {
    const { entries } = await call('travel.history', { thread });
    if (sessionStore.getState().id === thread) travelStore.setState({ history: { phase: 'ready', entries, error: null } });
  } catch (thrown) {
    travelStore.setState({ history: { phase: 'failed', entries: [], error: reasonOfThrown(thrown) } });
  }
}

export async function loadInterrupted(): Promise<void> {
  try {
    travelStore.setState({ interrupted: (await call('travel.interrupted', {})).travels });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** Ends a travel that a crash interrupted. */
export async function recover(entry: string, how: 'finish' | 'roll-back'): Promise<void> {
  if (travelStore.getState().recovering !== null) return;
  travelStore.setState({ recovering: entry });
  try {
    const result = await call('travel.recover', { entry, how });
    showToast({ tone: 'done', text: result.message, stays: true });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  } finally {
    travelStore.setState({ recovering: null });
  }
  await loadInterrupted();
  const { id } = sessionStore.getState();
  if (id !== null) await reloadThread(id);
}
