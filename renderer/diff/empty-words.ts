import type { Range } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { FileChange, Step } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import type { Lens } from '../store/lens-model.ts';

/** Steps of a range that were not captured, with why: their changes are not in any list. */
export interface Missing {
  step: Step;
  reason: Reason;
}

/** The steps that a range covers, in log order. A plan covers none: it speaks for itself. */
export function stepsOfRange(range: Range, steps: readonly Step[]): readonly Step[] {
  switch (range.kind) {
    case 'step':
      return steps.filter((step) => step.id === range.step);
    case 'turn':
      return steps.filter((step) => step.turn === range.turn);
    case 'steps': {
      const first = steps.findIndex((step) => step.id === range.from);
      const last = steps.findIndex((step) => step.id === range.to);
      return first < 0 || last < first ? [] : steps.slice(first, last + 1);
    }
    case 'since':
      return steps.filter((step) => step.id === range.step);
    case 'stops': {
      const ends = [range.from, range.to ?? Number.POSITIVE_INFINITY];
      const [first, last] = [Math.min(...ends), Math.max(...ends)];
      const live = (step: Step): boolean => step.hidden === null || step.hidden.reason === 'reverted';
      return steps.filter((step) => live(step) && step.stop !== null && step.stop > first && step.stop <= last);
    }
    case 'between':
    case 'plan':
      return [];
  }
}

export function missingOf(range: Range, steps: readonly Step[]): Missing[] {
  return stepsOfRange(range, steps).flatMap((step) =>
    step.captured === null || step.captured === true ? [] : [{ step, reason: step.captured }],
  );
}

/** Is the name of each file all that is known of these changes? Then there is no text to compare. */
export const isNamesOnly = (files: readonly FileChange[], missing: readonly Missing[]): boolean =>
  missing.length > 0 && files.every((file) => file.added === null && file.removed === null && !file.binary);

/** What is to be said above a list about the steps that are missing from it; null when none is. */
export function missingWords(range: Range, missing: readonly Missing[]): string | null {
  const [first] = missing;
  if (first === undefined) return null;
  const one = missing.length === 1;
  const which = one ? `Step ${first.step.index}` : `${missing.length} steps`;
  if (range.kind !== 'stops') return `${which} ${one ? 'is' : 'are'} not in this list. ${first.reason.message}`;
  return `${which} in between ${one ? 'was' : 'were'} not captured, so a change of ${one ? 'its' : 'their'} files may be missing here. ${first.reason.message}`;
}

/** The same while one file is pinned. */
export function lensEmptyWords({ path, stops }: Lens): { title: string; text: string } {
  const text =
    stops.length === 0 ? 'No step of this thread changed it.' : `${stops.length === 1 ? '1 step' : `${stops.length} steps`} changed it.`;
  return { title: 'This file is not changed here', text: `${showTreePath(path)}: ${text}` };
}

/** Why a list is empty, in words; `error`: what is known of it. Never "no changes" for what was not captured. */
export function emptyWords(
  range: Range,
  title: string,
  missing: readonly Missing[],
  error: Reason | null = null,
): { title: string; text: string } {
  const [first] = missing;
  if (range.kind === 'stops')
    return { title: 'No file differs', text: missingWords(range, missing) ?? 'The files are the same at both places.' };
  if (first !== undefined) {
    const which = missing.length === 1 ? `Step ${first.step.index} was not captured` : `${missing.length} steps were not captured`;
    return { title: which, text: first.reason.message };
  }
  switch (range.kind) {
    case 'step':
      return { title: 'No file changed in this step', text: 'The snapshots before and after it hold the same files.' };
    case 'turn':
      return { title: 'No file changed in this turn', text: 'The agent answered without changing files.' };
    case 'steps':
      return { title: 'No file changed from first to last', text: `${title}: the files are the same before and after.` };
    case 'since':
      return { title: 'No file changed since', text: 'The files on disk are what this step left.' };
    case 'between':
      return { title: 'No file differs', text: 'Both steps left the same files.' };
    case 'plan':
      return { title: 'No file would change', text: error?.message ?? 'Going back to here only hides messages.' };
  }
}
