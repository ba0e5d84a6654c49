import { reason, TurnbackError } from '../../shared/errors.ts';
import type { Interrupted, TravelResult } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { Git } from '../snapshots/git.ts';
import type { OpenThread } from '../threads/thread.ts';
import { logSays } from './agent-log.ts';
import { sweepAsides } from './asides.ts';
import { type Bench, openBench } from './bench.ts';
import { type Carrier, complete, rollBack, save } from './carry-out.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { leaseKeyOf, openJournals, readJournal } from './journal.ts';
import { leaseHolder, takeLease } from './lease.ts';
import { endOf } from './log-end.ts';
import { mustBeThere } from './must-be-there.ts';
import { recallHeld } from './recall-log.ts';
import type { TravelRecord } from './record.ts';
import { resultOf } from './result.ts';
import { mustBeSame } from './same-folder.ts';

interface RecoverDeps {
  ownData: string;
  git: Git;
  /** Opens a thread by id; null when it cannot be opened any more. */
  openThread(id: string): Promise<OpenThread | null>;
  /** Was the log of a thread that cannot be opened removed? Absent: nobody knows. */
  isGone?(id: string): Promise<boolean>;
  fs?: FileSystem;
  now?(): number;
}

/** Travels that a crash interrupted; one that is running right now is not among them. */
export async function interruptedTravels(ownData: string, fs: FileSystem = nodeFileSystem): Promise<Interrupted[]> {
  const found: Interrupted[] = [];
  for (const record of await openJournals(fs, ownData)) {
    if ((await leaseHolder(fs, ownData, leaseKeyOf(record))) !== null) continue;
    const { entry, thread, root, kind, at, files } = record;
    found.push({ entry, thread, root: root ?? '', kind, at, files: files.length });
  }
  return found;
}

/**
 * Finishes an interrupted travel or takes it back; safe to call again after another crash. A path that is neither as it was nor
 * as it should have become was changed since: it stays, and the result says so. Throws RECOVERY_MOVED when the agent went on
 * since, so that only rolling back is right; RECOVERY_NEEDS_THREAD when the thread's log is needed and cannot be opened;
 * RECOVERY_NO_WORKSPACE while its folder is somewhere else, RECOVERY_OTHER_FOLDER while another one stands at its place.
 */
export async function recoverTravel(deps: RecoverDeps, entry: string, how: 'finish' | 'roll-back'): Promise<TravelResult> {
  const { ownData, git } = deps;
  const fs = deps.fs ?? nodeFileSystem;
  const known = await readJournal(fs, ownData, entry);
  if (known === null) throw new TurnbackError('NOT_INTERRUPTED');
  const lease = await takeLease(fs, ownData, leaseKeyOf(known), undefined, { doing: 'recover', place: known.root });
  let bench: Bench | null = null;
  try {
    await sweepAsides(fs, ownData);
    // Another process may have ended it while we waited.
    const record = await readJournal(fs, ownData, entry);
    if (record === null) throw new TurnbackError('NOT_INTERRUPTED');
    const thread = await deps.openThread(record.thread);
    const { root, format } = record;
    if (root !== null && record.files.length > 0) {
      await mustBeThere(fs, root);
      await mustBeSame(fs, record, root);
    }
    bench = root === null ? null : await openBench({ git, ownData, root, format, objects: thread?.objects ?? null });
    const logGone = thread === null && ((await deps.isGone?.(record.thread)) ?? false);
    const carrier: Carrier = { fs, ownData, thread, bench, logGone };
    // Once rolling back has begun in the log, going on with it is the only way that ends in a state the user knows.
    if (how === 'roll-back' || record.phase === 'back') {
      const { changed } = await rollBack(carrier, record, (deps.now ?? Date.now)());
      return {
        ...resultOf(record, changed),
        message: rolledBackWords(changed),
        log: 'none',
        files: rolledBack(record, changed),
      };
    }
    return await finish(carrier, record);
  } finally {
    await bench?.close();
    await lease.release();
  }
}

function rolledBackWords({ length }: readonly TreePath[]): string {
  if (length === 0) return 'Rolled back: everything is as it was before.';
  const kept =
    length === 1
      ? '1 file was changed after the interruption and stays as it is'
      : `${length} files were changed after the interruption and stay as they are`;
  return `Rolled back, but ${kept}.`;
}

async function finish(carrier: Carrier, record: TravelRecord): Promise<TravelResult> {
  const { thread } = carrier;
  if (thread === null) throw new TurnbackError('RECOVERY_NEEDS_THREAD', { id: record.thread });
  await thread.refresh();
  const { messages } = record;
  const moved = endOf(thread) !== record.logAt;
  const held = messages.how === 'recall' && record.phase === 'logging' ? await recallHeld(thread, messages, record) : 'other';
  const went =
    record.phase === 'logged' ||
    held !== 'other' ||
    (record.phase === 'logging' && messages.how === 'append' && messages.expect !== null && logSays(thread, messages.expect));
  if (moved && messages.how !== 'none' && !went) throw TurnbackError.of(reason('RECOVERY_MOVED'));
  if (record.phase !== 'intent') {
    const { record: done, changed } = await complete(carrier, record);
    return resultOf(done, changed);
  }
  const saved = await save(carrier, record);
  const { record: done, changed } = await complete(carrier, saved.record, saved.seen);
  return resultOf(done, changed);
}

function rolledBack(record: TravelRecord, changed: readonly string[]): TravelResult['files'] {
  return record.files.map(({ path, before }) => {
    if (changed.includes(path)) return { path, outcome: 'kept', why: 'It was changed after the interruption.' };
    return { path, outcome: before.kind === 'absent' ? 'deleted' : 'written', why: null };
  });
}
