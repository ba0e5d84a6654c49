import type { Entry } from './claude-log.ts';

/** Which prompt each record belongs to, and which prompts the conversation still has. */
export interface Conversation {
  /** The prompt of an entry, by its uuid; null before the first. */
  promptOf(entry: Entry): string | null;
  /** True for what stands on a branch that a rewind left. */
  dropped(entry: Entry): boolean;
}

type Parent = (entry: Entry) => Entry | undefined;

/** What a sub-agent was asked is no prompt of this conversation, even where a record hangs on it. */
const isPrompt = (entry: Entry): boolean => entry.tree.user === 'prompt' && !entry.aside;

/** The nearest prompt at or above an entry, by its uuid; null where there is none, or only a ring of parents. */
function nearestPrompt(parentOf: Parent): Conversation['promptOf'] {
  const prompts = new Map<string, string | null>();
  return (entry) => {
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
}

/**
 * Follows the parents of the records (formats/opencode-and-claude-code.md 2.2, tree traps): parallel calls fork the tree too, so
 * only prompts count as branches. The branch of the newest record is the conversation, and a prompt beside it was left by a rewind.
 * A compaction takes nothing away: also where it continues from an older record, the turns that it summarised are still what the
 * agent did, so the branch goes on from what was there when it came.
 */
export function conversationOf(entries: readonly Entry[]): Conversation {
  const byId = new Map(entries.map((entry) => [entry.tree.uuid, entry]));
  const before = new Map<string, Entry | undefined>();
  const ownBefore = new Map<string, Entry | undefined>();
  let own: Entry | undefined;
  for (const [at, entry] of entries.entries()) {
    before.set(entry.tree.uuid, entries[at - 1]);
    ownBefore.set(entry.tree.uuid, own);
    if (!entry.aside) own = entry;
  }
  // A parent that is not in the log (a torn line, another file) is no new branch: what stands before goes on.
  const parentOf: Parent = ({ tree }) => (tree.parent === null ? undefined : (byId.get(tree.parent) ?? before.get(tree.uuid)));
  const promptOf = nearestPrompt(parentOf);
  const branchOf: Parent = (entry) => (entry.tree.subtype === 'compact_boundary' ? ownBefore.get(entry.tree.uuid) : parentOf(entry));
  const branchPrompt = nearestPrompt(branchOf);

  const active = new Set<string>();
  const leaf = entries.findLast((entry) => !entry.aside && entry.tree.type !== 'attachment' && promptOf(entry) !== null);
  let prompt = leaf ? branchPrompt(leaf) : null;
  while (prompt !== null && !active.has(prompt)) {
    active.add(prompt);
    const entry = byId.get(prompt);
    const above = entry && branchOf(entry);
    prompt = above ? branchPrompt(above) : null;
  }
  const left = (id: string | null): boolean => id !== null && !active.has(id);
  return { promptOf, dropped: (entry) => left(branchPrompt(entry)) };
}
