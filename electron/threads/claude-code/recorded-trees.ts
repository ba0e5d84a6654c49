import path from 'node:path';
import type { Reason } from '../../../shared/errors.ts';
import type { Moment } from '../../snapshots/moments.ts';
import type { Entry } from './claude-log.ts';

/** Whole trees around a step, where hooks recorded them. */
export interface RecordedStep {
  from: string;
  to: string;
  /** Every tool of the step says what it writes; else all that changed while it ran counts. */
  reporting: boolean;
}

interface Calls {
  ids: string[];
  reporting: boolean;
}

function callsOf(entries: readonly Entry[]): Map<string, Calls> {
  const steps = new Map<string, Calls>();
  for (const { tree, aside, calls } of entries) {
    if (tree.answer === null || aside) continue;
    const step = steps.get(tree.answer) ?? { ids: [], reporting: true };
    steps.set(tree.answer, step);
    for (const call of calls) {
      step.ids.push(call.id);
      step.reporting &&= call.wrote !== null;
    }
  }
  return steps;
}

/**
 * The trees around each step whose calls were recorded (`turnback record claude-code`). Hooks are skipped for an interrupted call
 * and for an edit that its tool refused (formats/opencode-and-claude-code.md 2.5): such a step ends where the next moment begins.
 * A step for which a moment failed is in `failed`, with the reason.
 */
export function recordedTrees(
  moments: readonly Moment[],
  entries: readonly Entry[],
  root: string,
): { steps: Map<string, RecordedStep>; failed: Map<string, Reason> } {
  const own = moments.filter((moment) => path.resolve(moment.root) === path.resolve(root));
  const places = new Map<string, { before: number[]; after: number[] }>();
  for (const [at, { call, event }] of own.entries()) {
    if (call === null || (event !== 'before' && event !== 'after')) continue;
    const place = places.get(call) ?? { before: [], after: [] };
    places.set(call, place);
    place[event].push(at);
  }
  const steps = new Map<string, RecordedStep>();
  const failed = new Map<string, Reason>();
  for (const [step, { ids, reporting }] of callsOf(entries)) {
    const known = ids.flatMap((id) => places.get(id) ?? []);
    const first = Math.min(...known.flatMap((place) => place.before));
    const cut = known.some((place) => place.after.length === 0);
    const last = Math.max(...known.flatMap((place) => [...place.before, ...place.after])) + (cut ? 1 : 0);
    const [from, to] = [own[first], own[last]];
    if (!from || !to) continue;
    const why = from.failed ?? to.failed;
    if (why) failed.set(step, why);
    else if (from.tree !== null && to.tree !== null) steps.set(step, { from: from.tree, to: to.tree, reporting });
  }
  return { steps, failed };
}
