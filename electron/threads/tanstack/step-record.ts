import { type JsonObject, type RecordAt, textField, textsField } from './record.ts';
import type { TurnState } from './turn-state.ts';

/** What the snapshots plugin wrote for a model step that changed files (`formats/tanstack.md`, step records). */
export interface StepRecord {
  /** Position in the log; 0 and below for steps of a host without a log, which come before. */
  readonly seq: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly files: string[] | null;
  /** Null in the first version of the plugin: no message owns the step, and a revert ignores it. */
  readonly toolCallIds: string[] | null;
  /** All four fields are there; a revert and an undo ignore a record that lacks one. */
  readonly whole: boolean;
  readonly turn: TurnState | null;
  readonly at: number | null;
}

const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function treeField(record: JsonObject, key: string): string | null {
  const text = textField(record, key);
  return text !== null && TREE.test(text) ? text : null;
}

export function stepRecord(record: JsonObject, at: RecordAt, turn: TurnState | null, time: number | null): StepRecord {
  const files = textsField(record, 'files');
  const toolCallIds = textsField(record, 'toolCallIds');
  const named = textField(record, 'from') !== null && textField(record, 'to') !== null;
  const whole = named && files !== null && toolCallIds !== null;
  return { seq: at.seq, from: treeField(record, 'from'), to: treeField(record, 'to'), files, toolCallIds, whole, turn, at: time };
}
