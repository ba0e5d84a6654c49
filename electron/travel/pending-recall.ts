import path from 'node:path';
import { z } from 'zod';
import { reason } from '../../shared/errors.ts';
import type { Thread } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { RecallOffer, RecallSpan } from '../threads/source.ts';
import type { OpenThread } from '../threads/thread.ts';
import type { FileSystem } from './file-system.ts';
import { keyOf, readOwn, removeOwn, writeOwn } from './own-files.ts';
import { readKept } from './read-kept.ts';

const seq = z.number().int().nonnegative();

/**
 * A recall that is planned and not yet effective, because the agent's log has no open step (formats/dsh.md, recall step 11). The
 * agent knows nothing of it: it is kept with us until the log can take it, or does not fit any more.
 */
export const pendingRecallSchema = z.object({
  version: z.literal(1),
  thread: z.string(),
  sessionId: z.string(),
  targetSeq: seq,
  targetMessageId: z.string(),
  startSeq: seq,
  endSeq: seq,
  plannedNodes: z.array(seq),
  logLengthAtPlan: seq,
  /** The travel that planned it. */
  entry: z.string(),
  at: z.number(),
});
export type PendingRecall = z.infer<typeof pendingRecallSchema>;

/** A planned recall against the log as it was read last. */
export interface Pending {
  entry: string;
  span: RecallSpan;
  state: 'waits' | 'ready' | 'stale';
  /** What it covers; null when it does not fit any more. */
  offer: RecallOffer | null;
}

const fileOf = (ownData: string, thread: string): string => path.join(ownData, 'overlay', `${keyOf(thread)}.recall.json`);

/** The file of a planned recall as it is, for putting it back; null when there is none. */
export function readPendingText(fs: FileSystem, ownData: string, thread: string): Promise<string | null> {
  return readOwn(fs, fileOf(ownData, thread));
}

/** Puts the plan in place whole; null removes it. */
export async function writePendingText(fs: FileSystem, ownData: string, thread: string, text: string | null): Promise<void> {
  if (text === null) await removeOwn(fs, fileOf(ownData, thread));
  else await writeOwn(fs, fileOf(ownData, thread), text);
}

/** The planned recall of a span, as it is kept. */
export function pendingOf(thread: Thread, span: RecallSpan, entry: string, at: number): PendingRecall {
  const { targetSeq, targetMessageId, startSeq, endSeq, nodes, logLength } = span;
  return {
    version: 1,
    thread: thread.head.id,
    sessionId: thread.head.threadId,
    targetSeq,
    targetMessageId,
    startSeq,
    endSeq,
    plannedNodes: nodes,
    logLengthAtPlan: logLength,
    entry,
    at,
  };
}

/** The planned recall of a thread; null when there is none or it was done meanwhile. Only reads. Throws HISTORY_UNREADABLE. */
export async function pendingIn(fs: FileSystem, ownData: string, { reader, head }: OpenThread): Promise<Pending | null> {
  const { recall } = reader;
  const kept = recall === undefined ? null : await readKept(fs, fileOf(ownData, head.id), pendingRecallSchema);
  if (recall === undefined || kept === null) return null;
  const { targetSeq, targetMessageId, startSeq, endSeq, plannedNodes, logLengthAtPlan, entry } = kept;
  const span: RecallSpan = { targetSeq, targetMessageId, startSeq, endSeq, nodes: plannedNodes, logLength: logLengthAtPlan };
  const state = kept.sessionId === head.threadId ? recall.stateOf(span) : 'stale';
  if (state === 'done') return null;
  return { entry, span, state, offer: state === 'stale' ? null : recall.again(span) };
}

/** The thread with a planned recall: its messages are hidden by us alone, and it stands like a revert. A stale one is only told. */
export function withPending(thread: Thread, { offer, state }: Pending, files: readonly TreePath[] | null): Thread {
  if (offer === null || state === 'stale') return { ...thread, notices: [...thread.notices, reason('STALE_PENDING')] };
  const rows = new Set(offer.rows);
  const hidden = { reason: 'reverted' } as const;
  const messages = thread.messages.map((message, at) => (rows.has(at) ? { ...message, hidden } : message));
  const stops = new Set(offer.rows.flatMap((at) => thread.messages[at]?.stop ?? []));
  const steps = thread.steps.map((step) =>
    step.stop !== null && stops.has(step.stop) && step.hidden === null ? { ...step, hidden } : step,
  );
  const turns = thread.turns.map((turn) => {
    const own = messages.filter((message) => message.turn === turn.index && message.stop !== null);
    return turn.hidden === null && own.length > 0 && own.every((message) => message.hidden !== null) ? { ...turn, hidden } : turn;
  });
  const messageId = thread.messages.find((message) => message.stop === offer.stop)?.id ?? '';
  const standing = { messageId, stop: offer.stop, hidden: rows.size, files: files && [...files], now: null, pending: state };
  return { ...thread, messages, steps, turns, standing };
}
