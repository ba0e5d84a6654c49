import type { ThreadStatus } from '../../../shared/model.ts';
import { INPUT_TYPES, type InputState, Inputs, isChat, startsTurn } from './inputs.ts';
import { LiveEvents } from './live-events.ts';
import { type Entry, outcomeOf, type ToolOutcome } from './message-entry.ts';
import { isObject, type JsonObject, listField, numberField, objectField, type RecordAt, textField, textsField } from './record.ts';
import { type StepRecord, stepRecord } from './step-record.ts';
import { compactionStart, positionOf, Transcript, type TranscriptChange } from './transcript.ts';
import { type TurnState, Turns } from './turn-state.ts';
import { UndoState } from './undo-state.ts';

/** A standing revert: the last `harness.revert` record that is not null (`formats/tanstack.md`, fold rules). */
export interface RevertState {
  messageId: string;
  /** Null when the record has none, or has them in another shape. */
  files: { now: string; files: string[] } | null;
  /** It has files in a shape that the harness ignores too. */
  unknownFiles: boolean;
}

/** The state of one thread, folded record by record. Pure: the same records give the same state. */
export class ThreadFold {
  readonly transcript = new Transcript();
  readonly inputs = new Inputs();
  readonly turns = new Turns();
  readonly events = new LiveEvents();
  readonly undo = new UndoState();
  readonly steps: StepRecord[] = [];
  readonly tools = new Map<string, { started: boolean; outcome: ToolOutcome | null }>();
  readonly notes = new Map<string, string>();
  /** Positions where a revert, an undo or their end changed files, with the tree just before where it is known. */
  readonly jumps: { seq: number; now: string | null }[] = [];
  revert: RevertState | null = null;
  /** A position counted on messages that this fold does not have: the app projects in a way the log does not explain. */
  projected = false;
  /** Harness records whose shape is not the known one. */
  readonly malformed: string[] = [];
  /** What Turnback's own recorder says about the workspace: absolute paths, and the name of the repository in `dataDir`. */
  workspace: { root: string | null; dataDir: string | null; repository: string | null; tenantId: string | null } | null = null;
  /** The same where the recorder's workspace is on another side: the paths are those there. */
  elsewhere: { root: string; dataDir: string; repository: string; tenantId: string | null; backend: string } | null = null;
  /** Turnback's own recorder writes this log: it says itself what can be undone. */
  recorded = false;
  root: string | null;
  #lastOutcome: string | null = null;

  constructor(root: string | null) {
    this.root = root;
  }

  /** Steps of a host without a log come before those of the log (`formats/tanstack.md`, revert algorithm). */
  addEarlierSteps(steps: readonly unknown[]): void {
    for (const [index, step] of steps.entries()) {
      if (!isObject(step)) continue;
      const seq = index - steps.length;
      this.steps.push(stepRecord(step, { seq, ref: { kind: 'row', seq } }, null, null));
    }
  }

  /** Idle, waiting for a person, or at work; whether a process really works on it the log alone cannot tell. */
  get status(): ThreadStatus {
    if (this.inputs.open.length > 0) return 'running';
    return this.events.interrupts.size > 0 || this.#lastOutcome === 'interrupted' ? 'waiting' : 'idle';
  }

  /** The position behind which a standing revert hides messages; all of them when its message is unknown. */
  get visible(): number {
    const at = this.revert === null ? -1 : positionOf(this.transcript.live, this.revert.messageId);
    return at < 0 ? this.transcript.live.length : at + 1;
  }

  /** Folds a record of this thread. Records of an unknown type change nothing but are shown raw. */
  apply(record: JsonObject, at: RecordAt): void {
    const type = textField(record, 'type') ?? 'record without a type';
    if (type === 'harness.event') this.events.apply(record, at.seq);
    else if (type === 'harness.transcript') this.#transcript(record, at);
    else if (INPUT_TYPES.has(type)) this.#input(type, record);
    else if (type === 'harness.revert') this.#revert(record, at);
    else if (type === 'harness.note') this.notes.set(textField(record, 'noteId') ?? '', textField(record, 'note') ?? '');
    else if (type === 'harness.tool.started') this.#tool(textField(record, 'toolCallId') ?? '').started = true;
    else if (type === 'harness.tool.result')
      this.#tool(textField(record, 'toolCallId') ?? '').outcome = outcomeOf(objectField(record, 'message') ?? {});
    else if (!OTHER.has(type)) this.#hostRecord(type, record, at);
  }

