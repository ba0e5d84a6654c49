/** One record of a log, plain JSON (formats/tanstack.md 3). */
export interface LogRecord {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A model message as the transcript holds it (formats/tanstack.md 3.2). Fields that are not named here are kept. */
export interface Message {
  id?: string;
  role: 'user' | 'assistant' | 'tool';
  content: unknown;
  createdAt?: string;
  toolCalls?: MessageCall[];
  toolCallId?: string;
  error?: string;
  thinking?: { content: string; signature?: string }[];
  metadata?: Record<string, unknown>;
}

export interface MessageCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A saved model step (formats/tanstack.md 10.1). */
export interface StepRecord {
  from: string;
  to: string;
  files: string[];
  toolCallIds: string[];
}

export interface RevertState {
  messageId: string;
  files?: { now: string; files: string[] };
}

/** Log records as the harness writes them, one function each. */
export const records = {
  event: (operationId: string, event: Record<string, unknown>, timestamp: number): LogRecord => ({
    type: 'harness.event',
    operationId,
    event: { ...event, timestamp },
  }),
  custom: (operationId: string, name: string, value: unknown, timestamp: number): LogRecord => ({
    type: 'harness.event',
    operationId,
    event: { type: 'CUSTOM', name, value, timestamp },
  }),
  transcript: (keep: number, add: readonly unknown[]): LogRecord => ({ type: 'harness.transcript', keep, add }),
  step: (step: StepRecord): LogRecord => ({ type: 'tanstack/snapshots:step', ...step }),
  revert: (revert: RevertState | null): LogRecord => ({ type: 'harness.revert', revert }),
};

/** The revert's own record and the event that views follow: always together (formats/tanstack.md 12.2). */
export function revertRecords(revert: RevertState | null, at: number): LogRecord[] {
  return [records.revert(revert), records.custom('session', 'harness.revert', { messageId: revert?.messageId ?? null }, at)];
}
