import type { ClaudeLog, Entry } from './claude-log.ts';

/** Which prompt each record belongs to, and which prompts the conversation still has. */
export interface Conversation {
  /** The prompt of the entry at a place, by its uuid; null before the first. */
  promptOf(at: number): string | null;
  /** True for what stands on a branch that a rewind left. */
  dropped(at: number): boolean;
}

/** The place of the entry above the one at a place. */
type Parent = (at: number) => number | undefined;

/** What a sub-agent was asked is no prompt of this conversation, even where a record hangs on it. */
const isPrompt = (entry: Entry): boolean => entry.tree.user === 'prompt' && !entry.aside;

/** The nearest prompt at or above an entry, by its uuid; null where there is none, or only a ring of parents. */
function nearestPrompt(entries: readonly Entry[], parentOf: Parent): Conversation['promptOf'] {
  const prompts = Array.from<string | null | undefined>({ length: entries.length });
  const passedBy = new Uint32Array(entries.length);
  let walk = 0;
  return (start) => {
    walk += 1;
    const passed: number[] = [];
    let found: string | null = null;
    for (let at: number | undefined = start; at !== undefined && passedBy[at] !== walk; at = parentOf(at)) {
      const entry = entries[at];
      const known = prompts[at];
      if (known !== undefined) {
        found = known;
        break;
      }
      if (entry && isPrompt(entry)) {
        found = entry.tree.uuid;
        break;
      }
      passedBy[at] = walk;
      passed.push(at);
    }
    for (const at of passed) prompts[at] = found;
    return found;
  };
}

/**
 * Follows the parents of the records (formats/opencode-and-claude-code.md 2.2, tree traps): parallel calls fork the tree too, so
 * only prompts count as branches. The branch of the newest record is the conversation, and a prompt beside it was left by a rewind.
 * A compaction takes nothing away: also where it continues from an older record, the turns that it summarised are still what the
 * agent did, so the branch goes on from what was there when it came.
 */
export function conversationOf({ entries, places }: Pick<ClaudeLog, 'entries' | 'places'>): Conversation {
  /** The place of the last entry before each one that is no sub-agent's; -1 where there is none. */
  const ownBefore = new Int32Array(entries.length);
  let own = -1;
  for (const [at, entry] of entries.entries()) {
    ownBefore[at] = own;
    if (!entry.aside) own = at;
  }
  // A parent that is not in the log (a torn line, another file) is no new branch: what stands before goes on.
  const parentOf: Parent = (at) => {
    const parent = entries[at]?.tree.parent ?? null;
    return parent === null ? undefined : (places.get(parent) ?? placeOrNone(at - 1));
  };
  const promptOf = nearestPrompt(entries, parentOf);
  const branchOf: Parent = (at) => (entries[at]?.tree.subtype === 'compact_boundary' ? placeOrNone(ownBefore[at] ?? -1) : parentOf(at));
  const branchPrompt = nearestPrompt(entries, branchOf);

  const active = new Set<string>();
  const leaf = entries.findLastIndex((entry, at) => !entry.aside && entry.tree.type !== 'attachment' && promptOf(at) !== null);
  let prompt = leaf < 0 ? null : branchPrompt(leaf);
  while (prompt !== null && !active.has(prompt)) {
    active.add(prompt);
    const at = places.get(prompt);
    const above = at === undefined ? undefined : branchOf(at);
    prompt = above === undefined ? null : branchPrompt(above);
  }
  const left = (id: string | null): boolean => id !== null && !active.has(id);
  return { promptOf, dropped: (at) => left(branchPrompt(at)) };
}

const placeOrNone = (at: number): number | undefined => (at < 0 ? undefined : at);
