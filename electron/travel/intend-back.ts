import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import { type Scoped, scopeOfSources } from './chains.ts';
import { messagesAfter, stopWords, turnsOf } from './covered.ts';
import { logRefusal, notIdle, occupied, standingRefusal, workspaceRefusal } from './gate.ts';
import { cleanedUp, readHistory } from './history-file.ts';
import { standingSources } from './intend-revert.ts';
import type { Intention, MessagesIntention } from './intention.ts';
import { notesFor } from './notes.ts';
import type { TravelRecord } from './record.ts';
import type { Situation } from './situation.ts';
import { type ChangeSource, travelSources } from './sources-of-change.ts';
import type { TravelRequest } from './travel-context.ts';

/** All travels of the thread as sources: whatever lies above what is taken back goes with it. */
function travelsOf({ thread, records }: Situation): ChangeSource[] {
  return travelSources(thread, records).flatMap(({ sources }) => sources);
}

function nothingElse(
  request: TravelRequest,
): Pick<Intention, 'request' | 'sideEffects' | 'supersedes' | 'standingFrom' | 'ended' | 'base' | 'listed' | 'takes'> {
  return {
    request,
    sideEffects: [],
    supersedes: null,
    standingFrom: null,
    ended: null,
    base: null,
    listed: null,
    takes: [],
  };
}

function lifted({ thread, overlay }: Situation): MessagesIntention {
  return thread.keeps === 'log' ? { how: 'append' } : { how: 'overlay', after: () => ({ ...overlay, standing: null }) };
}

/** Taking the standing revert back: its files as they were when it started, its messages visible again. */
export async function intendUnrevert(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread } = situation;
  const stop = thread.standing?.stop ?? null;
  const { own, agents } = standingSources(situation);
  const taken = agents === null ? own : [agents];
  const scoped = request.scope === 'messages' ? null : withTravelsAbove(scopeOfSources(taken, []), situation);
  const hidden = stop === null ? [] : messagesAfter(thread, stop);
  const notes = await notesFor(situation, request.scope !== 'files', scoped !== null);
  if (situation.standing?.by === 'us' && situation.standing.stack.length === 0 && situation.pending === null) {
    notes.push('The record of this revert is gone from the history, so its files cannot come back; the messages can.');
  }
  const refusal =
    notIdle(situation) ??
    standingRefusal(situation) ??
    (await occupied(situation)) ??
    (request.scope === 'files' ? null : await logRefusal(situation)) ??
    (scoped !== null && scoped.paths.size > 0 ? workspaceRefusal(situation) : null);
  return {
    ...nothingElse(request),
    target: { messageId: thread.standing?.messageId || null, stop, words: stop === null ? '' : stopWords(thread, stop) },
    turns: turnsOf(hidden),
    messages: request.scope === 'files' ? 0 : (thread.standing?.hidden ?? 0),
    notes,
    refusal,
    scoped,
    conversation: request.scope === 'files' ? { how: 'none' } : lifted(situation),
    covers: thread.steps.filter((step) => step.hidden?.reason === 'reverted').map((step) => step.id),
    takes: situation.standing?.by === 'us' ? situation.standing.stack : [],
  };
}

function withTravelsAbove(scoped: Scoped, situation: Situation): Scoped {
  const sources = [...scoped.sources];
  for (const source of travelsOf(situation)) {
    if (!sources.some((known) => known.position === source.position)) sources.push(source);
  }
  return { paths: scoped.paths, sources };
}

/** Words for the place just before a travel. */
function beforeWords({ kind, target: { words } }: TravelRecord): string {
  return kind === 'partial' ? `before ${words} was brought back` : `before the ${kind} (${words})`;
}

async function cleanedRefusal({ fs, context }: Situation, entry: string): Promise<Reason | null> {
  const line = (await readHistory(fs, context.ownData, context.thread.head.id)).find(({ id }) => id === entry);
  return line?.cleaned === undefined ? null : cleanedUp(line.cleaned);
}

/** Bringing the files of an earlier travel back to how they were before it. Throws UNKNOWN_ENTRY. */
export async function intendRestore(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread, records, overlay } = situation;
  const at = travelSources(thread, records).find(({ record }) => record.entry === request.entry);
  if (at === undefined) throw new TurnbackError('UNKNOWN_ENTRY', { id: request.entry ?? '' });
  const own = at.sources.slice(-1);
  const scoped = withTravelsAbove(scopeOfSources(own, []), situation);
  const lifts = thread.keeps === 'overlay' && overlay.standing?.entry === at.record.entry;
  const refusal: Reason | null =
    notIdle(situation) ??
    (await occupied(situation)) ??
    workspaceRefusal(situation) ??
    (await cleanedRefusal(situation, at.record.entry)) ??
    (at.record.files.length === 0 ? reason('NOTHING_WRITTEN') : null);
  return {
    ...nothingElse(request),
    target: { messageId: null, stop: null, words: beforeWords(at.record) },
    turns: [],
    messages: lifts ? (thread.standing?.hidden ?? 0) : 0,
    notes: await notesFor(situation, false, true),
    refusal,
    scoped,
    conversation: lifts ? lifted(situation) : { how: 'none' },
    covers: [],
    takes: [at.record],
  };
}
