import type { ThreadView } from '../../shared/contract.ts';
import type { Step } from '../../shared/model.ts';
import { count, showNumber } from '../ui/words.ts';

/** "At message 34 of 120 · 9 messages hidden · 6 files" */
export function standingWords(view: ThreadView): string | null {
  const { standing } = view;
  if (standing === null) return null;
  const last = view.messages.reduce((most, message) => Math.max(most, message.stop ?? 0), 0);
  const place = standing.stop === 0 ? 'At the start' : `At message ${showNumber(standing.stop)} of ${showNumber(last)}`;
  return [
    place,
    standing.hidden === 0 ? null : `${count(standing.hidden, 'message')} hidden`,
    standing.files === null ? null : count(standing.files.length, 'file'),
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** The steps that a standing revert took back, first and last: what its patch is made of. Null when none was captured. */
export function revertedSteps(view: ThreadView): { from: Step; to: Step } | null {
  const { standing } = view;
  if (standing === null) return null;
  const steps = view.steps.filter(
    (step) => step.stop !== null && step.stop > standing.stop && step.captured === true && (step.files?.length ?? 0) > 0,
  );
  const [from] = steps;
  const to = steps.at(-1);
  return from === undefined || to === undefined ? null : { from, to };
}
