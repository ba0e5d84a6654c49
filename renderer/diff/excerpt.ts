import type { LineHunk } from '../../shared/line-hunks.ts';

/** A piece of a long comparison: texts with the number of each line, null for the line that stands for those left out. */
export interface Excerpt {
  before: string;
  after: string;
  beforeLines: (number | null)[];
  afterLines: (number | null)[];
}

/** A changed block with the unchanged lines that are shown before and after it. */
export interface Piece extends LineHunk {
  lead: number;
  tail: number;
}

/** Unchanged lines around a change. */
const CONTEXT = 3;

const longerSide = (hunk: LineHunk): number => Math.max(hunk.beforeEnd - hunk.beforeStart, hunk.afterEnd - hunk.afterStart);

/** One hunk as pieces of at most `most` lines. What was cut has no context on that side. */
function cut(hunk: LineHunk, lead: number, tail: number, most: number): Piece[] {
  const longest = longerSide(hunk);
  if (longest <= most) return [{ ...hunk, lead, tail }];
  const parts: Piece[] = [];
  for (let at = 0; at < longest; at += most) {
    parts.push({
      beforeStart: Math.min(hunk.beforeStart + at, hunk.beforeEnd),
      beforeEnd: Math.min(hunk.beforeStart + at + most, hunk.beforeEnd),
      afterStart: Math.min(hunk.afterStart + at, hunk.afterEnd),
      afterEnd: Math.min(hunk.afterStart + at + most, hunk.afterEnd),
      lead: at === 0 ? lead : 0,
      tail: at + most >= longest ? tail : 0,
    });
  }
  return parts;
}

/** All changes as pages of about `most` lines, so that even a file of which nothing stayed is shown a page at a time. */
export function pagesOf(hunks: readonly LineHunk[], lines: number, most: number): Piece[][] {
  let end = 0;
  const pieces = hunks.flatMap((hunk, at) => {
    const next = hunks[at + 1]?.beforeStart ?? lines;
    const lead = Math.min(CONTEXT, hunk.beforeStart - end);
    const tail = Math.min(CONTEXT, next - hunk.beforeEnd);
    end = hunk.beforeEnd + tail;
    return cut(hunk, lead, tail, most);
  });
  const pages: Piece[][] = [];
  let filled = 0;
  for (const piece of pieces) {
    const own = longerSide(piece) + piece.lead + piece.tail;
    const page = pages.at(-1);
    if (page !== undefined && filled + own <= most) {
      page.push(piece);
      filled += own;
    } else {
      pages.push([piece]);
      filled = own;
    }
  }
  return pages;
}

const gapText = (count: number): string => `⋯ ${count} ${count === 1 ? 'line' : 'lines'} not shown`;

/** The texts of one page. Lines are numbered from 1. */
export function excerptOf(before: readonly string[], after: readonly string[], page: readonly Piece[]): Excerpt {
  const old: string[] = [];
  const now: string[] = [];
  const beforeLines: (number | null)[] = [];
  const afterLines: (number | null)[] = [];
  const add = (lines: readonly string[], from: number, to: number, texts: string[], numbers: (number | null)[]): void => {
    for (let at = from; at < to; at++) {
      texts.push(lines[at] ?? '');
      numbers.push(at + 1);
    }
  };
  const addGap = (count: number): void => {
    if (count <= 0) return;
    old.push(gapText(count));
    now.push(gapText(count));
    beforeLines.push(null);
    afterLines.push(null);
  };
  let end = 0;
  for (const piece of page) {
    // In the middle of a change there is nothing unchanged to speak of: the pages say where one is.
    if (piece.lead > 0) addGap(piece.beforeStart - piece.lead - end);
    add(before, piece.beforeStart - piece.lead, piece.beforeEnd + piece.tail, old, beforeLines);
    add(after, piece.afterStart - piece.lead, piece.afterEnd + piece.tail, now, afterLines);
    end = piece.beforeEnd + piece.tail;
  }
  if ((page.at(-1)?.tail ?? 0) > 0) addGap(before.length - end);
  return { before: old.join('\n'), after: now.join('\n'), beforeLines, afterLines };
}
