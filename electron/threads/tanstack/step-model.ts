import { reason } from '../../../shared/errors.ts';
import type { Can, Gap, HiddenReason, Step, ToolCall } from '../../../shared/model.ts';
import type { Entry } from './message-entry.ts';
import type { StepRecord } from './step-record.ts';
import type { ThreadFold } from './thread-fold.ts';

/** What the steps need to know about the rows. */
export interface RowFacts {
  stops: ReadonlyMap<Entry, number>;
  calls: ReadonlyMap<Entry, readonly ToolCall[]>;
  hidden: (entry: Entry) => { reason: HiddenReason } | null;
}

export interface StepRow {
  step: Step;
  /** The message that made its calls, dropped or not. */
  owner: Entry | null;
  record: StepRecord | null;
}

interface Draft {
  seq: number;
  owner: Entry | null;
  record: StepRecord | null;
  /** The model call of its message; a second record of a message (tools that ran after an approval) is a step more. */
  own: boolean;
}

/** Which message made a call: the last one of the conversation that names it, else the last dropped one. */
function callOwners(fold: ThreadFold): (ids: readonly string[]) => Entry | null {
  const owners = new Map<string, { entry: Entry; place: number }>();
  const dropped = fold.transcript.rows.filter((entry) => entry.gone !== null);
  for (const [place, entry] of [...dropped, ...fold.transcript.live].entries()) {
    for (const call of entry.content.calls) owners.set(call.id, { entry, place });
  }
  return (ids) => {
    let last: { entry: Entry; place: number } | null = null;
    for (const id of ids) {
      const owner = owners.get(id);
      if (owner && (last === null || owner.place > last.place)) last = owner;
    }
    return last?.entry ?? null;
  };
}

/** One step a model call: an assistant message with the record that names its calls; a record that no message owns stands alone. */
function drafts(fold: ThreadFold): Draft[] {
  const ownerOf = callOwners(fold);
  const byEntry = new Map<Entry, Draft>();
  const all: Draft[] = [];
  for (const entry of fold.transcript.rows) {
    if (entry.raw !== null || entry.head || entry.content.role !== 'assistant') continue;
    const draft: Draft = { seq: entry.seq, owner: entry, record: null, own: true };
    byEntry.set(entry, draft);
    all.push(draft);
  }
  for (const record of fold.steps) {
    const owner = record.whole ? ownerOf(record.toolCallIds ?? []) : null;
    const draft = owner && byEntry.get(owner);
    if (draft && draft.record === null) {
      draft.record = record;
      draft.seq = record.seq;
    } else all.push({ seq: record.seq, owner, record, own: false });
  }
  return all.sort((a, b) => a.seq - b.seq);
}

/** What can be said before the snapshots are asked. Null: they have to be asked. */
function captured(fold: ThreadFold, draft: Draft, next: number, calls: readonly ToolCall[], id: string): Can | null {
  const { record } = draft;
  if (record !== null) return record.from !== null && record.to !== null ? null : reason('TREE_EMPTY');
  const ran = calls.filter((call) => call.status === 'done' || call.status === 'running' || call.status === 'lost');
  const failure = fold.events.snapshotFailures.find((one) => one.seq > draft.seq && one.seq < next);
  if (failure && ran.some((call) => call.wrote === null || call.wrote.length > 0))
    return reason('NOT_CAPTURED', { step: id, cause: failure.cause });
  return ran.some((call) => (call.wrote?.length ?? 0) > 0) ? reason('TREE_EMPTY') : true;
}

function hiddenOf(draft: Draft, facts: RowFacts): { reason: HiddenReason } | null {
  return draft.owner === null ? null : facts.hidden(draft.owner);
}

/** The steps of a thread in the order of the log (`formats/tanstack.md`, model steps and revert algorithm). */
export function stepRows(fold: ThreadFold, facts: RowFacts): StepRow[] {
  const byCall = new Map<string, ToolCall>();
  for (const calls of facts.calls.values()) for (const call of calls) byCall.set(call.id, call);
  const ordered = drafts(fold);
  return ordered.map((draft, index) => {
    const { owner, record } = draft;
    const id = draft.own && owner !== null ? `s${owner.ordinal}` : `r${draft.seq}`;
    const ids = record?.toolCallIds ?? owner?.content.calls.map((call) => call.id) ?? [];
    const calls = ids.flatMap((call) => byCall.get(call) ?? []);
    const known = captured(fold, draft, ordered[index + 1]?.seq ?? Number.POSITIVE_INFINITY, calls, id);
    const times = calls.flatMap((call) => call.durationMs ?? []);
    const step: Step = {
      id,
      index: index + 1,
      turn: (owner?.turn ?? record?.turn)?.index ?? null,
      stop: owner === null ? null : (facts.stops.get(owner) ?? null),
      from: record?.from ?? null,
      to: record?.to ?? null,
      toolCallIds: ids,
      tools: calls.map((call) => call.name),
      listed: record === null ? [] : record.files,
      files: record === null ? [] : null,
      captured: known,
      at: owner?.content.at ?? record?.at ?? null,
      durationMs: times.length > 0 ? Math.max(...times) : null,
      sideEffects: calls.filter((call) => call.sideEffect !== null).length,
      hidden: hiddenOf(draft, facts),
    };
    return { step, owner, record };
  });
}

/** Changes between the snapshots of two steps that no step made. A revert or an undo between them explains what is different. */
export function gapsOf(fold: ThreadFold, rows: readonly StepRow[]): Gap[] {
  const gaps: Gap[] = [];
  let before: { id: string; to: string; seq: number } | null = null;
  for (const { step, record } of rows) {
    if (record === null || step.from === null || step.to === null) continue;
    if (before !== null) {
      const { id, to, seq } = before;
      const jump = fold.jumps.find((one) => one.seq > seq && one.seq < record.seq);
      const until = jump === undefined ? step.from : jump.now;
      if (until !== null && until !== to) gaps.push({ afterStep: id, beforeStep: step.id, from: to, to: until });
    }
    before = { id: step.id, to: step.to, seq: record.seq };
  }
  return gaps;
}
