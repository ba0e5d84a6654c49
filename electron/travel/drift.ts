import type { Choice } from '../../shared/plan.ts';
import { type Content, sameContent } from './content.ts';
import type { Clash } from './merge-content.ts';
import type { Layer, Peeled } from './peel.ts';

/** What is preselected for a path, what may be chosen, and why. */
export interface Verdict {
  drift: boolean;
  choice: Choice;
  choices: Choice[];
  why: string | null;
}

/** Of a file that the agent made. */
export const EDITED = 'It was changed since the agent made it; taking it away would lose those changes.';

const CLASHES: Record<Clash, string> = {
  deleted: 'It was deleted since.',
  edited: EDITED,
  recreated: 'The agent deleted it, and another file stands in its place now.',
  kind: 'It is another kind of file now.',
  binary: 'It was changed since, and it is binary, so the changes cannot be told apart.',
  large: 'It was changed since, and it is too large to tell the changes apart.',
  gone: 'It was changed since, and what a travel left there was cleaned up, so the changes cannot be told apart.',
  moving: 'It is being written right now, so the changes cannot be told apart.',
  conflict: "It was changed since in the same lines as the agent's changes.",
};

/** The same where what goes is what a travel did: taking a revert back takes nothing of the agent's away. */
const CLASHES_WITH_A_TRAVEL: Partial<Record<Clash, string>> = {
  edited: 'It was changed since the travel put it there; taking it away would lose those changes.',
  recreated: 'The travel took it away, and another file stands in its place now.',
  conflict: 'It was changed since in the same lines that the travel changed.',
};

function clashWords(clash: Clash, at: Layer | null): string {
  const ofTravel = at?.travel === true ? CLASHES_WITH_A_TRAVEL[clash] : undefined;
  return ofTravel ?? CLASHES[clash];
}

/** The verdict on a peeled path before its neighbours are looked at. `ignored`: a `.gitignore` names it now. */
export function verdictOn(disk: Content, peeled: Peeled, ignored: boolean): Verdict {
  if (!peeled.drift) return { drift: false, choice: 'write', choices: ['write', 'keep'], why: null };
  const { merged, clash, at } = peeled;
  const merges = merged !== null && !sameContent(merged, disk);
  const choices: Choice[] = merges ? ['merge', 'keep', 'overwrite'] : ['keep', 'overwrite'];
  // What was ignored only later may be a secret or a cache by now: it is not touched unasked (case C-03).
  if (ignored) return { drift: true, choice: 'keep', choices, why: 'It was changed since, and .gitignore names it now.' };
  if (merges && clash !== null) {
    return { drift: true, choice: 'merge', choices, why: `${clashWords(clash, at)} It comes back as it was then.` };
  }
  if (merges) {
    const whose = peeled.byTravel ? 'what the travel changed goes' : "the agent's changes go";
    return { drift: true, choice: 'merge', choices, why: `It was changed since; ${whose} and the others stay.` };
  }
  return { drift: true, choice: 'keep', choices, why: keepReason(peeled, clash, at?.bystander === true) };
}

function keepReason({ at, target }: Peeled, clash: Clash | null, bystander: boolean): string {
  if (clash !== null) return clashWords(clash, at);
  if (bystander && at !== null) {
    return target.kind === 'absent'
      ? `It appeared during ${at.from}, written by no tool.`
      : `It was changed during ${at.from}, by no tool.`;
  }
  return "It was changed since, and nothing of the agent's changes is left in it.";
}
