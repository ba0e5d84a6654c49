/** What a store says about the trees of one step. */
export interface StepRecord {
  /** Identity of the turn; steps of one turn are chained. */
  turn: string;
  /** Tree before the step, as its own record has it. */
  start: string | null;
  /** Tree after it. */
  end: string | null;
  /** The step was recorded to its end; without that its end tree is unknown, not missing. */
  ended: boolean;
  /** A tool of it may have written files. */
  mayWrite: boolean;
  born: number;
  gone: number | null;
}

export interface StepTrees {
  from: string | null;
  to: string | null;
  /** The end is taken from the start of a later step. */
  borrowed: boolean;
  /** Where the files stood before this step when they changed while no step ran: the user's own edits. */
  gap: { after: number; from: string } | null;
}

/**
 * The trees of each step (formats/opencode rule 0.2 and 1.3). Inside a turn a step starts where the one before it ended, because
 * a step's own start tree may already hold its own writes. The first step of a turn starts at its own start tree; what lies
 * between the end of the step before and that tree is the user's. A step that was cut off ends where the next one starts.
 */
export function stepTrees(steps: readonly StepRecord[]): StepTrees[] {
  const before = steps.map((_, at) => predecessor(steps, at));
  const next = new Map<number, number>();
  for (const [at, previous] of before.entries()) if (previous !== null && !next.has(previous)) next.set(previous, at);
  const trees: StepTrees[] = [];
  for (const [at, step] of steps.entries()) {
    const previous = before[at] ?? null;
    const chained = previous !== null && steps[previous]?.turn === step.turn ? (trees[previous]?.to ?? null) : null;
    const from = chained ?? step.start;
    const borrowed = step.end === null && !step.ended && step.mayWrite;
    const later = steps[next.get(at) ?? -1]?.start ?? null;
    // A step that wrote nothing leaves what it found, whether or not it was cut off.
    const to = step.end ?? (step.ended ? null : step.mayWrite ? later : from);
    trees.push({ from, to, borrowed: borrowed && later !== null, gap: gapBefore(steps, before, trees, previous, from) });
  }
  return trees;
}

/** The step before, as things stood when this one was made: what was dropped by then is not before it. */
function predecessor(steps: readonly StepRecord[], at: number): number | null {
  const born = steps[at]?.born ?? Number.MAX_VALUE;
  for (let k = at - 1; k >= 0; k -= 1) {
    const gone = steps[k]?.gone ?? null;
    if (gone === null || gone > born) return k;
  }
  return null;
}

/** The nearest known end before a step, as long as only steps lie between that cannot have written anything. */
function gapBefore(
  steps: readonly StepRecord[],
  before: readonly (number | null)[],
  trees: readonly StepTrees[],
  previous: number | null,
  from: string | null,
): StepTrees['gap'] {
  for (let at = previous; at !== null && from !== null; at = before[at] ?? null) {
    const end = trees[at]?.to ?? null;
    if (end !== null) return end === from ? null : { after: at, from: end };
    if (steps[at]?.mayWrite) return null;
  }
  return null;
}
