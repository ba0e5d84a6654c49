import { isRefusal, TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { capturePaths } from '../snapshots/capture.ts';
import { type DiskState, diskState } from '../snapshots/disk.ts';
import { eachOf } from '../snapshots/each-of.ts';
import { pin, unpin } from '../snapshots/store.ts';
import type { OpenThread } from '../threads/thread.ts';
import { agentSnapshot, appendOnce, batchFor, inverseBatch, logSays, withdrawTorn, writerOf } from './agent-log.ts';
import { applyChanges, removeTemporaries } from './apply-changes.ts';
import type { Bench } from './bench.ts';
import { ABSENT, type Content, contentOfDisk, sameContent } from './content.ts';
import type { FileSystem } from './file-system.ts';
import { addToHistory, dropFromHistory } from './history-file.ts';
import { removeEntry, removeJournal, sweepJournal, writeEntry, writeJournal } from './journal.ts';
import { mustBeThere } from './must-be-there.ts';
import { readOverlayText, writeOverlay } from './overlay.ts';
import { readPendingText, writePendingText } from './pending-recall.ts';
import { appendRecall, recallBatch, withdrawRecall } from './recall-log.ts';
import type { RecordedFile, TravelRecord } from './record.ts';
import type { Change } from './write-file.ts';

/** What carrying out a travel, finishing it and rolling it back work with. */
export interface Carrier {
  fs: FileSystem;
  ownData: string;
  /** Null only for rolling back without the thread. */
  thread: OpenThread | null;
  /** The thread cannot be opened because its log was removed: what it said went with it, and only files can go back. */
  logGone?: boolean | undefined;
  /** Null for a travel that has no files. */
  bench: Bench | null;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number, label: string) => void) | undefined;
}

/** Paths that turned out to be neither as they were nor as they shall be: somebody changed them meanwhile, and they stay. */
export type Changed = TreePath[];

const contentOf = (state: DiskState): Content => contentOfDisk(state) ?? ABSENT;

async function phase(carrier: Carrier, record: TravelRecord, next: Partial<TravelRecord>): Promise<TravelRecord> {
  const changed = { ...record, ...next };
  await writeJournal(carrier.fs, carrier.ownData, changed);
  return changed;
}

function threadOf({ thread }: Carrier, record: TravelRecord): OpenThread {
  if (thread === null) throw new TurnbackError('RECOVERY_NEEDS_THREAD', { id: record.thread });
  return thread;
}

function benchOf({ bench }: Carrier, record: TravelRecord): Bench {
  if (bench === null) throw new TurnbackError('NO_WORKSPACE', { path: record.root ?? '' });
  return bench;
}

/**
 * From intent to saved: keeps every path as it is, checks that it is what the plan says, and makes the batch for the agent's
 * log. Nothing of the user's or the agent's files is changed.
 */
export async function save(carrier: Carrier, record: TravelRecord): Promise<{ record: TravelRecord; seen: Map<TreePath, DiskState> }> {
  let { safety, messages } = record;
  let seen = new Map<TreePath, DiskState>();
  if (record.files.length > 0) {
    const { root, safety: store } = benchOf(carrier, record);
    const paths = record.files.map((file) => file.path);
    const captured = await capturePaths(store, {
      root,
      paths,
      signal: carrier.signal,
      onProgress: (done, total) => carrier.onProgress?.(done, total, 'Keeping'),
    });
    seen = captured.states;
    for (const { path, before } of record.files) {
      const state = seen.get(path);
      if (state === undefined || !sameContent(contentOf(state), before))
        throw new TurnbackError('PLAN_STALE', { path: showTreePath(path) });
    }
    await pin(store, record.entry, captured.tree, carrier.signal);
    safety = { tree: captured.tree, bytes: captured.bytes };
  }
  if (messages.how === 'append') {
    const thread = threadOf(carrier, record);
    const now = carrier.bench === null ? null : await agentSnapshot(thread, carrier.bench, record);
    const writer = writerOf(thread);
    messages = { ...messages, ...batchFor(writer, record, now), position: writer.position() };
  }
  if (messages.how === 'recall') messages = await recallBatch(threadOf(carrier, record), messages, record);
  return { record: await phase(carrier, record, { phase: 'saved', safety, messages }), seen };
}

