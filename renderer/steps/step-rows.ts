import type { Step, Turn } from '../../shared/model.ts';

/** A row of the steps pane: a turn, or a step of an open turn. */
export type StepRow =
  | { kind: 'turn'; key: string; turn: Turn; steps: number; open: boolean }
  /** Steps that belong to no turn of the log. */
  | { kind: 'rest'; key: string; steps: number; open: boolean }
  | { kind: 'step'; key: string; step: Step; position: number; size: number };

/** Which turns are open: the selected one, and those opened by hand; a selected turn can be closed by hand. */
export interface OpenTurns {
  selected: number | null;
  toggled: ReadonlySet<number>;
}

/** The number that stands for steps without a turn in `OpenTurns`. */
export const NO_TURN = 0;

export const isOpen = (turn: number, { selected, toggled }: OpenTurns): boolean => (turn === selected) !== toggled.has(turn);

/** Rows of the whole thread in the order of the log: a header for each turn, its steps where it is open. */
export function stepRows(
  turns: readonly Turn[],
  stepsOfTurn: ReadonlyMap<number, readonly Step[]>,
  rest: readonly Step[],
  open: OpenTurns,
): StepRow[] {
  const rows: StepRow[] = [];
  const add = (steps: readonly Step[]): void => {
    steps.forEach((step, at) => {
      rows.push({ kind: 'step', key: step.id, step, position: at + 1, size: steps.length });
    });
  };
  if (rest.length > 0) {
    const shown = isOpen(NO_TURN, open);
    rows.push({ kind: 'rest', key: 'rest', steps: rest.length, open: shown });
    if (shown) add(rest);
  }
  for (const turn of turns) {
    const steps = stepsOfTurn.get(turn.index) ?? [];
    const shown = isOpen(turn.index, open);
    rows.push({ kind: 'turn', key: `turn ${turn.index}`, turn, steps: steps.length, open: shown });
    if (shown) add(steps);
  }
  return rows;
}
