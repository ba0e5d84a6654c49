import { expect } from 'vitest';
import type { Choice, Plan } from '../../../shared/plan.ts';
import type { Disk } from './disk.ts';
import type { Chains } from './known-thread.ts';
import { carried, leftBy, type Outcome, seen, type Verdict } from './rules.ts';

/** What a plan says of paths that a file and a folder both want. */
export const GROUP = /^(A file stands at|The folder )/;
const CARRIED = /^It holds what was changed since in /;

/** The paths that stay because they hold what would otherwise be in no file, after making sure that the plan keeps just those. */
export function pathsThatStay(plan: Plan, verdicts: ReadonlyMap<string, Verdict>, chains: Chains, disk: Disk): Set<string> {
  const shown = plan.files.filter((file) => file.why !== null && CARRIED.test(file.why)).map((file) => file.path);
  const outcomes = (choiceOf: (name: string, verdict: Verdict) => Choice): Map<string, Outcome> =>
    new Map(
      [...verdicts].map(([name, verdict]) => {
        const there = seen(disk.get(name));
        const choice = choiceOf(name, verdict);
        return [name, { disk: there, choice, left: leftBy(there, choice, verdict) }];
      }),
    );
  const lost = (choices: Map<string, Outcome>): string[] => carried(chains, choices).flatMap((one) => (one.lost ? one.holders : []));
  const planned = new Map(plan.files.map((file) => [file.path, file] as const));
  const inTheWay = plan.files.some((file) => file.why !== null && GROUP.test(file.why));
  if (inTheWay || [...verdicts.keys()].some((name) => !planned.has(name))) {
    // Files and folders in each other's way stay for reasons of their own: then what counts is that nothing is lost.
    const real = outcomes((name) => planned.get(name)?.choice ?? 'keep');
    expect(lost(real)).toEqual([]);
    const may = carried(chains, real).flatMap((one) => one.holders);
    expect(shown.filter((name) => !may.includes(name))).toEqual([]);
    return new Set(shown);
  }
  const stays = new Set<string>();
  const model = (): string[] => lost(outcomes((name, { choice }) => (stays.has(name) ? 'keep' : choice)));
  for (let more = model(); more.length > 0; more = model()) for (const name of more) stays.add(name);
  expect(shown).toEqual([...stays].sort());
  return stays;
}
