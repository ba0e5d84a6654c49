import type { Range } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { Step } from '../../shared/model.ts';

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

/** Why a list is empty, in words. Never "no changes" for what was not captured. */
export function emptyWords(range: Range, title: string, missing: readonly Missing[]): { title: string; text: string } {
  const [first] = missing;
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
      return { title: 'No file would change', text: 'Going back to here only hides messages.' };
  }
}
