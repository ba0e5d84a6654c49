import type { Settings } from '../../shared/contract.ts';
import type { Monaco } from './load-monaco.ts';

/** How diffs are drawn; remembered in the settings. */
export type DiffLook = Pick<Settings, 'diffLayout' | 'wrap' | 'ignoreWhitespace' | 'ignoreLineEnds'>;

/** What decides how much work a text costs. */
export interface TextFacts {
  lines: number;
  longestLine: number;
  removed: number;
}

type DiffOptions = Parameters<ReturnType<Monaco['editor']['createDiffEditor']>['updateOptions']>[0];

/** From here on the fast algorithm is used: the precise one is quadratic in the worst case. */
const MANY_LINES = 5_000;
/** A longer line is not wrapped and not coloured: breaking it would hold the window up. */
export const LONG_LINE = 5_000;
/** One column draws removed lines at once, outside of the virtual list; above this number two columns are used instead. */
const MANY_REMOVED = 500;
/** Milliseconds after which a comparison ends with what it has. */
const MOST_TIME = 1_000;

/** Counts lines and the longest of them without making an array of lines. */
export function factsOf(texts: readonly (string | null)[], removed: number | null): TextFacts {
  let lines = 0;
  let longestLine = 0;
  for (const text of texts) {
    if (text === null) continue;
    let count = 1;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      longestLine = Math.max(longestLine, end - start);
      start = end + 1;
      count += 1;
    }
    longestLine = Math.max(longestLine, text.length - start);
    lines = Math.max(lines, count);
  }
  return { lines, longestLine, removed: removed ?? lines };
}

/** Whether two columns are drawn, whatever was chosen. */
export function drawsSplit(look: DiffLook, facts: TextFacts): boolean {
  return look.diffLayout === 'split' || facts.removed > MANY_REMOVED;
}

/** Options of one diff; those that never change are in `editor-slot.ts`. */
export function diffOptions(look: DiffLook, facts: TextFacts): DiffOptions {
  const wrap = look.wrap && facts.longestLine <= LONG_LINE;
  return {
    renderSideBySide: drawsSplit(look, facts),
    ignoreTrimWhitespace: look.ignoreWhitespace,
    diffAlgorithm: facts.lines > MANY_LINES || facts.longestLine > LONG_LINE ? 'legacy' : 'advanced',
    maxComputationTime: MOST_TIME,
    wordWrap: wrap ? 'on' : 'off',
    diffWordWrap: wrap ? 'on' : 'off',
  };
}
