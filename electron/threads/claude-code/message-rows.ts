import type { ClaudeLog, Entry, ResultFacts } from './claude-log.ts';
import { conversationOf } from './conversation.ts';

/** One message on its way into the model: a prompt, an answer with all its records, or a word of the tool itself. */
export interface MessageRow {
  id: string;
  role: 'user' | 'assistant' | 'system';
  /** The records that make it, in their order. */
  entries: Entry[];
  /** The uuid of its prompt. */
  prompt: string | null;
  /** A rewind left it. */
  dropped: boolean;
  /** A compaction lies before it. */
  divider: boolean;
}

export interface Rows {
  rows: MessageRow[];
  /** What tools answered, by the id of the call. */
  results: Map<string, { facts: ResultFacts; entry: Entry }>;
  /** Prompts whose turn a person cut off. */
  interrupted: Set<string>;
}

const ROLES = { prompt: 'user', summary: 'system', aside: 'system', result: null } as const;

/** The messages of a log in the order of its records (formats/opencode-and-claude-code.md 2.2, turn and step). */
export function messageRows(log: Pick<ClaudeLog, 'entries' | 'places'>): Rows {
  const { promptOf, dropped } = conversationOf(log);
  const rows: MessageRow[] = [];
  const answers = new Map<string, MessageRow>();
  const results: Rows['results'] = new Map();
  const interrupted = new Set<string>();
  let divider = false;
  for (const [at, entry] of log.entries.entries()) {
    const { tree } = entry;
    const prompt = promptOf(at);
    // A result hangs on its call, wherever parallel calls put it; the last one counts.
    for (const facts of entry.results) results.set(facts.callId, { facts, entry });
    if (tree.interrupted && prompt !== null) interrupted.add(prompt);
    if (tree.subtype === 'compact_boundary') divider = true;
    if (entry.aside) continue;
    const known = tree.answer === null ? undefined : answers.get(tree.answer);
    const role = tree.answer === null ? tree.user && ROLES[tree.user] : 'assistant';
    if (known) known.entries.push(entry);
    // A note to the model about the lines that follow: no words of anyone.
    else if (role && !entry.excerpt.startsWith('<local-command-caveat>')) {
      const row: MessageRow = { id: tree.answer ?? tree.uuid, role, entries: [entry], prompt, dropped: dropped(at), divider };
      divider = false;
      rows.push(row);
      if (tree.answer !== null) answers.set(tree.answer, row);
    }
  }
  // An array that was pushed to has room for many more.
  for (const row of rows) if (row.entries.length > 1) row.entries = [...row.entries];
  return { rows, results, interrupted };
}
