import { sessionStore } from '../store/session-store.ts';

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Opens or closes a part of a row: a whole text, thinking, a tool call. */
export function toggleExpanded(id: string): void {
  sessionStore.setState(({ expanded }) => ({ expanded: toggled(expanded, id) }));
}

export function toggleGroup(id: string): void {
  sessionStore.setState(({ openGroups }) => ({ openGroups: toggled(openGroups, id) }));
}
