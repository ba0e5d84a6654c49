import { setImmediate as breathe } from 'node:timers/promises';
import { type Reason, reason } from '../../../shared/errors.ts';
import type { Can, HiddenReason, Message, Standing, Thread, ThreadHead, ThreadStatus, ToolCall, Turn } from '../../../shared/model.ts';
import type { LogFold } from './log-fold.ts';
import type { Entry } from './message-entry.ts';
import { nameRows } from './name-rows.ts';
import { firstOf } from './record.ts';
import { gapsOf, type RowFacts, type StepRow, stepRows } from './step-model.ts';
import type { ThreadFold } from './thread-fold.ts';
import { toolCalls } from './tool-model.ts';
import { type TurnState, turnId, turnStatus } from './turn-state.ts';

const TITLE = 120;
/** Milliseconds after which other work gets its turn. */
const SLICE = 20;

/** A thread with the ways back from what is shown to where it lies. */
export interface ThreadModel {
  thread: Thread;
  /** Row id -> row. */
  rows: ReadonlyMap<string, Entry>;
  /** The calls of each row. */
  calls: ReadonlyMap<Entry, readonly ToolCall[]>;
}

export interface ModelContext {
  head: ThreadHead;
  /** What the store around the log adds: leases, interrupts, the age of the log. */
  status: ThreadStatus;
  notices: readonly Reason[];
  /** Questions that wait for a person: id -> the tool call it is about. */
  interrupts: ReadonlyMap<string, string | null>;
}

type Hidden = { reason: HiddenReason } | null;

function standingOf(fold: ThreadFold): Standing | null {
  const { revert, transcript } = fold;
  if (revert === null) return null;
  const files = revert.files?.files ?? (revert.unknownFiles ? null : []);
  const hidden = transcript.live.length - fold.visible;
  return { messageId: revert.messageId, stop: fold.visible, hidden, files, now: revert.files?.now ?? null };
}

const STOP_DROPPED = reason('STOP_DROPPED');
const STOP_WITHOUT_ID = reason('STOP_WITHOUT_ID');

function canStand(entry: Entry): Can {
  if (entry.stop === null) return STOP_DROPPED;
  return entry.content.id === entry.shown ? true : STOP_WITHOUT_ID;
}

/** The step that a message belongs to: its own, or for a tool's answer that of the call. */
function stepIds(steps: readonly StepRow[]): (entry: Entry) => string | null {
  const byOwner = new Map<Entry, string>();
  const byCall = new Map<string, string>();
  for (const { step, owner } of steps) {
    if (owner !== null && !byOwner.has(owner)) byOwner.set(owner, step.id);
    for (const call of step.toolCallIds) byCall.set(call, step.id);
  }
  return (entry) => byOwner.get(entry) ?? byCall.get(entry.content.toolCallId ?? '') ?? null;
}

function messagesOf(fold: ThreadFold, facts: RowFacts, steps: readonly StepRow[]): Message[] {
  const stepOf = stepIds(steps);
  return fold.transcript.rows.map((entry) => {
    const { content } = entry;
    return {
      stop: entry.stop,
      id: entry.shown,
      role: content.role,
      turn: entry.turn?.index ?? null,
      step: entry.raw === null ? stepOf(entry) : null,
      at: content.at,
      excerpt: content.excerpt,
      bytes: content.bytes,
      images: content.images,
      thinking: content.thinking,
      tools: [...(facts.calls.get(entry) ?? [])],
      hidden: facts.hidden(entry),
      divider: entry.divider,
      canStand: canStand(entry),
    };
  });
}

/** Where the messages of each turn lie, and why a turn without any left has none. */
function turnsOf(fold: ThreadFold, facts: RowFacts, steps: readonly StepRow[]): Turn[] {
  const spans = new Map<TurnState, { first: number; last: number; hidden: Hidden }>();
  const dropped = new Map<TurnState, Hidden>();
  for (const entry of fold.transcript.rows) {
    if (entry.turn === null || entry.raw !== null) continue;
    const { stop } = entry;
    if (stop === null) {
      if (!dropped.has(entry.turn)) dropped.set(entry.turn, facts.hidden(entry));
      continue;
    }
    const span = spans.get(entry.turn);
    if (span === undefined) spans.set(entry.turn, { first: stop, last: stop, hidden: facts.hidden(entry) });
    else spans.set(entry.turn, { first: Math.min(span.first, stop), last: Math.max(span.last, stop), hidden: span.hidden });
  }
  const stepsOf = Map.groupBy(steps, (row) => row.step.turn);
  return fold.turns.all.map((turn) => {
    const span = spans.get(turn);
    const empty = dropped.has(turn) ? null : Math.min(turn.before, fold.transcript.live.length);
    return {
      index: turn.index,
      id: turnId(turn),
      prompt: turn.prompt,
      startedAt: turn.startedAt,
      status: turnStatus(turn, turn === fold.turns.all.at(-1)),
      steps: (stepsOf.get(turn.index) ?? []).map((row) => row.step.id),
      firstStop: span === undefined ? empty : span.first - 1,
      lastStop: span === undefined ? empty : span.last,
      hidden: span === undefined ? (dropped.get(turn) ?? null) : span.hidden,
    };
  });
}

/** The first words of the first prompt, on one line. */
export function titleOf(fold: ThreadFold): string | null {
  const first = fold.transcript.rows.find((entry) => entry.content.role === 'user' && !entry.content.reset && entry.raw === null);
  const words = first?.content.excerpt.replace(/\s+/g, ' ').trim() ?? '';
  return words === '' ? null : firstOf(words, TITLE);
}

/** Before anything was read. */
export function emptyModel(head: ThreadHead): ThreadModel {
  const lists = { turns: [], steps: [], messages: [], gaps: [], bad: [], notices: [] };
  return { thread: { head, status: 'unknown', standing: null, ...lists, keeps: 'log' }, rows: new Map(), calls: new Map() };
}

/** Lets other work of the process have its turn when one part after the other has taken its time. */
function pauses(): () => Promise<void> {
  let until = performance.now() + SLICE;
  return async () => {
    if (performance.now() <= until) return;
    await breathe();
    until = performance.now() + SLICE;
  };
}

/** The folded log as the thread that people see (`formats/tanstack.md`, derived views). The fold must not change meanwhile. */
export async function threadModel(log: LogFold, context: ModelContext): Promise<ThreadModel> {
  const pause = pauses();
  const fold = log.thread;
  const { live, rows } = fold.transcript;
  const byId = nameRows(rows, live);
  await pause();
  const waiting = new Set(context.interrupts.values());
  const calls = new Map<Entry, ToolCall[]>();
  for (const entry of rows) if (entry.content.calls.length > 0) calls.set(entry, toolCalls(fold, entry, waiting));
  await pause();
  const { visible } = fold;
  const hidden = (entry: Entry): Hidden => {
    if (entry.gone !== null) return { reason: entry.gone };
    return (entry.stop ?? 0) > visible ? { reason: 'reverted' } : null;
  };
  const facts: RowFacts = { calls, hidden };
  const steps = stepRows(fold, facts);
  await pause();
  const messages = messagesOf(fold, facts, steps);
  await pause();
  const thread: Thread = {
    head: context.head,
    status: context.status,
    standing: standingOf(fold),
    turns: turnsOf(fold, facts, steps),
    steps: steps.map((row) => row.step),
    messages,
    gaps: gapsOf(fold, steps),
    bad: log.bad,
    notices: [...context.notices],
    keeps: 'log',
  };
  return { thread, rows: byId, calls };
}
