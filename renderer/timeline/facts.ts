import type { ThreadView } from '../../shared/contract.ts';
import type { Step } from '../../shared/model.ts';
import type { ThreadIndex } from '../store/thread-index.ts';

/** What the lanes need of each row, in flat arrays: made once for a view, read at each drawing. */
export interface Facts {
  rows: number;
  added: Float64Array;
  removed: Float64Array;
  /** Side effects of the row's tool calls. */
  effects: Uint16Array;
  /** 1 where the user speaks. */
  prompts: Uint8Array;
  /** Turn of the row; 0 for none. */
  turns: Uint32Array;
  /** 1 hidden by the standing revert, 2 hidden for another reason. */
  hidden: Uint8Array;
  /** 1 where a step changed files that are not counted yet, or was not captured. */
  unknown: Uint8Array;
  mostLines: number;
}

function linesOf(step: Step): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const file of step.files ?? []) {
    added += file.added ?? 0;
    removed += file.removed ?? 0;
  }
  return { added, removed };
}

export function factsOf(view: ThreadView, index: ThreadIndex): Facts {
  const rows = view.messages.length;
  const facts: Facts = {
    rows,
    added: new Float64Array(rows),
    removed: new Float64Array(rows),
    effects: new Uint16Array(rows),
    prompts: new Uint8Array(rows),
    turns: new Uint32Array(rows),
    hidden: new Uint8Array(rows),
    unknown: new Uint8Array(rows),
    mostLines: 1,
  };
  view.messages.forEach((message, row) => {
    facts.prompts[row] = message.role === 'user' ? 1 : 0;
    facts.turns[row] = message.turn ?? 0;
    facts.hidden[row] = message.hidden === null ? 0 : message.hidden.reason === 'reverted' ? 1 : 2;
    facts.effects[row] = message.tools.reduce((sum, tool) => sum + (tool.sideEffect === null ? 0 : 1), 0);
  });
  for (const stop of index.stops) {
    if (stop.row < 0) continue;
    let added = 0;
    let removed = 0;
    for (const step of index.stepsAt.get(stop.stop) ?? []) {
      const lines = linesOf(step);
      added += lines.added;
      removed += lines.removed;
      const listed = step.files === null && (step.listed?.length ?? 0) > 0;
      if (listed || (step.captured !== null && step.captured !== true)) facts.unknown[stop.row] = 1;
    }
    facts.added[stop.row] = added;
    facts.removed[stop.row] = removed;
    facts.mostLines = Math.max(facts.mostLines, added, removed);
  }
  return facts;
}
