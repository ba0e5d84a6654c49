import { createHash } from 'node:crypto';
import type { FileDiff, ThreadView } from '../../shared/contract.ts';
import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { Message, Thread } from '../../shared/model.ts';
import type { Plan, PlanFile } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { changesOf } from '../snapshots/diff.ts';
import type { ObjectReader, TreeEntry } from '../snapshots/objects.ts';
import { lastStop, messagesAfter, sideEffectsOf, turnsOf } from '../travel/covered.ts';
import { standRefusal } from '../travel/gate.ts';
import type { TravelContext, TravelRequest } from '../travel/travel-context.ts';
import { viewOf } from '../travel/view.ts';
import { diffOf, treeSide } from './changes.ts';
import type { Via } from './via.ts';
import { ViaTrail } from './via-trail.ts';

export interface ViaContext extends TravelContext {
  via: Via;
}

/** A travel on the other side, thought through: what people confirm, and which message it goes to. */
export interface ViaPlan {
  plan: Plan;
  messageId: string | null;
}

interface Change {
  path: TreePath;
  tree: string;
  before: TreeEntry | null;
  after: TreeEntry | null;
  drift: string | null;
}

function objectsOf({ thread }: ViaContext): ObjectReader {
  if (thread.objects !== null) return thread.objects;
  throw thread.storeReason === null ? new TurnbackError('NO_SNAPSHOTS') : TurnbackError.of(thread.storeReason);
}

/** The messages that a travel hides, brings back or removes. */
function coveredBy(view: Thread, request: TravelRequest, trail: ViaTrail): { messages: Message[]; count: number } {
  const { undoPoint: point } = trail.fold;
  const after = (stop: number): { messages: Message[]; count: number } => {
    const messages = messagesAfter(view, stop);
    return { messages, count: messages.length };
  };
  if (request.kind === 'revert') return after(request.stop ?? 0);
  if (request.kind === 'undo') return point?.state === 'done' ? after(point.keep) : { messages: [], count: 0 };
  return { messages: [], count: request.kind === 'unrevert' ? (view.standing?.hidden ?? 0) : (point?.messages?.length ?? 0) };
}

/** Why the recorder there cannot make the travel, whatever the files are; null when it can. */
async function refusalOf(context: ViaContext, view: ThreadView, request: TravelRequest): Promise<Reason | null> {
  const { kind, scope, stop } = request;
  const name = context.via.where.backend;
  if (kind === 'restore' || kind === 'recall' || kind === 'partial')
    return reason('NOT_SUPPORTED', {
      what: kind === 'partial' ? 'Bringing one file or change back' : 'Bringing files back from the history',
      cause: `behind ${name} only the recorder's own travels are kept`,
    });
  if (view.can[kind] !== true) return view.can[kind];
  if (kind !== 'revert') return null;
  if (scope !== 'both')
    return reason('NOT_SUPPORTED', {
      what: `Reverting ${scope} alone`,
      cause: `behind ${name} the recorder takes back files and messages together`,
    });
  if (messagesAfter(view, stop ?? 0).length === 0) return reason('NOTHING_AFTER');
  return standRefusal(view, stop ?? 0) ?? (await context.thread.reader.writer?.refusals())?.[0] ?? null;
}

