import type { Plan, PlanFile, TravelResult } from '../../shared/plan.ts';

export const planFile = (path: string, over: Partial<PlanFile> = {}): PlanFile => ({
  path,
  verb: 'restore',
  drift: false,
  choice: 'write',
  choices: ['write', 'keep'],
  why: null,
  added: 1,
  removed: 2,
  binary: false,
  ...over,
});

/** A plan to a stop; quiet (no file, no effect) unless the test says otherwise. */
export const makePlan = (stop: number | null, over: Partial<Plan> = {}): Plan => ({
  kind: 'revert',
  target: { messageId: stop === null ? null : `m${stop}`, stop },
  scope: 'both',
  turns: [1],
  messages: 2,
  files: [],
  sideEffects: [],
  skipped: [],
  notes: [],
  refusal: null,
  fingerprint: `plan-${stop}`,
  ...over,
});

export const makeResult = (over: Partial<TravelResult> = {}): TravelResult => ({
  entry: 'e1',
  message: 'Reverted to message 2. Files restored: 1.',
  log: 'appended',
  files: [{ path: 'a', outcome: 'written', why: null }],
  ...over,
});
