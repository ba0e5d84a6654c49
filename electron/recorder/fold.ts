import { TurnbackError } from '../../shared/errors.ts';
import { CHAT_OPERATIONS, foldUndoPoint, type UndoPoint } from '../../shared/undo-point.ts';
import type { LogRecord, Message, RevertState, StepRecord } from './records.ts';

/** An input of the thread and how far it is. */
export interface FoldedInput {
  inputId: string;
  op: string;
  message: unknown;
  status: 'pending' | 'applied' | 'joined' | 'rejected' | 'settled';
  operationId: string | null;
}

const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

/**
 * What the records of one thread add up to (formats/tanstack.md 6): pure, the same records give the same state.
 * Records of other threads in a shared log are passed over.
 */
export class ThreadFold {
  readonly threadId: string;
  /** The whole transcript, with what a standing revert hides. */
  messages: Message[] = [];
  readonly inputs = new Map<string, FoldedInput>();
  readonly steps: StepRecord[] = [];
  /** Those since the last turn began. */
  turnSteps: StepRecord[] = [];
  readonly started = new Set<string>();
  readonly toolResults = new Map<string, Message>();
  revert: RevertState | null = null;
  undoPoint: UndoPoint | null = null;
  /** Our first record, when there is one. */
  workspace: LogRecord | null = null;
  records = 0;

  constructor(threadId: string) {
    this.threadId = threadId;
  }

  add(record: LogRecord): void {
    this.records += 1;
    const thread = record['thread'];
    if (typeof thread === 'string' && thread !== this.threadId) return;
    this.undoPoint = foldUndoPoint(this.undoPoint, record, (id) => CHAT_OPERATIONS.includes(this.inputs.get(id)?.op ?? ''));
    switch (record.type) {
      case 'harness.transcript':
        this.#transcript(record);
        return;
      case 'harness.revert':
        this.#revert(record['revert']);
        return;
      case 'harness.tool.started':
        this.started.add(String(record['toolCallId']));
        return;
      case 'harness.tool.result':
        if (typeof record['toolCallId'] === 'string') this.toolResults.set(record['toolCallId'], record['message'] as Message);
        return;
      case 'tanstack/snapshots:step':
        this.#step(record);
        return;
      case 'turnback/workspace':
      case 'turnback/workspace-elsewhere':
        this.workspace ??= record;
        return;
      default:
        if (record.type.startsWith('harness.input')) this.#input(record);
    }
  }

  /** The messages that are part of the conversation now. */
  visible(): Message[] {
    const at = this.revert === null ? -1 : this.indexOf(this.revert.messageId);
    return at < 0 ? this.messages : this.messages.slice(0, at + 1);
  }

  /** Where a message is in the whole transcript, -1 when it is not there. */
  indexOf(messageId: string): number {
    return this.messages.findIndex((message) => message.id === messageId);
  }

  /** Chat inputs that neither settled, joined another one, nor were rejected. */
  openTurns(): FoldedInput[] {
    return [...this.inputs.values()].filter(
      (input) => CHAT_OPERATIONS.includes(input.op) && (input.status === 'pending' || input.status === 'applied'),
    );
  }

  #transcript(record: LogRecord): void {
    const { keep, add } = record;
    if (typeof keep !== 'number' || !Number.isInteger(keep) || keep < 0 || keep > this.messages.length || !Array.isArray(add))
      throw new TurnbackError('LOG_NOT_UNDERSTOOD', { what: `record ${this.records}: a transcript that does not fit` });
    this.messages = [...this.messages.slice(0, keep), ...(add as Message[])];
  }

  #revert(value: unknown): void {
    if (value === null || typeof value !== 'object') {
      this.revert = null;
      return;
    }
    const { messageId, files } = value as { messageId?: unknown; files?: { now?: unknown; files?: unknown } };
    if (typeof messageId !== 'string') return;
    const known = typeof files?.now === 'string' && isStrings(files.files) ? { files: { now: files.now, files: files.files } } : {};
    this.revert = { messageId, ...known };
  }

  #step({ from, to, files, toolCallIds }: LogRecord): void {
    if (typeof from !== 'string' || typeof to !== 'string' || !isStrings(files) || !isStrings(toolCallIds)) return;
    const step = { from, to, files, toolCallIds };
    this.steps.push(step);
    this.turnSteps.push(step);
  }

  #input(record: LogRecord): void {
    const inputId = record['inputId'];
    if (typeof inputId !== 'string') return;
    const known = this.inputs.get(inputId);
    if (record.type === 'harness.input') {
      const input = (record['input'] ?? {}) as { op?: unknown; message?: unknown };
      if (!known) this.inputs.set(inputId, { inputId, op: String(input.op), message: input.message, status: 'pending', operationId: null });
      return;
    }
    if (!known) return;
    switch (record.type) {
      case 'harness.input.applied':
        if (CHAT_OPERATIONS.includes(known.op)) this.turnSteps = [];
        known.status = 'applied';
        known.operationId = typeof record['operationId'] === 'string' ? record['operationId'] : null;
        return;
      case 'harness.input.joined':
        known.status = 'joined';
        return;
      case 'harness.input.rejected':
        known.status = 'rejected';
        return;
      case 'harness.input.settled':
        known.status = 'settled';
        return;
      default:
        return;
    }
  }
}
