import type { BadRecord } from '../../../shared/model.ts';
import type { BytePattern } from '../byte-pattern.ts';
import type { Loose } from '../loose.ts';
import type { OnBytes } from '../source.ts';
import type { PartFacts } from './part-facts.ts';

/** A session as a store has it, whichever layout it is in. */
export interface SessionRow {
  id: string;
  projectId: string;
  parentId: string | null;
  title: string | null;
  /** The folder that the agent ran in: the worktree or one below it. */
  directory: string | null;
  /** The folder that the trees cover: the session's worktree. Its own folder where there is no git. */
  worktree: string | null;
  /** Its project is a git repository, so there can be snapshots. */
  git: boolean;
  /** `opencode run` made it, so prompts may be wrapped in quotes. */
  byRun: boolean;
  /** The marker of a standing revert (formats/opencode 1.6). */
  revert: Loose | null;
  updatedAt: number | null;
}

/** A message with the facts of its parts in order. */
export interface MessageRow {
  id: string;
  role: 'user' | 'assistant' | 'system';
  at: number | null;
  completedAt: number | null;
  /** Id of the turn's user message, for an answer; null where the store does not say. */
  parentId: string | null;
  finish: string | null;
  error: { name: string; message: string } | null;
  /** The worktree and the folder that this message says it ran in. */
  root: string | null;
  cwd: string | null;
  parts: PartFacts[];
  /** Place in the event log where it first appears; unknown ones count as newest. */
  born: number;
  /** Place in the event log where it was removed for good; null while it is there. */
  gone: number | null;
}

/** One part as the store has it, for the message's whole content. */
export interface RawPart {
  id: string;
  json: string;
}

/** All that a fold needs of a session. Messages are in order, dropped ones at the place where they stood. */
export interface SessionData {
  session: SessionRow;
  messages: MessageRow[];
  /** Sessions that this one started. */
  children: ReadonlySet<string>;
  /** The last time that anything of the session was written. */
  updatedAt: number | null;
  bad: BadRecord[];
}

/** The later of some times that may be missing. */
export function latest(...times: readonly (number | null | undefined)[]): number | null {
  const known = times.filter((time): time is number => typeof time === 'number');
  return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b));
}

/** Where the rows of one session come from: a database or the JSON tree. */
export interface SessionStore {
  /** The session's rows, or null when nothing changed since the last time. */
  read(signal?: AbortSignal): Promise<SessionData | null>;
  /** The parts of a message, in order, as they are stored. */
  parts(messageId: string): Promise<RawPart[]>;
  /** Ids of the messages whose parts may hold what the pattern finds, in their order; absent where there is no quick way. */
  matching?(pattern: BytePattern, signal?: AbortSignal, onBytes?: OnBytes): AsyncIterable<string>;
  /** Every session of the store, this one too; absent where they are not kept together. */
  sessions?(): Promise<SessionRow[]>;
  /** Milliseconds to rest between two reads; absent: none. */
  restMs?(): number;
  /** Files and folders that change when the session grows. */
  watch(): string[];
  close(): Promise<void>;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Order of a session's messages: `(time_created, id)` (formats/opencode 1.2); one without a time is the newest. */
export function byTimeAndId(a: { at: number | null; id: string }, b: { at: number | null; id: string }): number {
  const [x, y] = [a.at ?? Number.MAX_VALUE, b.at ?? Number.MAX_VALUE];
  return x === y ? byText(a.id, b.id) : x < y ? -1 : 1;
}

/**
 * Messages in order, each answer after its prompt: clocks step back, and ids of one millisecond need not sort as they came.
 */
export function inOrder(messages: readonly MessageRow[]): MessageRow[] {
  const sorted = [...messages].sort(byTimeAndId);
  const prompts = new Set(sorted.filter((message) => message.role === 'user').map((message) => message.id));
  const waiting = new Map<string, MessageRow[]>();
  const placed = new Set<string>();
  const ordered: MessageRow[] = [];
  for (const message of sorted) {
    const prompt = message.parentId;
    if (prompt !== null && prompt !== message.id && prompts.has(prompt) && !placed.has(prompt)) {
      const held = waiting.get(prompt);
      if (held) held.push(message);
      else waiting.set(prompt, [message]);
      continue;
    }
    ordered.push(message);
    placed.add(message.id);
    const held = waiting.get(message.id);
    if (!held) continue;
    waiting.delete(message.id);
    ordered.push(...held);
  }
  return ordered;
}
