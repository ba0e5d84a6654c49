import { TurnbackError } from '../../shared/errors.ts';
import type { RecallBatch, Recaller } from '../threads/source.ts';
import type { OpenThread } from '../threads/thread.ts';
import type { FileSystem } from './file-system.ts';
import { takeLease } from './lease.ts';
import { keyOf } from './own-files.ts';
import type { MessagesPart, TravelRecord } from './record.ts';

type RecallPart = Extract<MessagesPart, { how: 'recall' }>;

/** The recaller of a thread; a travel that recalls had one when it was planned. */
export function recallerOf(thread: OpenThread): Recaller {
  const { recall } = thread.reader;
  if (recall === undefined) throw new TurnbackError('NOT_SUPPORTED', { what: 'Taking a message back by recall' });
  return recall;
}

const batchOf = ({ batch }: RecallPart): RecallBatch | null => batch && { length: batch.length, bytes: Buffer.from(batch.bytes, 'base64') };

/** The bytes that the recall will add to the log, for the journal to know before they are written. */
export async function recallBatch(thread: OpenThread, part: RecallPart, record: TravelRecord): Promise<RecallPart> {
  const { length, bytes } = await recallerOf(thread).prepare(part.span, record.entry, record.at);
  return { ...part, batch: { length, bytes: bytes.toString('base64') } };
}

/**
 * Adds the tombstone to the agent's log, or what is missing of it after a crash. Two Turnbacks that name different folders for one
 * session still write one after the other.
 */
export async function appendRecall(fs: FileSystem, ownData: string, thread: OpenThread, part: RecallPart): Promise<void> {
  const batch = batchOf(part);
  if (batch === null) return;
  const lease = await takeLease(fs, ownData, keyOf(`log:${thread.head.log}`), undefined, { doing: 'travel', place: thread.head.log });
  try {
    await recallerOf(thread).append(batch);
  } finally {
    await lease.release();
  }
}

/** How far the recall of a record came in the log as it is now: `other` when somebody else wrote there. */
export async function recallHeld(thread: OpenThread, part: RecallPart, record: TravelRecord): Promise<'none' | 'part' | 'all' | 'other'> {
  await thread.refresh();
  const recall = recallerOf(thread);
  if (recall.has(record.entry)) return 'all';
  const batch = batchOf(part);
  return batch === null ? 'none' : recall.holds(batch);
}

/**
 * Before a travel is rolled back: an unfinished piece of its recall comes off the log. One that is whole stays, because nothing may
 * be taken out of a log, and then rolling back is not possible: RECALL_WRITTEN.
 */
export async function withdrawRecall(thread: OpenThread, part: RecallPart, record: TravelRecord): Promise<void> {
  const held = await recallHeld(thread, part, record);
  if (held === 'all') throw new TurnbackError('RECALL_WRITTEN');
  const batch = batchOf(part);
  if (held === 'part' && batch !== null) await recallerOf(thread).withdraw(batch);
}
