import { reason } from '../../../shared/errors.ts';
import type { Can, Gap, HiddenReason, Step, ToolCall } from '../../../shared/model.ts';
import type { Entry } from './message-entry.ts';
import type { StepRecord } from './step-record.ts';
import type { ThreadFold } from './thread-fold.ts';

const TREE_EMPTY = reason('TREE_EMPTY');

/** What the steps need to know about the rows. */
export interface RowFacts {
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
  const { live, rows } = fold.transcript;
  const owners = new Map<string, Entry>();
  const own = (entry: Entry): void => {
    for (const call of entry.content.calls) owners.set(call.id, entry);
  };
  if (rows.length !== live.length) for (const entry of rows) if (entry.stop === null) own(entry);
  for (const entry of live) own(entry);
  const later = (a: Entry, b: Entry): boolean => (a.stop ?? 0) > (b.stop ?? 0) || (a.stop === b.stop && a.ordinal > b.ordinal);
  return (ids) => {
    let last: Entry | null = null;
    for (const id of ids) {
      const owner = owners.get(id);
      if (owner && (last === null || later(owner, last))) last = owner;
    }
    return last;
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
  if (record !== null) return record.from !== null && record.to !== null ? null : TREE_EMPTY;
  if (calls.length === 0) return true;
  const ran = calls.filter((call) => call.status === 'done' || call.status === 'running' || call.status === 'lost');
  const failure = fold.events.snapshotFailures.find((one) => one.seq > draft.seq && one.seq < next);
  if (failure && ran.some((call) => call.wrote === null || call.wrote.length > 0))
    return reason('NOT_CAPTURED', { step: id, cause: failure.cause });
  return ran.some((call) => (call.wrote?.length ?? 0) > 0) ? TREE_EMPTY : true;
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
      stop: owner?.stop ?? null,
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
  let before: { id: string; to: string } | null = null;
  let jump = 0;
  for (const { step, record } of rows) {
    if (record === null || step.from === null || step.to === null) continue;
    const since = jump;
    while ((fold.jumps[jump]?.seq ?? Number.POSITIVE_INFINITY) < record.seq) jump += 1;
    if (before !== null) {
      const { id, to } = before;
      const until = since === jump ? step.from : (fold.jumps[since]?.now ?? null);
      if (until !== null && until !== to) gaps.push({ afterStep: id, beforeStep: step.id, from: to, to: until });
    }
    before = { id: step.id, to: step.to };
  }
  return gaps;
}