async function changesThere(
  context: ViaContext,
  trail: ViaTrail,
  request: TravelRequest,
  messageId: string | null,
  now: string,
): Promise<Change[]> {
  const objects = objectsOf(context);
  const entryOf = (tree: string, path: TreePath): Promise<TreeEntry | null> => objects.entry(tree, path);
  const { trees, covered } = trail.targets(request.kind, messageId);
  const changes: Change[] = [];
  for (const [path, tree] of trees) {
    const [before, after] = [await entryOf(now, path), await entryOf(tree, path)];
    // The same choice as the recorder's own: what stands already, and repositories inside, are not touched.
    const stands = before?.oid === after?.oid && before?.mode === after?.mode;
    if (stands || before?.mode === '160000' || after?.mode === '160000') continue;
    changes.push({ path, tree, before, after, drift: await trail.drift(path, now, covered, entryOf) });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Paths where something stands that no snapshot holds: the recorder leaves them alone. What the travel itself removes is not in the way. */
async function inTheWay({ via }: ViaContext, changes: readonly Change[]): Promise<Plan['skipped']> {
  const fresh = changes.filter(({ before }) => before === null).map(({ path }) => path);
  if (fresh.length === 0) return [];
  const removed = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
  const there = (await via.stands(fresh)).filter((path) => !removed.has(path));
  return fresh.flatMap((path) => {
    if (there.includes(path)) return [{ path, why: 'A file of yours stands there that no snapshot holds.' }];
    return there.some((one) => one.startsWith(`${path}/`)) ? [{ path, why: 'A folder of yours stands there.' }] : [];
  });
}

async function planFiles(
  { via }: ViaContext,
  now: string,
  changes: readonly Change[],
  signal: AbortSignal | undefined,
): Promise<PlanFile[]> {
  const trees = [...new Set(changes.map(({ tree }) => tree))];
  const pairs = trees.map((to) => ({ from: now, to, only: changes.filter(({ tree }) => tree === to).map(({ path }) => path) }));
  const counted = (await changesOf(via.store, pairs, signal)).flatMap((found) => (Array.isArray(found) ? found : []));
  const counts = new Map(counted.map((file) => [file.path, file]));
  return changes.map(({ path, before, after, drift }) => ({
    path,
    verb: after === null ? 'delete' : before === null ? 'recreate' : 'restore',
    drift: drift !== null,
    choice: drift === null ? 'write' : 'keep',
    choices: drift === null ? ['write'] : ['keep', 'overwrite'],
    why: drift,
    added: counts.get(path)?.added ?? null,
    removed: counts.get(path)?.removed ?? null,
    binary: counts.get(path)?.binary ?? false,
  }));
}

/**
 * The plan of a travel that the recorder makes on the other side: the very files that it would put back, against the files there now.
 * Reads only, but for objects and an index in our own repository there. `held`: we hold the thread's leases ourselves, and what stands in
 * the way was looked at before. Throws UNKNOWN_MESSAGE, and what the other side fails with.
 */
export async function planVia(
  context: ViaContext,
  request: TravelRequest,
  o: { held: boolean; signal?: AbortSignal | undefined },
): Promise<ViaPlan> {
  const { thread, via } = context;
  const view = thread.thread();
  const { kind, stop } = request;
  if (kind === 'revert' && (stop === null || !Number.isInteger(stop) || stop < 0 || stop > lastStop(view)))
    throw new TurnbackError('UNKNOWN_MESSAGE', { id: `stop:${stop}` });
  let refusal = thread.storeReason ?? (o.held ? null : await refusalOf(context, await viewOf(context), request));
  const entries = await via.records(thread.head.log);
  const trail = new ViaTrail(via.where.threadId, entries);
  const messageId = kind === 'revert' ? (view.messages.find((message) => message.stop === stop)?.id ?? null) : null;
  let changes: Change[] = [];
  let files: PlanFile[] = [];
  let skipped: Plan['skipped'] = [];
  if (refusal === null) {
    try {
      const now = await via.treeNow({ recent: false, signal: o.signal });
      changes = await changesThere(context, trail, request, messageId, now);
      skipped = await inTheWay(context, changes);
      changes = changes.filter(({ path }) => !skipped.some((one) => one.path === path));
      files = await planFiles(context, now, changes, o.signal);
    } catch (thrown) {
      if (!(thrown instanceof TurnbackError) || thrown.code !== 'TREE_MISSING') throw thrown;
      refusal = thrown.reason;
    }
  }
  const covered = coveredBy(view, request, trail);
  const notes = [`The files are put back whole behind ${via.where.backend}, by the recorder's own rules.`];
  if (files.some((file) => file.drift))
    notes.push('Files that were changed there since cannot be merged or kept there: overwrite them, or nothing is written.');
  if (view.status === 'unknown') notes.push('The log does not tell whether the agent is at work. Make sure that it is not.');
  const facts = [request, messageId, changes, entries.filter(({ record }) => !record.type.startsWith('harness.event')).at(-1)?.seq];
  const plan: Plan = {
    kind,
    target: { messageId, stop: kind === 'revert' ? stop : null },
    scope: 'both',
    turns: turnsOf(covered.messages),
    messages: covered.count,
    files,
    sideEffects: kind === 'revert' || kind === 'undo' ? sideEffectsOf(covered.messages) : [],
    skipped,
    notes,
    refusal,
    fingerprint: createHash('sha256').update(JSON.stringify(facts)).digest('hex'),
  };
  return { plan, messageId };
}

/** Both sides of one file as a revert to the stop would change it there. */
export async function planDiffVia(
  context: ViaContext,
  o: { stop: number; file: TreePath; anyway: boolean; signal?: AbortSignal | undefined },
): Promise<FileDiff> {
  const { thread, via } = context;
  const objects = objectsOf(context);
  const messageId = thread.thread().messages.find((message) => message.stop === o.stop)?.id ?? null;
  const trail = new ViaTrail(via.where.threadId, await via.records(thread.head.log));
  const now = await via.treeNow({ recent: true, signal: o.signal });
  const tree = trail.targets('revert', messageId).trees.get(o.file) ?? now;
  return diffOf(o.file, await treeSide(objects, now, o.file, o.anyway), await treeSide(objects, tree, o.file, o.anyway));
}
