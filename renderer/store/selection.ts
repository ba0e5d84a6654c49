import type { Range } from '../../shared/contract.ts';
import { showRange } from './changes.ts';
import { type Selection, sessionStore } from './session-store.ts';

const nothing: Selection = { turn: null, step: null, anchor: null };

/** The range that a selection means; null when nothing is selected. */
export function rangeOfSelection(selection: Selection): Range | null {
  const { step, anchor, turn, compare } = selection;
  if (compare !== undefined) return { kind: 'stops', ...compare };
  if (step !== null && anchor !== null && anchor !== step) {
    const { index } = sessionStore.getState();
    const forward = (index.steps.get(anchor)?.index ?? 0) <= (index.steps.get(step)?.index ?? 0);
    return { kind: 'steps', from: forward ? anchor : step, to: forward ? step : anchor };
  }
  if (step !== null) return { kind: 'step', step };
  return turn === null ? null : { kind: 'turn', turn };
}

/** Shows the selection's files again, for example after a preview ended. */
export function showSelection(): Promise<void> {
  return showRange(rangeOfSelection(sessionStore.getState().selection));
}

function select(selection: Selection): Promise<void> {
  sessionStore.setState({ selection });
  return showSelection();
}

/** Selects a step; with `extend`, the range from the step selected before to this one. */
export function selectStep(step: string, options: { extend?: boolean } = {}): Promise<void> {
  const { selection, index } = sessionStore.getState();
  const turn = index.steps.get(step)?.turn ?? selection.turn;
  const anchor = options.extend ? (selection.anchor ?? selection.step) : null;
  return select({ turn, step, anchor });
}

export function selectTurn(turn: number): Promise<void> {
  return select({ turn, step: null, anchor: null });
}

/** Selects all steps from one to another, in any order. */
export function selectSteps(from: string, to: string): Promise<void> {
  return select({ turn: sessionStore.getState().index.steps.get(to)?.turn ?? null, step: to, anchor: from });
}

/** From after a step to the files on disk. The step stays selected. */
export async function showSince(step: string): Promise<void> {
  sessionStore.setState({ selection: { turn: sessionStore.getState().index.steps.get(step)?.turn ?? null, step, anchor: null } });
  await showRange({ kind: 'since', step });
}

export function selectNothing(): Promise<void> {
  return select(nothing);
}
