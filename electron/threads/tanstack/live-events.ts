import { isObject, type JsonObject, listField, numberField, objectField, textField } from './record.ts';

const TIMED = new Set(['CUSTOM', 'RUN_FINISHED', 'TEXT_MESSAGE_START', 'TOOL_CALL_END', 'TOOL_CALL_RESULT']);

/** What the stored event feed tells about a thread beyond its transcript (`formats/tanstack.md`, events and interrupts). */
export class LiveEvents {
  /** Questions that wait for a person: interrupt id -> the tool call it is about. */
  readonly interrupts = new Map<string, string | null>();
  /** Calls whose result event says that they failed. */
  readonly failed = new Set<string>();
  /** Sub-agents: tool call id -> thread id of the child. */
  readonly children = new Map<string, string>();
  /** The times a snapshot failed: position in the log, and the words of the plugin. */
  readonly snapshotFailures: { seq: number; cause: string }[] = [];
  /** When the last event of those that mark a step was sent. */
  lastAt: number | null = null;
  /** Operations of commands that run: operation id -> name. */
  readonly #commands = new Map<string, string>();
  readonly #callEnds = new Map<string, number>();
  readonly #callTimes = new Map<string, number>();
  readonly #messageStarts = new Map<string, number>();

  commandStarted(operationId: string, name: string): void {
    this.#commands.set(operationId, name);
  }

  commandRuns(name: string): boolean {
    return [...this.#commands.values()].includes(name);
  }

  /** A turn ran: its commands are over, and the starts of its messages are of no use any more. */
  turnStarted(): void {
    this.#commands.clear();
  }

  turnEnded(): void {
    this.#messageStarts.clear();
  }

  /** Milliseconds that a call took, from the end of its arguments to its result. */
  callTime(id: string): number | null {
    return this.#callTimes.get(id) ?? null;
  }

  /** When the text of a message began to arrive; only known until its turn ends. */
  startOf(messageId: string | null): number | null {
    return messageId === null ? null : (this.#messageStarts.get(messageId) ?? null);
  }

  apply(record: JsonObject, seq: number): void {
    const event = objectField(record, 'event');
    if (event === null) return;
    const at = numberField(event, 'timestamp');
    const type = textField(event, 'type') ?? '';
    // Pieces of texts are passed over unread, so they must not count here either.
    if (at !== null && TIMED.has(type)) this.lastAt = at;
    if (type === 'CUSTOM') this.#custom(textField(event, 'name') ?? '', objectField(event, 'value'), seq);
    if (type === 'SUBAGENT_STARTED') this.#child(event);
    // Everything else of a sub-agent is not about this thread's own turn.
    if (textField(event, 'subagentRunId') !== null) return;
    if (type === 'RUN_FINISHED') this.#runFinished(event);
    else if (type === 'TOOL_CALL_END' && at !== null) this.#callEnds.set(textField(event, 'toolCallId') ?? '', at);
    else if (type === 'TOOL_CALL_RESULT') this.#callResult(event, at);
    else if (type === 'TEXT_MESSAGE_START' && at !== null) this.#messageStarts.set(textField(event, 'messageId') ?? '', at);
  }

  #custom(name: string, value: JsonObject | null, seq: number): void {
    if (value === null) return;
    if (name === 'harness.operation.finished') this.#commands.delete(textField(value, 'operationId') ?? '');
    if (name === 'harness.plugin.event') this.#pluginEvent(value, seq);
  }

  #pluginEvent(value: JsonObject, seq: number): void {
    const name = `${textField(value, 'plugin') ?? ''} ${textField(value, 'name') ?? ''}`;
    if (!name.includes('tanstack/snapshots') || !name.endsWith('failed')) return;
    const said = objectField(value, 'value');
    const cause = textField(value, 'value') ?? (said && (textField(said, 'message') ?? textField(said, 'error'))) ?? 'the snapshot failed';
    this.snapshotFailures.push({ seq, cause });
  }

  #child(event: JsonObject): void {
    const call = textField(event, 'toolCallId') ?? textField(event, 'parentToolCallId');
    const run = textField(event, 'subagentRunId');
    if (call !== null && run !== null) this.children.set(call, textField(event, 'threadId') ?? `subagent:${run}`);
  }

  #runFinished(event: JsonObject): void {
    const outcome = objectField(event, 'outcome');
    this.interrupts.clear();
    if (outcome === null || textField(outcome, 'type') !== 'interrupt') return;
    for (const interrupt of listField(outcome, 'interrupts')) {
      if (!isObject(interrupt)) continue;
      this.interrupts.set(textField(interrupt, 'id') ?? '', textField(interrupt, 'toolCallId'));
    }
  }

  #callResult(event: JsonObject, at: number | null): void {
    const call = textField(event, 'toolCallId') ?? '';
    const metadata = objectField(event, 'metadata');
    const state = textField(event, 'state') ?? (metadata && textField(metadata, 'state')) ?? '';
    if (state === 'output-error') this.failed.add(call);
    const begun = this.#callEnds.get(call);
    if (begun !== undefined && at !== null && at >= begun) this.#callTimes.set(call, at - begun);
    this.#callEnds.delete(call);
    if (state.includes('cancel')) return;
    for (const [id, about] of this.interrupts) if (about === call) this.interrupts.delete(id);
  }
}