  #tool(id: string): { started: boolean; outcome: ToolOutcome | null } {
    const known = this.tools.get(id) ?? { started: false, outcome: null };
    this.tools.set(id, known);
    return known;
  }

  #openTurn(): TurnState | null {
    return this.transcript.live.findLast((entry) => entry.turn !== null)?.turn ?? this.turns.all.at(-1) ?? null;
  }

  #input(type: string, record: JsonObject): void {
    const input = this.inputs.apply(type, record);
    if (input === null) return;
    if (type === 'harness.input.applied') this.#applied(input);
    else if (input.status === 'settled' || input.status === 'joined' || input.status === 'rejected') {
      if (input.status === 'settled' && (isChat(input) || input.op === 'reset')) this.#lastOutcome = input.outcome;
      this.turns.ended(input);
      this.events.turnEnded();
    }
  }

  #applied(input: InputState): void {
    if (input.op === 'command' && input.operationId !== null) this.events.commandStarted(input.operationId, input.name ?? '');
    if (input.op === 'reset') this.#turnStarted(null);
    if (!isChat(input)) return;
    this.#turnStarted(null);
    this.turns.applied(input, this.transcript.live.length, this.#openTurn());
  }

  #turnStarted(by: Entry | null): void {
    this.#lastOutcome = null;
    this.events.turnStarted();
    this.undo.turnStarted();
    this.transcript.forgetBefore(by);
  }

  #transcript(record: JsonObject, at: RecordAt): void {
    const given = numberField(record, 'keep');
    const add = listField(record, 'add').filter(isObject);
    const whole = Array.isArray(record['add']) && add.length === record['add'].length;
    if (!whole || given === null || !Number.isInteger(given) || given < 0) {
      this.malformed.push('harness.transcript');
      return;
    }
    const { live } = this.transcript;
    if (given > live.length) this.projected = true;
    const keep = Math.min(given, live.length);
    const undo = add.length === 0 && live[keep]?.content.role === 'user' && this.events.commandRuns('undo');
    const change = this.transcript.replace(keep, add, at, this.root, undo ? 'undone' : 'dropped');
    this.#changed(change);
    if (this.undo.changed(change, keep, undo, this.steps)) this.jumps.push({ seq: at.seq, now: null });
    this.#keepLastTurn(keep);
    for (const message of add) this.notes.delete(textField(message, 'id') ?? '');
  }

  #changed(change: TranscriptChange): void {
    for (const entry of change.added) {
      const { content } = entry;
      const turns = this.turns.all.length;
      const position = this.transcript.live.lastIndexOf(entry);
      entry.turn = this.turns.turnFor(entry, Math.max(position, 0), this.#turnBefore(position), this.#pendingPrompt());
      if (this.turns.all.length > turns) this.#turnStarted(entry);
      if (content.at === null) content.at = this.#timeOf(entry);
      if (content.toolCallId !== null && content.outcome !== null) this.#tool(content.toolCallId).outcome = content.outcome;
    }
  }

  /** The messages of the last turn are kept whole, so that an undo can write them down without reading the log again. */
  #keepLastTurn(from: number): void {
    const last = this.turns.all.at(-1) ?? null;
    for (const entry of this.transcript.live.slice(from)) if (entry.turn !== last) entry.message = null;
  }

  #turnBefore(position: number): TurnState | null {
    for (let at = position - 1; at >= 0; at -= 1) {
      const turn = this.transcript.live[at]?.turn;
      if (turn) return turn;
    }
    return null;
  }

  /** A prompt that came but was not applied yet: its message may be in the transcript before the record says so. */
  #pendingPrompt(): InputState | null {
    return this.inputs.open.find((input) => startsTurn(input) && input.status === 'pending') ?? null;
  }

  /** A prompt was sent when its input came; the text of an answer began to arrive when the event feed says so. */
  #timeOf(entry: Entry): number | null {
    const { id, role, excerpt } = entry.content;
    if (role !== 'user') return this.events.startOf(id);
    const sent = this.inputs.open.find((input) => isChat(input) && input.prompt === excerpt);
    if (sent) return sent.at;
    const { turn } = entry;
    const first = turn !== null && turn.before === this.transcript.live.lastIndexOf(entry);
    return first ? turn.startedAt : null;
  }

  #revert(record: JsonObject, at: RecordAt): void {
    const revert = objectField(record, 'revert');
    if (!this.setRevert(revert) && record['revert'] !== null) this.malformed.push('harness.revert');
    this.jumps.push({ seq: at.seq, now: this.revert?.files?.now ?? null });
  }

  /** The revert that stands from now on; null or without a message: none. True when one stands. */
  setRevert(revert: JsonObject | null): boolean {
    const messageId = revert && textField(revert, 'messageId');
    if (revert === null || messageId === null) {
      this.revert = null;
      return false;
    }
    const files = objectField(revert, 'files');
    const now = files && textField(files, 'now');
    const paths = files && textsField(files, 'files');
    const known = now !== null && paths !== null;
    this.revert = { messageId, files: known ? { now, files: paths } : null, unknownFiles: !known && Object.hasOwn(revert, 'files') };
    return true;
  }

  #hostRecord(type: string, record: JsonObject, at: RecordAt): void {
    if (type === 'tanstack/snapshots:step') this.steps.push(stepRecord(record, at, this.#stepTurn(), this.events.lastAt));
    else if (type === 'tanstack.compaction') this.#compaction(record, at);
    else if (type === 'turnback/undo-point') this.#undoPoint(record, at);
    else if (type === 'turnback/workspace') this.#workspace(record);
    else if (type === 'turnback/workspace-elsewhere') this.#elsewhere(record);
    else if (!type.startsWith('turnback/')) this.transcript.raw(type, at);
  }

  #stepTurn(): TurnState | null {
    return this.turns.current ?? this.#openTurn();
  }

  #undoPoint(record: JsonObject, at: RecordAt): void {
    if (this.undo.record(record)) this.jumps.push({ seq: at.seq, now: null });
  }

  #workspace(record: JsonObject): void {
    this.recorded = true;
    this.workspace = {
      root: textField(record, 'root'),
      dataDir: textField(record, 'dataDir'),
      repository: textField(record, 'repository'),
      tenantId: textField(record, 'tenantId'),
    };
    this.root ??= this.workspace.root;
  }

  #elsewhere(record: JsonObject): void {
    this.recorded = true;
    const [root, dataDir, repository] = [textField(record, 'root'), textField(record, 'dataDir'), textField(record, 'repository')];
    if (root === null || dataDir === null || repository === null) return;
    const backend = textField(record, 'backend') ?? '';
    this.elsewhere ??= { root, dataDir, repository, tenantId: textField(record, 'tenantId'), backend };
    this.root ??= root;
  }

  #compaction(record: JsonObject, at: RecordAt): void {
    const head = listField(record, 'head');
    const start = compactionStart(record, this.transcript.live);
    if (start === null || !Array.isArray(record['head']) || !head.every(isObject)) {
      this.projected = true;
      return;
    }
    this.transcript.compact(head, start, at, this.root);
  }
}

/** Records of the harness that this fold knows (`formats/tanstack.md`, record catalogue). */
const OTHER = new Set(['harness.tool.step', 'harness.usage', 'harness.turn.retry', 'harness.job']);
const FOLDED = new Set([
  'harness.event',
  'harness.transcript',
  'harness.revert',
  'harness.note',
  'harness.tool.started',
  'harness.tool.result',
]);

/** True for a type of the harness that nothing is known about: whoever wrote it knows more than this fold. */
export function isUnknownHarnessType(type: string): boolean {
  return type.startsWith('harness.') && !FOLDED.has(type) && !OTHER.has(type) && !INPUT_TYPES.has(type);
}
