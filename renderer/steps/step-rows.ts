import type { Step, Turn } from '../../shared/model.ts';

/** A row of the steps pane: a turn, or a step of an open turn. `turn` is null for steps that belong to no turn of the log. */
export type StepRow =
  | { kind: 'turn'; key: string; turn: Turn | null; steps: number; open: boolean; position: number; size: number }
  | { kind: 'step'; key: string; step: Step; position: number; size: number };

/** The number that stands for steps without a turn. */
export const NO_TURN = 0;

export const turnNumber = (turn: Turn | null): number => turn?.index ?? NO_TURN;

/** Rows of the whole thread in the order of the log: a header for each turn, its steps where it is open. */
export function stepRows(
  turns: readonly Turn[],
  stepsOfTurn: ReadonlyMap<number, readonly Step[]>,
  rest: readonly Step[],
  open: ReadonlySet<number>,
): StepRow[] {
  const rows: StepRow[] = [];
  const size = turns.length + (rest.length > 0 ? 1 : 0);
  const add = (turn: Turn | null, steps: readonly Step[], position: number): void => {
    const number = turnNumber(turn);
    const shown = open.has(number);
    rows.push({ kind: 'turn', key: `turn ${number}`, turn, steps: steps.length, open: shown, position, size });
    if (!shown) return;
    steps.forEach((step, at) => {
      rows.push({ kind: 'step', key: step.id, step, position: at + 1, size: steps.length });
    });
  };
  if (rest.length > 0) add(null, rest, 1);
  turns.forEach((turn, at) => {
    add(turn, stepsOfTurn.get(turn.index) ?? [], size - turns.length + at + 1);
  });
  return rows;
}

/** The place of the row that holds a step, or of its turn while that is closed; -1 when neither is there. */
export function rowOfStep(rows: readonly StepRow[], step: string, turn: number | null): number {
  const at = rows.findIndex((row) => row.kind === 'step' && row.step.id === step);
  return at >= 0 ? at : rows.findIndex((row) => row.kind === 'turn' && turnNumber(row.turn) === (turn ?? NO_TURN));
}
