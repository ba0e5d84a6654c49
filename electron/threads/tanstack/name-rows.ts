import type { Entry } from './message-entry.ts';

/**
 * Gives each row the id that it is known by, the log's own or `#<ordinal>` where it has none, and the stop after it; the
 * result finds a row by its id. When two rows have the same id it belongs to the first that is part of the conversation,
 * which is the one that the harness finds too.
 */
export function nameRows(rows: readonly Entry[], live: readonly Entry[]): Map<string, Entry> {
  const byId = new Map<string, Entry>();
  const claim = (entry: Entry): void => {
    const { id } = entry.content;
    if (id !== null && !byId.has(id)) byId.set(id, entry);
  };
  if (rows.length !== live.length) for (const entry of rows) entry.stop = null;
  for (const [index, entry] of live.entries()) {
    entry.stop = index + 1;
    claim(entry);
  }
  if (rows.length !== live.length) for (const entry of rows) claim(entry);
  for (const entry of rows) {
    const { id } = entry.content;
    if (id !== null && byId.get(id) === entry) {
      entry.shown = id;
      continue;
    }
    entry.shown = `#${entry.ordinal}`;
    while (byId.has(entry.shown)) entry.shown = `#${entry.shown}`;
    byId.set(entry.shown, entry);
  }
  return byId;
}
