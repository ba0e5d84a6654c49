import type { LineRun, Range } from '../../shared/contract.ts';
import type { Step } from '../../shared/model.ts';
import type { ThreadIndex } from '../store/thread-index.ts';
import { oneLine } from '../ui/words.ts';

/** Who wrote the lines of a shown file, as the gutter and the list tell it. Lines are those of the whole file, from 1. */
export interface LineOwners {
  readonly runs: readonly LineRun[];
  /** Characters of the longest label. */
  readonly width: number;
  run(line: number): LineRun | null;
  /** A few signs for the gutter: `4·12` for turn 4, step 12. */
  label(run: LineRun): string;
  /** The same in words. */
  words(run: LineRun): string;
}

const START = 60;

const cut = (text: string): string => (text.length > START ? `${text.slice(0, START).trimEnd()}…` : text);

const LABELS = { you: 'out', before: '·', unknown: '?' } as const;

function labelOf({ who, step, turn }: LineRun, steps: ReadonlyMap<string, Step>): string {
  if (who !== 'step') return LABELS[who];
  const number = steps.get(step ?? '')?.index ?? '?';
  return turn === null ? `${number}` : `${turn}·${number}`;
}

function wordsOf({ who, step, turn }: LineRun, { steps, turns }: Pick<ThreadIndex, 'steps' | 'turns'>): string {
  const number = steps.get(step ?? '')?.index;
  if (who === 'you') return 'changed outside the thread';
  if (who === 'before') return 'there before the thread’s first step';
  if (who === 'unknown') return number === undefined ? 'not known' : `not known: step ${number} was not captured`;
  const prompt = turn === null ? '' : oneLine(turns.get(turn)?.prompt ?? '');
  return `step ${number ?? '?'}${turn === null ? '' : `, turn ${turn}`}${prompt === '' ? '' : `: ${cut(prompt)}`}`;
}

/** The owners of a file's lines in the words of the open thread. */
export function lineOwners(runs: readonly LineRun[], index: Pick<ThreadIndex, 'steps' | 'turns'>): LineOwners {
  const label = (run: LineRun): string => labelOf(run, index.steps);
  return {
    runs,
    width: runs.reduce((most, run) => Math.max(most, label(run).length), 0),
    run(line) {
      let low = 0;
      let high = runs.length - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        const run = runs[middle];
        if (run === undefined || run.from > line) high = middle - 1;
        else if (run.from + run.count <= line) low = middle + 1;
        else return run;
      }
      return null;
    },
    label,
    words: (run) => wordsOf(run, index),
  };
}

/**
 * The moment that the newer side of a range shows, as `file.lines` takes it; undefined when the log knows no such moment: a preview, or
 * a turn of which nothing was recorded.
 */
export function momentOf(range: Range, index: Pick<ThreadIndex, 'stepsOfTurn'>): number | string | null | undefined {
  switch (range.kind) {
    case 'step':
      return range.step;
    case 'turn':
      return index.stepsOfTurn.get(range.turn)?.findLast((step) => step.to !== null)?.id;
    case 'steps':
    case 'between':
      return range.to;
    case 'since':
      return null;
    case 'stops':
      return range.to;
    case 'plan':
      return undefined;
  }
}
