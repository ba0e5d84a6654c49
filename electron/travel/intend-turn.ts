import { type Reason, reason } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';
import { trueNames } from '../snapshots/true-names.ts';
import type { RedoPoint, UndoPoint } from '../threads/source.ts';
import { goesWith, type Scoped, scopeOfSources } from './chains.ts';
import { messagesAfter, sideEffectsOf } from './covered.ts';
import { logRefusal, notIdle, occupied, workspaceRefusal } from './gate.ts';
import type { Intention } from './intention.ts';
import { notesFor } from './notes.ts';
import type { Situation } from './situation.ts';
import { travelSources, treesSource } from './sources-of-change.ts';
import type { TravelRequest } from './travel-context.ts';

/** In the order of the seed: not idle, a revert stands, nothing to do (formats/tanstack.md 11.1); then what else may be in the way. */
async function refusalOf(situation: Situation, nothing: Reason | null, touchesFiles: boolean): Promise<Reason | null> {
  return (
    turnRefusal(situation) ??
    notIdle(situation) ??
    (situation.thread.standing === null ? null : reason('REVERT_STANDS')) ??
    nothing ??
    (await occupied(situation)) ??
    (await logRefusal(situation)) ??
    (touchesFiles ? workspaceRefusal(situation) : null)
  );
}

/** Why the last turn of such a thread cannot be undone at all; null when it can. */
export function turnRefusal({ thread, context }: Situation): Reason | null {
  return thread.keeps === 'log' && context.thread.reader.writer !== null
    ? null
    : reason('NOT_SUPPORTED', { what: 'Undo and redo of the last turn' });
}

/** What `undo` would act on, or why it cannot. */
export function undoPointOf(situation: Situation): UndoPoint | Reason {
  const no = turnRefusal(situation);
  return no ?? situation.context.thread.reader.writer?.undoPoint() ?? reason('NOTHING_TO_UNDO');
}

/** What `redo` would act on, or why it cannot. */
export function redoPointOf(situation: Situation): RedoPoint | Reason {
  const no = turnRefusal(situation);
  return no ?? situation.context.thread.reader.writer?.redoPoint() ?? reason('NOTHING_TO_REDO');
}

/** Tells why there is no point from a point. */
export const isReason = (value: object): value is Reason => 'code' in value;

function stepsOfTurn(thread: Thread, turn: number): Step[] {
  return thread.steps.filter((step) => step.turn === turn);
}

/** A pair of trees and the travels above it as what a travel is about. */
function scopedTrees(
  situation: Situation,
  trees: { position: number; from: string | null; to: string | null; files: readonly string[] },
  steps: readonly Step[],
): Scoped {
  const seen = situation.thread.steps.flatMap((step) => step.files?.map((file) => file.path) ?? []);
  const files = trueNames(trees.files, seen);
  const source = treesSource({ ...trees, files, words: 'the last turn' }, situation.context.thread.objects);
  const travels = travelSources(situation.thread, situation.records).filter(({ record }) => goesWith(record, steps, situation.records));
  return scopeOfSources(
    [source],
    travels.flatMap(({ sources }) => sources),
  );
}

function nothingElse(
  request: TravelRequest,
): Pick<Intention, 'request' | 'supersedes' | 'standingFrom' | 'ended' | 'base' | 'listed' | 'takes'> {
  return { request, supersedes: null, standingFrom: null, ended: null, base: null, listed: null, takes: [] };
}

/** Undoing the last turn. */
export async function intendUndo(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread } = situation;
  const found = undoPointOf(situation);
  const point = isReason(found) ? null : found;
  const steps = point === null ? [] : stepsOfTurn(thread, point.turn);
  const position = steps[0]?.index ?? thread.steps.at(-1)?.index ?? 0;
  const trees = { position, from: point?.from ?? null, to: point?.to ?? null, files: point?.files ?? [] };
  const scoped = scopedTrees(situation, trees, steps);
  const gone = point === null ? [] : messagesAfter(thread, point.keep);
  return {
    ...nothingElse(request),
    target: { messageId: null, stop: null, words: point === null ? 'the last turn' : `before turn ${point.turn}` },
    turns: point === null ? [] : [point.turn],
    messages: gone.length,
    sideEffects: sideEffectsOf(gone),
    notes: await notesFor(situation, true, scoped.paths.size > 0),
    refusal: await refusalOf(situation, isReason(found) ? found : null, scoped.paths.size > 0),
    scoped,
    conversation: { how: 'append' },
    covers: steps.map((step) => step.id),
  };
}

/** Bringing the undone turn back. */
export async function intendRedo(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread, records } = situation;
  const found = redoPointOf(situation);
  const point = isReason(found) ? null : found;
  // What was brought back since is no travel of the conversation; where it changed the same file that counts as an edit.
  const last = records.findLast((record) => record.kind !== 'partial');
  const undone = last?.kind === 'undo' ? last : undefined;
  // When the undo was ours and nothing came after it, its own layer is exact, your edits included.
  const own = undone && travelSources(thread, records).find(({ record }) => record === undone)?.sources;
  const scoped = own
    ? scopeOfSources(own, [])
    : // The trees the other way round: what the undo left is what the turn began with.
      scopedTrees(
        situation,
        { position: Number.MAX_SAFE_INTEGER, from: point?.to ?? null, to: point?.from ?? null, files: point?.files ?? [] },
        [],
      );
  return {
    ...nothingElse(request),
    target: { messageId: null, stop: null, words: 'after the last turn' },
    turns: [],
    messages: point?.messages.length ?? 0,
    sideEffects: [],
    notes: await notesFor(situation, true, scoped.paths.size > 0),
    refusal: await refusalOf(situation, isReason(found) ? found : null, scoped.paths.size > 0),
    scoped,
    conversation: { how: 'append' },
    covers: undone?.covers ?? [],
    takes: undone ? [undone] : [],
  };
}
