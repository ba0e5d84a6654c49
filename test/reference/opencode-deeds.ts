import fc from 'fast-check';
import { ops } from '../travel/model/commands.ts';

/** How a step was recorded: whole; cut off before its end; its end without a tree; its start without one, or with what it wrote itself. */
const ENDS = ['whole', 'whole', 'whole', 'whole', 'whole', 'cut', 'no-end', 'empty-end', 'no-start', 'late-start'] as const;

const stepDeed = fc.record({
  does: fc.option(ops, { freq: 3 }),
  calls: fc.array(fc.constantFrom('read', 'bash', 'failed', 'task'), { maxLength: 2 }),
  end: fc.constantFrom(...ENDS),
});

/** What OpenCode, or the user, does; `waits`: the prompt was typed while the turn before still ran. */
export const opencodeDeed = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      steps: fc.array(stepDeed, { maxLength: 3 }),
      said: fc.constantFrom('plain', 'quoted', 'notes'),
      waits: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('user' as const), does: ops }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), back: fc.nat({ max: 9 }), part: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'unrevert' as const }, { do: 'compact' as const }, { do: 'fork' as const }) },
);
export type OpencodeDeed = typeof opencodeDeed extends fc.Arbitrary<infer T> ? T : never;

/** Tables with the event log; without one, as before it existed; the JSON tree; tables and an old copy in JSON; the new runtime. */
export const LAYOUTS = ['events', 'events', 'tables', 'json', 'both', 'runtime'] as const;
export type Layout = (typeof LAYOUTS)[number];
