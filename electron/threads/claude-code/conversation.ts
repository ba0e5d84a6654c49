import type { Entry } from './claude-log.ts';

/** Which prompt each record belongs to, and which prompts the conversation still has. */
export interface Conversation {
  /** The prompt of an entry, by its uuid; null before the first. */
  promptOf(entry: Entry): string | null;
  /** True for a prompt that a rewind left. */
  dropped(prompt: string | null): boolean;
}

/**
 * Follows the parents of the records (formats/opencode-and-claude-code.md 2.2, tree traps): parallel calls fork the tree too, so
 * only prompts count as branches. The branch of the newest record is the conversation, and a prompt beside it was left by a rewind.
 * Not so one that a compaction summarised, which continues from the same record: its turn is still what the agent did.
 */
export function conversationOf(entries: readonly Entry[]): Conversation {
  const byId = new Map(entries.map((entry) => [entry.tree.uuid, entry]));
  const prompts = new Map<string, string | null>();
  const before = new Map(entries.map((entry, at) => [entry.tree.uuid, entries[at - 1]]));
  // A parent that is not in the log (a torn line, another file) is no new branch: what stands before goes on.
  const parentOf = ({ tree }: Entry): Entry | undefined =>
    tree.parent === null ? undefined : (byId.get(tree.parent) ?? before.get(tree.uuid));
  // What a sub-agent was asked is no prompt of this conversation, even where a record hangs on it.
  const isPrompt = (entry: Entry): boolean => entry.tree.user === 'prompt' && !entry.aside;
  const promptOf = (entry: Entry): string | null => {
    const passed: string[] = [];
    const seen = new Set<string>();
    let at: Entry | undefined = entry;
    let found: string | null = null;
    while (at && !seen.has(at.tree.uuid)) {
      const known = prompts.get(at.tree.uuid);
      if (known !== undefined || isPrompt(at)) {
        found = known === undefined ? at.tree.uuid : known;
        break;
      }
      seen.add(at.tree.uuid);
      passed.push(at.tree.uuid);
      at = parentOf(at);
    }
    for (const id of passed) prompts.set(id, found);
    return found;
  };
  const promptAbove = (prompt: Entry): Entry | undefined => {
    const parent = parentOf(prompt);
    const id = parent && promptOf(parent);
    return id ? byId.get(id) : undefined;
  };
  const active = new Set<string>();
  const leaf = entries.findLast((entry) => !entry.aside && entry.tree.type !== 'attachment' && promptOf(entry) !== null);
  const leafPrompt = leaf && promptOf(leaf);
  for (let at = leafPrompt ? byId.get(leafPrompt) : undefined; at && !active.has(at.tree.uuid); at = promptAbove(at))
    active.add(at.tree.uuid);
  const boundaries = new Set(
    entries.flatMap(({ tree }) => (tree.subtype === 'compact_boundary' && tree.parent !== null ? [tree.parent] : [])),
  );
  const gone = new Set<string>();
  const wasLeft = (prompt: Entry): boolean => {
    const seen = new Set<string>();
    let at = prompt;
    for (;;) {
      seen.add(at.tree.uuid);
      const above = promptAbove(at);
      if (!above || active.has(above.tree.uuid) || seen.has(above.tree.uuid)) break;
      at = above;
    }
    return at.tree.parent === null || !boundaries.has(at.tree.parent);
  };
  for (const entry of entries) {
    if (isPrompt(entry) && !active.has(entry.tree.uuid) && wasLeft(entry)) gone.add(entry.tree.uuid);
  }
  return { promptOf, dropped: (prompt) => prompt !== null && gone.has(prompt) };
}
