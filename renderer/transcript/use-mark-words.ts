import { type RefObject, useEffect } from 'react';
import { parseQuery, wordsOf } from '../../shared/query.ts';
import { foldCase } from '../../shared/search.ts';
import { searchStore } from '../store/search-store.ts';

const NAME = 'search-words';
/** The texts of a row in which words are marked. */
const TEXTS = '.row-text, .tool-text, .tool-summary, .thinking-text';
/** A text of this length is not on the screen as a whole, and its marks would hold the window up. */
const MOST_LENGTH = 250_000;
const MOST_MARKS = 2000;

function rangesIn(node: Text, words: readonly string[], ranges: Range[]): void {
  const text = foldCase(node.data.slice(0, MOST_LENGTH));
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0 && ranges.length < MOST_MARKS; at = text.indexOf(word, at + word.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      ranges.push(range);
    }
  }
}

/** Marks the words of the search in the rows that are mounted. The marks are the browser's: no row is drawn anew for them. */
function markWords(list: HTMLElement): void {
  const words = wordsOf(parseQuery(searchStore.getState().query)).map(foldCase);
  CSS.highlights.delete(NAME);
  if (words.length === 0) return;
  const ranges: Range[] = [];
  for (const element of list.querySelectorAll(TEXTS)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) rangesIn(node as Text, words, ranges);
  }
  if (ranges.length > 0) CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** Keeps the words of the search marked while rows come, change and go. */
export function useMarkWords(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = (): void => {
      frame = 0;
      if (list.current !== null) markWords(list.current);
    };
    const ask = (): void => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    // Rows are watched only while something is searched: a plain scroll costs nothing.
    const watcher = new MutationObserver(ask);
    let watched = false;
    const watch = (query: string): void => {
      ask();
      if ((query !== '') === watched || list.current === null) return;
      watched = query !== '';
      if (watched) watcher.observe(list.current, { childList: true, characterData: true, subtree: true });
      else watcher.disconnect();
    };
    watch(searchStore.getState().query);
    const off = searchStore.subscribe(({ query }, before) => {
      if (query !== before.query) watch(query);
    });
    return () => {
      off();
      watcher.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [list]);
}
