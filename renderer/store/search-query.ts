import type { ThreadView } from '../../shared/contract.ts';
import type { Message } from '../../shared/model.ts';
import { parseQuery, type QueryTerm, wordsOf } from '../../shared/query.ts';
import { foldCase, type Hit } from '../../shared/search.ts';
import { pathsOfStep, type ThreadIndex } from './thread-index.ts';

const inTools = (message: Message, words: string): boolean =>
  message.tools.some((tool) => tool.name.toLowerCase().includes(words) || tool.summary.toLowerCase().includes(words));

function inPaths(message: Message, index: ThreadIndex, words: string): boolean {
  const steps = message.stop === null ? [] : (index.stepsAt.get(message.stop) ?? []);
  return steps.some((step) => pathsOfStep(step).some((path) => path.toLowerCase().includes(words)));
}

const wrotePath = (message: Message, words: string): boolean =>
  message.tools.some((tool) => tool.wrote?.some((path) => path.toLowerCase().includes(words)) ?? false);

const inExcerpt = (message: Message, words: string): boolean => foldCase(message.excerpt).includes(foldCase(words));

function holds(term: QueryTerm, message: Message, index: ThreadIndex): boolean {
  const { field, words } = term;
  switch (field) {
    case 'text':
      return inExcerpt(message, words);
    case 'tool':
      return inTools(message, words);
    case 'path':
      return inPaths(message, index, words) || wrotePath(message, words) || inTools(message, words);
    case 'changed':
      return inPaths(message, index, words);
    case 'turn':
      return message.turn === Number(words);
    case 'any':
      return inExcerpt(message, words) || inTools(message, words) || inPaths(message, index, words);
  }
}

/**
 * The rows of the messages that match a query. What the window knows tells at once: beginnings of texts, tools with their
 * commands, changed paths. `hits`, by message, tell what was found in whole texts.
 */
export function findRows(view: ThreadView, index: ThreadIndex, query: string, hits: ReadonlyMap<string, Hit> = new Map()): number[] {
  const terms = parseQuery(query);
  if (terms.length === 0) return [];
  const words = wordsOf(terms);
  const places = terms.map(({ field, words: word }) => (field === 'any' || field === 'text' ? words.indexOf(word) : -1));
  const rows: number[] = [];
  view.messages.forEach((message, row) => {
    const hit = hits.get(message.id);
    const inHit = (nth: number): boolean => hit?.words.includes(places[nth] ?? -1) ?? false;
    if (terms.every((term, nth) => inHit(nth) || holds(term, message, index))) rows.push(row);
  });
  return rows;
}
