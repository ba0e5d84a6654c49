import type { Entry } from './message-entry.ts';

/**
 * The id that each row is known by: the log's own, or `#<ordinal>` where it has none. When two rows have the same id it
 * belongs to the first that is part of the conversation, which is the one that the harness finds too.
 */
export function rowIds(rows: readonly Entry[], live: readonly Entry[]): Map<Entry, string> {
  const owners = new Map<string, Entry>();
  for (const entry of [...live, ...rows]) {
    const { id } = entry.content;
    if (id !== null && !owners.has(id)) owners.set(id, entry);
  }
  const ids = new Map<Entry, string>();
  for (const entry of rows) {
    const { id } = entry.content;
    let shown = id !== null && owners.get(id) === entry ? id : `#${entry.ordinal}`;
    while (owners.has(shown) && owners.get(shown) !== entry) shown = `#${shown}`;
    ids.set(entry, shown);
    owners.set(shown, entry);
  }
  return ids;
}
