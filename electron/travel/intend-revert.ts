import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { type Scoped, scopeOfRevert, scopeOfSources, stepsAfter } from './chains.ts';
import { lastStop, messagesAfter, sideEffectsOf, stopWords, turnsOf } from './covered.ts';
import { logRefusal, notIdle, occupied, standRefusal, workspaceRefusal } from './gate.ts';
import type { Intention, MessagesIntention } from './intention.ts';
import { notesFor } from './notes.ts';
import type { Situation } from './situation.ts';
import { type ChangeSource, standingSource, stepSource, travelSources } from './sources-of-change.ts';
import type { TravelRequest } from './travel-context.ts';

/** The sources that the standing revert is made of, and those that the agent's own one would leave behind once ended. */
export function standingSources(situation: Situation): { own: ChangeSource[]; agents: ChangeSource | null } {
  const { standing, thread, records, context } = situation;
  if (standing?.by === 'us') {
    const entries = new Set(standing.stack.map((record) => record.entry));
    const own = travelSources(thread, records).filter(({ record }) => entries.has(record.entry));
    return { own: own.flatMap(({ sources }) => sources), agents: null };
  }
  if (standing?.by !== 'agent' || standing.now === null || standing.target === null) return { own: [], agents: null };
  const { now, target, files } = standing;
  return { own: [], agents: standingSource(thread, { now, target, files }, records, context.thread.objects) };
}

function merged(one: Scoped, other: Scoped): Scoped {
  const paths = new Map(one.paths);
  for (const [path, position] of other.paths) paths.set(path, Math.min(position, paths.get(path) ?? Number.POSITIVE_INFINITY));
  const sources = [...one.sources];
  for (const source of other.sources) {
    // Travels are made into sources anew each time, so they are told apart by their place.
    if (!sources.some((known) => known.position === source.position)) sources.push(source);
  }
  return { paths, sources };
}

async function refusalOf(situation: Situation, stop: number, request: TravelRequest, touchesFiles: boolean): Promise<Reason | null> {
  const { thread, standing } = situation;
  const common = notIdle(situation) ?? (await occupied(situation));
  if (common) return common;
  if (standing?.by === 'other') return reason('REVERT_STANDS');
  if (messagesAfter(thread, stop).length === 0) return reason('NOTHING_AFTER');
  if (request.scope !== 'files') {
    const conversation = standRefusal(thread, stop) ?? (await logRefusal(situation));
    if (conversation) return conversation;
  }
  return request.scope !== 'messages' && touchesFiles ? workspaceRefusal(situation) : null;
}

/** The first of the steps whose changes nobody knows, not even by name: that a plan has none of its files says nothing then. */
function unknownStep(thread: Thread, steps: readonly Step[]): Reason | null {
  for (const step of steps) {
    const { index, captured } = step;
    if (captured === null || captured === true || stepSource(thread, step, null).paths.size > 0) continue;
    return reason('NOT_CAPTURED', { step: index, cause: captured.message.replace(/\.$/, '') });
  }
  return null;
}

function conversationOf(situation: Situation, stop: number, messageId: string | null): MessagesIntention {
  const { thread, overlay } = situation;
  if (thread.keeps === 'log') return { how: 'append' };
  const lastMessageId = thread.messages.at(-1)?.id ?? '';
  return { how: 'overlay', after: (entry, at) => ({ ...overlay, standing: { messageId, lastMessageId, stop, entry, at } }) };
}

function messageAt(thread: Thread, stop: number): string | null {
  return thread.messages.find((message) => message.stop === stop)?.id ?? null;
}

/** A revert to a stop. Throws UNKNOWN_MESSAGE for a stop that the thread does not have. */
export async function intendRevert(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread, records, standing, context } = situation;
  const { stop, scope } = request;
  if (stop === null || !Number.isInteger(stop) || stop < 0 || stop > lastStop(thread)) {
    throw new TurnbackError('UNKNOWN_MESSAGE', { id: `stop:${stop}` });
  }
  const covered = messagesAfter(thread, stop);
  const steps = stepsAfter(thread, stop);
  const { own, agents } = standingSources(situation);
  const extra = agents === null ? [] : [agents];
  const back = scopeOfSources([...own, ...extra], []);
  const revert = scopeOfRevert(thread, stop, { records, which: 'of these steps' }, extra, context.thread.objects);
  const scoped = scope === 'messages' ? null : merged(revert, back);
  const messageId = messageAt(thread, stop);
  const touchesFiles = (scoped?.paths.size ?? 0) > 0;
  const unknown = scope === 'messages' ? null : unknownStep(thread, steps);
  const refusal = (await refusalOf(situation, stop, request, touchesFiles)) ?? (scope === 'files' && !touchesFiles ? unknown : null);
  const notes = await notesFor(situation, scope !== 'files', scope !== 'messages' && revert.paths.size > 0);
  if (unknown !== null && refusal !== unknown) notes.push(`What it changed stays as it is: ${unknown.message}`);
  if (standing !== null && scope !== 'files')
    notes.push('The revert that stands ends first: what it hid comes back before this one is made.');
  const standingFrom = [...own, ...extra].reduce<number | null>((low, source) => Math.min(low ?? source.position, source.position), null);
  const listed: TreePath[] = [...revert.paths.keys()];
  return {
    request,
    target: { messageId, stop, words: stopWords(thread, stop) },
    turns: turnsOf(covered),
    messages: scope === 'files' ? 0 : covered.length,
    sideEffects: sideEffectsOf(covered),
    notes,
    refusal,
    scoped,
    conversation: scope === 'files' ? { how: 'none' } : conversationOf(situation, stop, messageId),
    covers: scope === 'files' ? [] : steps.map((step) => step.id),
    supersedes: scope !== 'files' && standing?.by === 'us' ? (standing.stack[0]?.entry ?? null) : null,
    standingFrom,
    ended: scope === 'files' || agents === null ? null : scopeOfSources([agents], []),
    listed: scope === 'messages' || listed.length === 0 ? null : listed,
    base:
      standing?.by === 'agent' && standing.now !== null ? standing.now : (thread.steps.findLast((step) => step.to !== null)?.to ?? null),
    takes: [],
  };
}
