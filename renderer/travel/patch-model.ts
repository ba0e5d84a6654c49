import type { Range, ThreadView } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { Selection } from '../store/session-store.ts';

/** A range that a patch can be made of. */
export interface PatchSource {
  id: string;
  label: string;
  range: Range;
}

/** What can be exported: what is shown first, then the selected step and its whole turn. */
export function patchSources(shown: { range: Range | null; title: string }, selection: Selection, stepIndex: number | null): PatchSource[] {
  const sources: PatchSource[] = [];
  const add = (label: string, range: Range): void => {
    const id = JSON.stringify(range);
    if (!sources.some((source) => source.id === id)) sources.push({ id, label, range });
  };
  if (shown.range !== null && shown.range.kind !== 'plan') add(shown.title, shown.range);
  if (selection.step !== null) add(`Step ${stepIndex ?? selection.step}`, { kind: 'step', step: selection.step });
  if (selection.turn !== null) add(`Turn ${selection.turn}`, { kind: 'turn', turn: selection.turn });
  return sources;
}

/** Why a range has no patch before the engine is asked: a step of it was not captured. */
export function notCaptured(range: Range, view: ThreadView | null): Reason | null {
  if (range.kind !== 'step' && range.kind !== 'since') return null;
  const step = view?.steps.find((entry) => entry.id === range.step);
  return step === undefined || step.captured === null || step.captured === true ? null : step.captured;
}

/** Where a patch of that name goes unless another place is typed. */
export function defaultPath(home: string | undefined, name: string): string {
  if (home === undefined || home === '') return name;
  const slash = home.includes('\\') && !home.includes('/') ? '\\' : '/';
  return home.endsWith(slash) ? `${home}${name}` : `${home}${slash}${name}`;
}
