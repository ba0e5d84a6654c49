import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { RecallShown } from '../../shared/plan.ts';
import type { RecallList, RecallOffer } from '../threads/source.ts';
import { lastStop, messagesAfter, sideEffectsOf, stopWords, turnsOf } from './covered.ts';
import { dropRefusal, logRefusal, notIdle, occupied, workspaceRefusal } from './gate.ts';
import { intendUnrevert } from './intend-back.ts';
import type { Intention, MessagesIntention } from './intention.ts';
import { notesFor } from './notes.ts';
import { type Pending, pendingOf } from './pending-recall.ts';
import { recallerOf } from './recall-log.ts';
import type { Situation } from './situation.ts';
import type { TravelRequest } from './travel-context.ts';

/** Why a recall that the gate lets through cannot be made all the same. */
async function refusalOf(situation: Situation, request: TravelRequest, offer: RecallOffer): Promise<Reason | null> {
  const { scope } = request;
  const restores = scope !== 'messages' && offer.lists.length > 0;
  if (scope === 'files' && offer.refusal === null && !restores) return reason('NO_FILES_AFTER');
  const log = scope === 'files' ? null : await logRefusal(situation);
  if (log !== null || offer.refusal !== null) return log ?? offer.refusal;
  const appends = scope !== 'files' && recallerOf(situation.context.thread).stepIsOpen();
  if (appends && offer.live !== null) return reason('LOG_LIVE', { sign: offer.live });
  return restores ? workspaceRefusal(situation) : null;
}

/** The turns whose files a recall of ours may have put back before. */
function turnsBack({ records, thread }: Situation): Set<number> {
  const covered = new Set(records.filter((record) => record.kind === 'recall').flatMap((record) => record.covers));
  return new Set(thread.steps.flatMap((step) => (covered.has(step.id) ? (step.turn ?? []) : [])));
}

const changedIn = (lists: readonly RecallList[]): RecallShown['changed'] =>
  lists.flatMap(({ turn, files }) => files.map((file) => ({ turn, ...file })));

type Shape = Pick<Intention, 'refusal' | 'conversation' | 'notes'> & {
  stop: number;
  offer: RecallOffer | null;
  lists: RecallList[] | null;
};

function intentionOf(situation: Situation, request: TravelRequest, shape: Shape): Intention {
  const { thread } = situation;
  const { stop, offer, lists, refusal, conversation, notes } = shape;
  const covered = offer === null ? messagesAfter(thread, stop) : offer.rows.flatMap((at) => thread.messages[at] ?? []);
  const stops = new Set(covered.flatMap((message) => message.stop ?? []));
  const log = conversation.how === 'recall' ? 'appended' : conversation.how === 'pending' ? 'pending' : 'none';
  return {
    request: { ...request, kind: 'recall' },
    target: {
      messageId: thread.messages.find((message) => message.stop === stop)?.id ?? null,
      stop,
      words: stopWords(thread, stop),
    },
    turns: offer?.turns ?? turnsOf(covered),
    messages: request.scope === 'files' ? 0 : covered.length,
    sideEffects: offer?.sideEffects ?? sideEffectsOf(covered),
    notes,
    refusal,
    scoped: null,
    conversation,
    covers: thread.steps.filter((step) => step.stop !== null && stops.has(step.stop)).map((step) => step.id),
    supersedes: null,
    standingFrom: null,
    ended: null,
    listed: null,
    base: null,
    takes: [],
    ...(offer && { recall: { shown: { text: offer.text, log, changed: changedIn(offer.lists) }, lists, mayBeBack: turnsBack(situation) } }),
  };
}

/**
 * Taking back a prompt and all that follows it, where the agent calls that a recall (formats/dsh.md 6 and 7). In an open step it
 * takes effect at once; between steps it is planned. Asking again for what is planned carries it out when the log can take it.
 * Throws UNKNOWN_MESSAGE for a stop that the thread does not have.
 */
export async function intendRecall(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread, context, pending } = situation;
  const { stop, scope } = request;
  if (stop === null || !Number.isInteger(stop) || stop < 0 || stop > lastStop(thread)) {
    throw new TurnbackError('UNKNOWN_MESSAGE', { id: `stop:${stop}` });
  }
  const common = notIdle(situation) ?? (await occupied(situation));
  if (pending?.offer?.stop === stop && scope !== 'files') return intendPlanned(situation, request, pending, pending.offer, common);
  const recall = recallerOf(context.thread);
  const found = await recall.offer(stop);
  if ('code' in found) {
    const nothing = { stop, offer: null, lists: null, conversation: { how: 'none' }, notes: [] } as const;
    return intentionOf(situation, request, { ...nothing, refusal: common ?? found, notes: [] });
  }
  const refusal = common ?? (await refusalOf(situation, request, found));
  const restores = scope !== 'messages' && found.lists.length > 0;
  const conversation: MessagesIntention =
    scope === 'files'
      ? { how: 'none' }
      : recall.stepIsOpen()
        ? { how: 'recall', span: found.span }
        : { how: 'pending', after: (entry, at) => pendingOf(thread, found.span, entry, at) };
  const notes = await notesFor(situation, false, restores);
  if (refusal === null && conversation.how !== 'none') notes.push(...recallNotes(conversation, pending));
  return intentionOf(situation, request, {
    stop,
    offer: found,
    lists: refusal === null && restores ? found.lists : null,
    refusal,
    conversation,
    notes,
  });
}

/** What a recall means beyond its list: when it takes effect, what it ends, that it is for good. */
function recallNotes({ how }: MessagesIntention, pending: Pending | null): string[] {
  const notes = [reason(how === 'pending' ? 'COLD_AT_TURN_BOUNDARY' : 'RECALL_FINAL').message];
  if (pending?.state === 'stale') notes.push(reason('STALE_PENDING').message);
  else if (pending !== null) notes.push('The recall that was planned before is dropped: this one takes its place.');
  return notes;
}

/** The recall that is planned, asked for again: carried out as it was planned, or still waiting. Its gate was passed then. */
async function intendPlanned(
  situation: Situation,
  request: TravelRequest,
  pending: Pending,
  offer: RecallOffer,
  common: Reason | null,
): Promise<Intention> {
  const refusal = common ?? (await logRefusal(situation)) ?? (pending.state === 'ready' ? null : reason('RECALL_PLANNED'));
  const notes = [reason('RECALL_FINAL').message];
  const conversation: MessagesIntention = { how: 'recall', span: pending.span };
  return intentionOf(situation, request, { stop: offer.stop, offer, lists: null, refusal, conversation, notes });
}

/** Dropping a planned recall: its messages are shown again, its files come back as they were; the agent's log is not touched. */
export async function intendDrop(situation: Situation, request: TravelRequest): Promise<Intention> {
  const back = await intendUnrevert(situation, request);
  const withFiles = (back.scoped?.paths.size ?? 0) > 0;
  return {
    ...back,
    refusal: await dropRefusal(situation, withFiles),
    conversation: request.scope === 'files' ? { how: 'none' } : { how: 'pending', after: () => null },
  };
}