/** The changes that bring the recorded paths to one of their sides, as far as they are on the other. */
async function changesTo(
  carrier: Carrier,
  record: TravelRecord,
  side: 'before' | 'after',
  known?: ReadonlyMap<TreePath, DiskState>,
): Promise<{ changes: Change[]; changed: Changed }> {
  const bench = benchOf(carrier, record);
  const other = side === 'after' ? 'before' : 'after';
  const found: (Change | TreePath | null)[] = [];
  await eachOf(record.files, { width: 8, signal: undefined }, async (file, index) => {
    const seen = known?.get(file.path) ?? (await diskState(bench.root, file.path, bench.format));
    const there = contentOf(seen);
    if (sameContent(there, file[side])) found[index] = null;
    else if (!sameContent(there, file[other])) found[index] = file.path;
    // The bits that are on disk now, where the record has none.
    else found[index] = { path: file.path, index, from: there, seen, want: file[side] };
  });
  const changes = found.filter((one) => one !== null && typeof one === 'object');
  return { changes, changed: found.filter((one) => typeof one === 'string') };
}

const modesOf = (folders: TravelRecord['folders']): Map<TreePath, number | null> => new Map(folders.map(({ path, mode }) => [path, mode]));

async function write(
  carrier: Carrier,
  record: TravelRecord,
  side: 'before' | 'after',
  folders: ReadonlyMap<TreePath, number | null>,
  known?: ReadonlyMap<TreePath, DiskState>,
): Promise<Changed> {
  const bench = benchOf(carrier, record);
  const { changes, changed } = await changesTo(carrier, record, side, known);
  const gone = record.files.filter((file: RecordedFile) => file[side].kind === 'absent').map((file) => file.path);
  await applyChanges({
    fs: carrier.fs,
    root: bench.root,
    token: record.token,
    format: bench.format,
    changes,
    bytes: (content, path) => bench.blobs.read(content.oid, path),
    size: async (content, path) => bench.blobs.size(content.oid, path),
    folders,
    gone: gone.filter((path) => !changed.includes(path)),
    signal: carrier.signal,
    letGo: () => bench.letGo(),
    onProgress: (done) => carrier.onProgress?.(done, changes.length, side === 'after' ? 'Writing' : 'Putting back'),
  });
  return changed;
}

/** Writes what is not written yet. Once the log says the travel every file was: what is another one by now was changed since, and stays. */
async function writeAll(carrier: Carrier, record: TravelRecord, known?: ReadonlyMap<TreePath, DiskState>): Promise<Changed> {
  if (record.files.length === 0) return [];
  if (record.phase !== 'logged') return write(carrier, record, 'after', modesOf(record.foldersAfter), known);
  const { changes, changed } = await changesTo(carrier, record, 'after');
  return [...changes.map((change) => change.path), ...changed];
}

/**
 * From saved to done: writes what is not written yet, then the conversation, then the history. Safe to repeat after any crash.
 * `known`: the paths as they were kept a moment ago; without, an earlier try may have left temporary files.
 */
export async function complete(
  carrier: Carrier,
  saved: TravelRecord,
  known?: ReadonlyMap<TreePath, DiskState>,
): Promise<{ record: TravelRecord; changed: Changed }> {
  let record = saved;
  if (known === undefined && record.files.length > 0) {
    await removeTemporaries(
      carrier.fs,
      benchOf(carrier, record).root,
      record.token,
      record.files.map((file) => file.path),
    );
  }
  const changed = await writeAll(carrier, record, known);
  const { messages } = record;
  if (messages.how === 'append' && record.phase !== 'logged' && messages.position !== null && messages.batch !== null && messages.expect) {
    const { position, batch, expect } = messages;
    if (record.phase === 'logging') await withdrawTorn(threadOf(carrier, record), { position, batch });
    else record = await phase(carrier, record, { phase: 'logging' });
    await appendOnce(threadOf(carrier, record), { position, batch, expect });
    record = await phase(carrier, record, { phase: 'logged' });
  }
  if (messages.how === 'recall' && record.phase !== 'logged') {
    record = await phase(carrier, record, { phase: 'logging' });
    await appendRecall(carrier.fs, carrier.ownData, threadOf(carrier, record), messages);
    record = await phase(carrier, record, { phase: 'logged' });
  }
  if (messages.how === 'overlay') await writeOverlay(carrier.fs, carrier.ownData, record.thread, messages.after);
  // A recall that took effect ends the one that was planned.
  if (messages.how === 'recall') await writePendingText(carrier.fs, carrier.ownData, record.thread, null);
  if (messages.how === 'pending') await writePendingText(carrier.fs, carrier.ownData, record.thread, messages.after);
  record = { ...record, phase: 'done' };
  await addToHistory(carrier.fs, carrier.ownData, record);
  // From here on the travel is done: a journal that has an entry is only waiting to be swept.
  await writeEntry(carrier.fs, carrier.ownData, record);
  await sweepJournal(carrier.fs, carrier.ownData, record.entry);
  return { record, changed };
}

