import { isRefusal, reasonOf, TurnbackError, whatFailed } from '../../shared/errors.ts';
import type { Choice, DriftPolicy, Plan, TravelResult } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { OpenThread } from '../threads/thread.ts';
import { sweepAsides } from './asides.ts';
import type { Bench } from './bench.ts';
import { type Carrier, type Changed, complete, rollBack, save } from './carry-out.ts';
import { pick } from './choose.ts';
import { mustFit } from './disk-space.ts';
import type { Draft } from './draft.ts';
import { nodeFileSystem } from './file-system.ts';
import { checkFingerprint, fingerprintOf } from './fingerprint.ts';
import { doneJournals, leaseKeyOf, readJournal, sweepJournal, writeJournal } from './journal.ts';
import { takeLease } from './lease.ts';
import { lineCounts } from './line-counts.ts';
import { endOf } from './log-end.ts';
import { makeRecord } from './make-record.ts';
import { onCancel } from './on-cancel.ts';
import { filesRefusal, planOf } from './plan.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { TravelRecord } from './record.ts';
import { resultOf } from './result.ts';
import { someNames } from './some-names.ts';
import type { TravelContext, TravelRequest } from './travel-context.ts';

export interface RunOptions {
  drift: DriftPolicy;
  /** Choices by path; they outrank `drift`. */
  choices: Readonly<Record<string, Choice>>;
  /** The plan that was confirmed; null runs whatever the plan is now. */
  fingerprint: string | null;
  /** Honoured until the first file is written; after that a travel completes or rolls back. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number, label: string) => void;
  onFile?: (path: TreePath, change: 'created' | 'updated' | 'deleted') => void;
}

/** The seed's limit of file events for one operation. */
const MOST_EVENTS = 100;

/**
 * The plan of a travel: pure reading, nothing but our own data folder changes. What stands in the way is the plan's `refusal`;
 * only a place that does not exist throws (UNKNOWN_MESSAGE, UNKNOWN_ENTRY).
 */
export async function previewTravel(context: TravelContext, request: TravelRequest, signal?: AbortSignal): Promise<Plan> {
  const prepared = await prepare(context, request, { signal });
  try {
    const { situation, intention, draft, bench } = prepared;
    const counts = bench === null ? new Map() : await countLines(context, bench, draft, signal);
    return planOf(intention, draft, counts, fingerprintOf(situation, intention, draft));
  } finally {
    await prepared.close();
  }
}

function countLines({ thread }: TravelContext, bench: Bench, draft: Draft | null, signal?: AbortSignal): ReturnType<typeof lineCounts> {
  const counted = () => lineCounts(draft?.files ?? [], { store: thread.store, blobs: bench.blobs, signal });
  return onCancel(signal, () => bench.letGo(), counted);
}

/**
 * Makes the travel: all of it or nothing. The plan is made again under the lease; a refusal, a plan that is not the confirmed one
 * (PLAN_STALE) and drift under policy `fail` (DRIFTED) throw before anything is written, anything later after all was put back.
 */
export async function runTravel(context: TravelContext, request: TravelRequest, options: RunOptions): Promise<TravelResult> {
  const fs = context.fs ?? nodeFileSystem;
  const { thread, ownData } = context;
  const key = leaseKeyOf({ root: thread.root, thread: thread.head.id });
  const lease = await takeLease(fs, ownData, key, undefined, { doing: 'travel', place: thread.root });
  try {
    await thread.refresh(options.signal);
    const prepared = await prepare(context, request, { signal: options.signal });
    try {
      return await runPrepared(context, prepared, options);
    } finally {
      await prepared.close();
    }
  } finally {
    await lease.release();
  }
}

async function runPrepared(context: TravelContext, prepared: Prepared, options: RunOptions): Promise<TravelResult> {
  const { situation, intention, draft, bench, world } = prepared;
  const { fs } = situation;
  const { ownData, thread } = context;
  const refusal = intention.refusal ?? filesRefusal(intention, draft);
  if (refusal !== null) throw TurnbackError.of(refusal);
  if (options.fingerprint !== null) checkFingerprint(options.fingerprint, situation, intention, draft);
  const picked = draft === null || world === null ? [] : await pick(draft.files, options, world.filesIn);
  const record = await makeRecord(fs, prepared, picked, context.now());
  await mustFit(fs, ownData, record, bench);
  // The agent may have gone on while we looked at the files.
  await thread.refresh(options.signal);
  if (endOf(thread) !== record.logAt) throw new TurnbackError('PLAN_STALE', { path: 'The conversation' });
  if (options.signal?.aborted) throw new TurnbackError('CANCELLED');
  const carrier: Carrier = { fs, ownData, thread, bench, signal: options.signal, onProgress: options.onProgress };
  const done = await carryOut(carrier, record, context.now);
  await readAgain(thread);
  if (options.onFile) tellFiles(done, options.onFile);
  return resultOf(done, []);
}

/** After a travel. It is done, so a log that cannot be read at this moment is no failure of it: whoever reads it next is told. */
async function readAgain(thread: OpenThread): Promise<void> {
  try {
    await thread.refresh();
  } catch {
    // See above.
  }
}

async function carryOut(carrier: Carrier, intent: TravelRecord, now: () => number): Promise<TravelRecord> {
  let record = intent;
  try {
    await sweepDone(carrier);
    await writeJournal(carrier.fs, carrier.ownData, record);
    const saved = await save(carrier, record);
    record = saved.record;
    if (carrier.signal?.aborted) throw new TurnbackError('CANCELLED');
    return (await complete(carrier, record, saved.seen)).record;
  } catch (thrown) {
    const changed = await putBack(carrier, record, thrown, now());
    throw changed.length === 0 ? thrown : butFor(changed, thrown);
  }
}

/** The failure with what is not as it was: somebody else changed it meanwhile. */
function butFor(changed: Changed, thrown: unknown): TurnbackError {
  const { code, message } = reasonOf(thrown);
  return TurnbackError.of({ code, message: `${message} Changed by somebody else meanwhile, and left so: ${someNames(changed)}.` });
}

/** Everything as it was, after a failure. When even that fails the journal stays, and both ways are open to recovery. */
async function putBack(carrier: Carrier, record: TravelRecord, failure: unknown, at: number): Promise<Changed> {
  try {
    // The journal knows how far it came: a batch may have gone into the log meanwhile. What somebody changed meanwhile stays.
    return (await rollBack({ ...carrier, signal: undefined }, (await readJournal(carrier.fs, carrier.ownData, record.entry)) ?? record, at))
      .changed;
  } catch (thrown) {
    // The tombstone is in the log, so this travel can only be finished, and says so itself.
    if (isRefusal(thrown, 'RECALL_WRITTEN')) throw thrown;
    const cause = `${whatFailed(thrown)}; what failed at first: ${whatFailed(failure)}`;
    throw new TurnbackError('RECOVERY_FAILED', { path: record.root ?? record.thread, cause }, { cause: thrown });
  }
}

/** Journals of travels that are done and could not be removed then, and files that a crash left half written. */
async function sweepDone({ fs, ownData }: Carrier): Promise<void> {
  await sweepAsides(fs, ownData);
  for (const entry of await doneJournals(fs, ownData)) await sweepJournal(fs, ownData, entry);
}

function tellFiles(record: TravelRecord, onFile: NonNullable<RunOptions['onFile']>): void {
  for (const { path, before, after } of record.files.slice(0, MOST_EVENTS)) {
    onFile(path, before.kind === 'absent' ? 'created' : after.kind === 'absent' ? 'deleted' : 'updated');
  }
}
