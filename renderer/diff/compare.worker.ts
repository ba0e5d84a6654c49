import { changedLines, lineHunks } from '../../shared/line-hunks.ts';
import type { CompareAnswer, CompareQuestion } from './compare-messages.ts';
import { excerptOf, type Piece, pagesOf } from './excerpt.ts';

/** Lines of one page: what an editor takes in without holding a frame up. */
const PAGE_LINES = 4_000;

const linesOf = (text: string): string[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
};

let before: string[] = [];
let after: string[] = [];
let pages: Piece[][] = [];

const answer = (message: CompareAnswer): void => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<CompareQuestion>) => {
  if (data.kind === 'compare') {
    before = data.before === null ? [] : linesOf(data.before);
    after = data.after === null ? [] : linesOf(data.after);
    const hunks = lineHunks(before, after);
    pages = pagesOf(hunks, before.length, PAGE_LINES);
    answer({ kind: 'compared', changed: changedLines(hunks), hunks: hunks.length, pages: pages.length });
    return;
  }
  answer({ kind: 'page', page: data.page, excerpt: excerptOf(before, after, pages[data.page] ?? []) });
};