/** Has the conversation gone along already? Reads the log again where that is not certain. */
async function conversationWent(carrier: Carrier, record: TravelRecord): Promise<boolean> {
  const { messages } = record;
  if (messages.how === 'overlay') return (await readOverlayText(carrier.fs, carrier.ownData, record.thread)) === messages.after;
  if (messages.how !== 'append' || messages.expect === null || carrier.logGone === true) return false;
  if (record.phase === 'logged') return true;
  if (record.phase !== 'logging' || messages.position === null || messages.batch === null) return false;
  const thread = threadOf(carrier, record);
  await withdrawTorn(thread, { position: messages.position, batch: messages.batch });
  return writerOf(thread).position() !== messages.position && logSays(thread, messages.expect);
}

/** Every path and the conversation as they were before the travel. Safe to repeat after any crash. RECOVERY_NO_WORKSPACE while there is none. */
export async function rollBack(carrier: Carrier, from: TravelRecord, at: number): Promise<{ record: TravelRecord; changed: Changed }> {
  let record = from;
  await dropFromHistory(carrier.fs, carrier.ownData, record);
  await removeEntry(carrier.fs, carrier.ownData, record.entry);
  const inLog = carrier.logGone !== true;
  if (
    inLog &&
    record.messages.how === 'recall' &&
    record.messages.batch !== null &&
    (record.phase === 'logging' || record.phase === 'logged')
  ) {
    await withdrawRecall(threadOf(carrier, record), record.messages, record);
  }
  if (record.phase !== 'back' && (await conversationWent(carrier, record))) record = await prepareInverse(carrier, record, at);
  let changed: Changed = [];
  if (record.files.length > 0 && record.phase !== 'intent') {
    const { root } = benchOf(carrier, record);
    const paths = record.files.map((file) => file.path);
    await mustBeThere(carrier.fs, root);
    await removeTemporaries(carrier.fs, root, record.token, paths);
    changed = await write(carrier, record, 'before', modesOf(record.folders));
    await removeTemporaries(carrier.fs, root, record.token, paths);
  }
  const { messages } = record;
  if (
    inLog &&
    record.phase === 'back' &&
    messages.how === 'append' &&
    messages.position !== null &&
    messages.batch !== null &&
    messages.expect
  ) {
    const { position, batch, expect } = messages;
    await withdrawTorn(threadOf(carrier, record), { position, batch });
    await appendOnce(threadOf(carrier, record), { position, batch, expect });
  }
  if (messages.how === 'overlay' && (await readOverlayText(carrier.fs, carrier.ownData, record.thread)) === messages.after) {
    await writeOverlay(carrier.fs, carrier.ownData, record.thread, messages.before);
  }
  if (messages.how === 'pending' && (await readPendingText(carrier.fs, carrier.ownData, record.thread)) === messages.after) {
    await writePendingText(carrier.fs, carrier.ownData, record.thread, messages.before);
  }
  await removeJournal(carrier.fs, carrier.ownData, record.entry);
  await letGo(carrier, record);
  return { record, changed };
}

/** Milliseconds: who cancelled a travel because git hangs does not wait for it once more. */
const LET_GO = 2000;

/** Lets the safety snapshot go, once no journal needs it. One that cannot be let go only takes room. */
async function letGo({ bench }: Carrier, record: TravelRecord): Promise<void> {
  if (bench === null) return;
  try {
    await unpin(bench.safety, record.entry, LET_GO);
  } catch (thrown) {
    if (!isRefusal(thrown, 'GIT_FAILED')) throw thrown;
  }
}

/** The log has the batch already: rolling back needs another one, which the journal knows before it is appended. */
async function prepareInverse(carrier: Carrier, record: TravelRecord, at: number): Promise<TravelRecord> {
  const { messages } = record;
  if (messages.how !== 'append') return record;
  const thread = threadOf(carrier, record);
  await thread.refresh();
  const writer = writerOf(thread);
  const inverse = inverseBatch(writer, record, messages.stood, at);
  return phase(carrier, record, { phase: 'back', messages: { ...messages, ...inverse, position: writer.position() } });
}
