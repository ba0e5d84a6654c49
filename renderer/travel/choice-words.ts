import type { Choice, PlanFile } from '../../shared/plan.ts';

type Words = Readonly<Record<Choice, string>>;

const ON_DISK: Words = {
  write: 'Write',
  merge: 'Merge: my edit stays',
  keep: 'Keep mine: leave it',
  overwrite: 'Overwrite my edit',
};
const WOULD_GO: Words = { ...ON_DISK, write: 'Delete it', overwrite: 'Delete it anyway' };
/** Nothing stands there, so nothing is anybody's. */
const ABSENT: Words = { write: 'Bring it back', merge: 'Bring it back', keep: 'Leave it absent', overwrite: 'Bring it back' };

const CHOICES = { restore: ON_DISK, delete: WOULD_GO, recreate: ABSENT } as const satisfies Record<PlanFile['verb'], Words>;

/** It can come back in two ways: as others left it, or exactly as it was before the agent. */
const TWO_WAYS: Words = { ...ABSENT, merge: 'Bring it back: my edit stays', overwrite: 'Bring it back without my edit' };

export function choiceWords({ verb, choices }: PlanFile, choice: Choice): string {
  const twoWays = verb === 'recreate' && choices.includes('merge') && choices.includes('overwrite');
  return (twoWays ? TWO_WAYS : CHOICES[verb])[choice];
}

/** How a file that the travel leaves alone is spoken of: one that is absent stays so. */
export const keptWords = ({ verb }: PlanFile) =>
  verb === 'recreate'
    ? {
        badge: 'Absent',
        leave: 'Leave it absent',
        left: 'Left absent',
        result: 'It stays absent.',
        undo: 'An undo takes it away again.',
      }
    : {
        badge: 'Keep',
        leave: 'Leave this file',
        left: 'Left as it is',
        result: 'It stays as it is now.',
        undo: 'Your edit is kept in the undo point.',
      };

/** A sentence on a drifted file with its mark, which is the beginning of the sentence where that says it. */
export function markedWhy(why: string | null): { mark: string; rest: string } {
  const mark = /^It was (?:changed|deleted) since/.exec(why ?? '')?.[0] ?? null;
  return mark === null ? { mark: 'Changed since', rest: why === null ? '' : ` ${why}` } : { mark, rest: (why ?? '').slice(mark.length) };
}
