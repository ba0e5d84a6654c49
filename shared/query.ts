export type QueryField = 'any' | 'text' | 'tool' | 'path' | 'changed' | 'turn';

export interface QueryTerm {
  field: QueryField;
  /** In lower case. */
  words: string;
}

const FIELDS: ReadonlySet<string> = new Set(['text', 'tool', 'path', 'changed', 'turn']);

/** `tool:bash path:"my file" fix` -> terms that must all hold. Words without a field look everywhere. */
export function parseQuery(query: string): QueryTerm[] {
  const terms: QueryTerm[] = [];
  for (const match of query.matchAll(/(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g)) {
    const words = String(match[2] ?? match[3]).toLowerCase();
    const named = (match[1] ?? '').toLowerCase();
    if (words === '') continue;
    if (FIELDS.has(named)) terms.push({ field: named as QueryField, words });
    else terms.push({ field: 'any', words: named === '' ? words : `${named}:${words}` });
  }
  return terms;
}

/** The words of a query that are looked for in texts, each once; the places in this list are those of a hit's `words`. */
export function wordsOf(terms: readonly QueryTerm[]): string[] {
  return [...new Set(terms.flatMap(({ field, words }) => (field === 'any' || field === 'text' ? [words] : [])))];
}
