import type { ThreadView } from '../../shared/contract.ts';
import type { Message } from '../../shared/model.ts';
import { pathsOfStep, type ThreadIndex } from './thread-index.ts';

type Field = 'any' | 'text' | 'tool' | 'path' | 'changed' | 'turn';

interface Term {
  field: Field;
  words: string;
}

const FIELDS: ReadonlySet<string> = new Set(['text', 'tool', 'path', 'changed', 'turn']);

/** `tool:bash path:"my file" fix` -> terms that must all hold. Words without a field look everywhere. */
export function parseQuery(query: string): Term[] {
  const terms: Term[] = [];
  for (const match of query.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g)) {
    const words = (match[2] ?? match[3] ?? '').toLowerCase();
    const named = (match[1] ?? '').toLowerCase();
    if (words === '') continue;
    if (FIELDS.has(named)) terms.push({ field: named as Field, words });
    else terms.push({ field: 'any', words: named === '' ? words : `${named}:${words}` });
  }
  return terms;
}

const inTools = (message: Message, words: string): boolean =>
  message.tools.some((tool) => tool.name.toLowerCase().includes(words) || tool.summary.toLowerCase().includes(words));

function inPaths(message: Message, index: ThreadIndex, words: string): boolean {
  const steps = message.stop === null ? [] : (index.stepsAt.get(message.stop) ?? []);
  return steps.some((step) => pathsOfStep(step).some((path) => path.toLowerCase().includes(words)));
}

const wrotePath = (message: Message, words: string): boolean =>
  message.tools.some((tool) => tool.wrote?.some((path) => path.toLowerCase().includes(words)) ?? false);

function holds(term: Term, message: Message, index: ThreadIndex): boolean {
  const { field, words } = term;
  switch (field) {
    case 'text':
      return message.excerpt.toLowerCase().includes(words);
    case 'tool':
      return inTools(message, words);
    case 'path':
      return inPaths(message, index, words) || wrotePath(message, words) || inTools(message, words);
    case 'changed':
      return inPaths(message, index, words);
    case 'turn':
      return message.turn === Number(words);
    case 'any':
      return message.excerpt.toLowerCase().includes(words) || inTools(message, words) || inPaths(message, index, words);
  }
}

/** The rows of the messages that match a query: beginnings of texts, tools with their commands, and changed paths. */
export function findRows(view: ThreadView, index: ThreadIndex, query: string): number[] {
  const terms = parseQuery(query);
  if (terms.length === 0) return [];
  const rows: number[] = [];
  view.messages.forEach((message, row) => {
    if (terms.every((term) => holds(term, message, index))) rows.push(row);
  });
  return rows;
}
