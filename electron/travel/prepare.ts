import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { type Bench, openBench } from './bench.ts';
import type { Blobs } from './blobs.ts';
import { keepCarried, mayHoldOthers } from './carried.ts';
import { type Chain, chainsOf, type Scoped } from './chains.ts';
import { settleGroups } from './choose.ts';
import { diskWorld } from './disk-world.ts';
import { type Draft, draftOf } from './draft.ts';
import { intendRestore, intendUnrevert } from './intend-back.ts';
import { intendPartial } from './intend-partial.ts';
import { intendDrop, intendRecall } from './intend-recall.ts';
import { intendRevert } from './intend-revert.ts';
import { intendRedo, intendUndo } from './intend-turn.ts';
import type { Intention } from './intention.ts';
import { leftOut } from './left-out.ts';
import { onCancel } from './on-cancel.ts';
import { pieceDraft } from './piece-draft.ts';
import { recallDraft } from './recall-files.ts';
import { recallerOf } from './recall-log.ts';
import { type Situation, situationOf } from './situation.ts';
import { tellMoved } from './tell-moved.ts';
import type { TravelContext, TravelRequest } from './travel-context.ts';
import type { World } from './world.ts';

/** A travel that was thought through, with everything that it takes to show it or to make it. */
export interface Prepared {
  situation: Situation;
  intention: Intention;
  /** Null without a workspace, or when files are out of scope. */
  bench: Bench | null;
  world: World | null;
  draft: Draft | null;
  close(): Promise<void>;
}

interface Asked {
  signal?: AbortSignal | undefined;
  /** Look at these paths alone. */
  only?: ReadonlySet<TreePath>;
  /** And at others that what is preselected for them depends on. */
  withKin?: boolean;
}

function intend(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { recall } = situation.context.thread.reader;
  switch (request.kind) {
    case 'revert':
      return recall === undefined ? intendRevert(situation, request) : intendRecall(situation, request);
    case 'unrevert':
      return situation.pending === null ? intendUnrevert(situation, request) : intendDrop(situation, request);
    case 'restore':
      return intendRestore(situation, { ...request, scope: 'files' });
    case 'undo':
      return intendUndo(situation, { ...request, scope: 'both' });
    case 'redo':
      return intendRedo(situation, { ...request, scope: 'both' });
    case 'partial':
      return intendPartial(situation, { ...request, scope: 'files' });
    case 'recall':
      if (recall !== undefined) return intendRecall(situation, request);
      throw new TurnbackError('NOT_SUPPORTED', { what: 'Taking a message back by recall' });
  }
}

/** Opens the bench of a thread's workspace; null when there is none. */
export async function benchOf({ thread, git, ownData }: TravelContext): Promise<Bench | null> {
  if (thread.root === null) return null;
  return openBench({ git, ownData, root: thread.root, format: thread.store?.format ?? 'sha1', objects: thread.objects });
}

/** The chains of every path; of those asked for alone, where what becomes of them does not depend on others. */
async function chainsFor(scoped: Scoped, o: Asked, blobs: Blobs): Promise<Map<TreePath, Chain>> {
  const { only } = o;
  if (only === undefined || !o.withKin) return chainsOf(scoped, only);
  // Between two changes of a path: where there are fewer than two, there is nothing that others could hold.
  const seen = new Set<TreePath>();
  const kin = new Set(only);
  for (const { paths } of scoped.sources) for (const path of paths) seen.has(path) ? kin.add(path) : seen.add(path);
  const chains = await chainsOf(scoped, kin);
  if (await mayHoldOthers(chains, only, blobs)) return chainsOf(scoped);
  return new Map([...chains].filter(([path]) => only.has(path)));
}

/** Thinks a travel through against disk and stores as they are now. Only reads. Throws CANCELLED soon, also where git says nothing. */
export async function prepare(context: TravelContext, request: TravelRequest, o: Asked = {}): Promise<Prepared> {
  const thought = (): Promise<Prepared> => thinkThrough(context, request, o);
  return onCancel(o.signal, () => void context.thread.objects?.leaveSilent(), thought);
}

async function thinkThrough(context: TravelContext, request: TravelRequest, o: Asked): Promise<Prepared> {
  await context.thread.fill(o.signal);
  const situation = await situationOf(context);
  const intention = await intend(situation, request);
  const restores = intention.recall?.lists ?? null;
  const bench = intention.scoped === null && restores === null ? null : await benchOf(context);
  if (bench === null) return { situation, intention, bench, world: null, draft: null, close: async () => undefined };
  try {
    const looked = await onCancel(
      o.signal,
      () => bench.letGo(),
      () => lookAtFiles(situation, intention, bench, o),
    );
    return { situation, bench, ...looked, close: () => bench.close() };
  } catch (thrown) {
    await bench.close();
    throw thrown;
  }
}

async function lookAtFiles(
  situation: Situation,
  intention: Intention,
  bench: Bench,
  o: Asked,
): Promise<Pick<Prepared, 'intention' | 'world' | 'draft'>> {
  const { context } = situation;
  const { root, blobs, tmp, safety } = bench;
  const world = diskWorld({ context, git: context.git, root, blobs, gitDir: safety.gitDir, tmp, signal: o.signal });
  if (intention.recall?.lists) {
    const { lists, mayBeBack } = intention.recall;
    const found = await recallDraft({ recall: recallerOf(context.thread), lists, mayBeBack, world, bench, signal: o.signal });
    const refused = found.refusal === null ? intention : { ...intention, refusal: intention.refusal ?? found.refusal, notes: [] };
    return { intention: refused, world, draft: found.draft };
  }
  const chains = await chainsFor(intention.scoped ?? { paths: new Map(), sources: [] }, o, blobs);
  if (intention.piece !== undefined) {
    const found = await pieceDraft({ part: intention.piece, chains, world, blobs, signal: o.signal });
    await settleGroups(found.draft.files, world.filesIn);
    return { intention: { ...intention, refusal: intention.refusal ?? found.refusal }, world, draft: found.draft };
  }
  const draft = await draftOf(world, chains, o.signal);
  do await settleGroups(draft.files, world.filesIn);
  while (await keepCarried(draft.files, chains, blobs));
  tellMoved(draft.files);
  const { stop } = intention.target;
  if (intention.request.kind === 'revert' && stop !== null && intention.scoped !== null && o.only === undefined) {
    draft.skipped.push(...(await leftOut(situation.thread, stop, intention.scoped, context.thread.objects, world)));
  }
  return { intention, world, draft };
}
