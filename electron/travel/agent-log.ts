import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { treeWith } from '../snapshots/capture.ts';
import type { TreeEntry } from '../snapshots/objects.ts';
import { openQuarantine } from '../snapshots/store.ts';
import type { LogRecord, LogWriter } from '../threads/source.ts';
import type { OpenThread } from '../threads/thread.ts';
import type { Bench } from './bench.ts';
import { entryOfContent } from './content.ts';
import type { LogState, MessagesPart, TravelRecord } from './record.ts';

/** The writer of a thread's log; a travel that has a batch had one when it was planned. */
export function writerOf(thread: OpenThread): LogWriter {
  const { writer } = thread.reader;
  if (writer === null) throw new TurnbackError('NOT_SUPPORTED', { what: 'Hiding messages' });
  return writer;
}

/**
 * The snapshot of the files as they were when the revert started, in the agent's own store, so that its own unrevert works too
 * (formats/tanstack.md 12.2, `now`). Only the revert's files count in it; the rest is the tree it is built on. Null when the
 * revert has no files or the agent has no store to write to.
 */
export async function agentSnapshot(thread: OpenThread, bench: Bench, record: TravelRecord): Promise<string | null> {
  const { store, objects, git, ownData } = thread;
  const { objects: objectFolder } = writerOf(thread);
  if (record.now === null || store === null || objects === null || objectFolder === null) return null;
  const { base, files } = record.now;
  const changes = new Map<TreePath, TreeEntry | null>();
  for (const file of files) {
    const entry = entryOfContent(file.content);
    const known = base === null ? null : await objects.entry(base, file.path);
    if (known?.oid !== entry?.oid || known?.mode !== entry?.mode) changes.set(file.path, entry);
  }
  if (changes.size === 0 && base !== null) return base;
  const objectFolders = [...store.objectFolders, path.join(bench.safety.gitDir, 'objects')];
  const both = await openQuarantine({ git, ownData, objectFolders, format: store.format });
  return treeWith(both, { base, changes, objectFolder });
}

/** The batch that the harness itself would append for this travel, and the state of the log that it makes. */
export function batchFor(writer: LogWriter, record: TravelRecord, now: string | null): { batch: LogRecord[]; expect: LogState } {
  const { kind, at, target } = record;
  if (kind === 'revert') {
    const files = now === null || record.now === null ? null : record.now.files.map((file) => file.path);
    const batch = writer.revert({ stop: target.stop ?? 0, now, files, at });
    return { batch, expect: { standing: { messageId: target.messageId ?? '', now } } };
  }
  if (kind === 'unrevert') return { batch: writer.unrevert(at), expect: { standing: null } };
  if (kind === 'undo') {
    const point = writer.undoPoint();
    if (point === null) throw new TurnbackError('NOTHING_TO_UNDO');
    return { batch: writer.undo(point, at), expect: { last: 'undone' } };
  }
  const point = writer.redoPoint();
  if (point === null) throw new TurnbackError('NOTHING_TO_REDO');
  return { batch: writer.redo(point, at), expect: { last: 'done' } };
}

type Appended = Extract<MessagesPart, { how: 'append' }>;

/** The batch that takes a travel's batch back after it was appended, so that the log says again what it said before: that `stood` stands. */
export function inverseBatch(
  writer: LogWriter,
  record: TravelRecord,
  stood: Appended['stood'],
  at: number,
): { batch: LogRecord[]; expect: LogState } {
  if (record.kind === 'undo') return batchFor(writer, { ...record, kind: 'redo', at }, null);
  if (record.kind === 'redo') return batchFor(writer, { ...record, kind: 'undo', at }, null);
  if (stood === null) return { batch: writer.unrevert(at), expect: { standing: null } };
  const { stop, now, files, messageId } = stood;
  return { batch: writer.revert({ stop, now, files, at }), expect: { standing: { messageId, now } } };
}

/** Does the log say what the batch would make it say? The thread must have been read just now. */
export function logSays(thread: OpenThread, expect: LogState): boolean {
  if ('last' in expect) {
    const { writer } = thread.reader;
    return writer !== null && (expect.last === 'undone' ? writer.redoPoint() !== null : writer.undoPoint() !== null);
  }
  const { standing } = thread.thread();
  if (standing === null || expect.standing === null) return standing === expect.standing;
  return standing.messageId === expect.standing.messageId && standing.now === expect.standing.now;
}

/**
 * Appends a batch once. `position` is where the log ended when the batch was made: when the log says already what the batch
 * makes it say, an earlier try got through. Throws LOG_MOVED when somebody else appended.
 */
export async function appendOnce(
  thread: OpenThread,
  o: { position: string; batch: readonly LogRecord[]; expect: LogState },
): Promise<void> {
  await thread.refresh();
  const writer = writerOf(thread);
  if (writer.position() !== o.position) {
    if (logSays(thread, o.expect)) return;
    throw new TurnbackError('LOG_MOVED');
  }
  try {
    await writer.append(o.batch);
  } catch (thrown) {
    if (thrown instanceof TurnbackError && thrown.code === 'LOG_MOVED') throw thrown;
    // The line may be in the log although the call failed.
    await thread.refresh();
    if (writer.position() === o.position || !logSays(thread, o.expect)) throw thrown;
  }
}

/** Takes back what a crash in the middle of an append left of a batch, so that the log ends with a whole record again. */
export async function withdrawTorn(thread: OpenThread, o: { position: string; batch: readonly LogRecord[] }): Promise<void> {
  await writerOf(thread).withdraw(o.position, o.batch);
  await thread.refresh();
}
