import { TurnbackError } from '../../shared/errors.ts';
import { Attribution, type Snapshots } from './attribution.ts';
import type { Core } from './core.ts';
import { fileChanges } from './file-changes.ts';
import { type FileChange, FileChanged } from './recorder-events.ts';
import { type Message, records, type StepRecord } from './records.ts';
import { reportedPath, reports } from './reporting.ts';
import { absolutePath } from './repository.ts';

/** What the model said in one call. */
export interface ModelMessage {
  /** Given by the model's own protocol, or made here. */
  id?: string;
  content?: string | readonly unknown[] | null;
  thinking?: readonly { content: string; signature?: string }[];
  toolCalls?: readonly { id: string; name: string; arguments: unknown }[];
  /** The model's name and token counts; recorded as `harness.usage`. */
  usage?: {
    model: string;
    promptTokens: number;
    completionTokens: number;
    totalTokens: number;
    cachedTokens?: number;
    cacheWriteTokens?: number;
  };
}

interface Call {
  name: string;
  reporting: boolean;
  state: 'asked' | 'running' | 'done';
  result: Message | null;
}

/** What a turn gives to its steps and gets back. */
export interface StepOwner {
  readonly operationId: string;
  readonly steps: StepRecord[];
  /** A step before whose snapshot at the end failed; the next one takes it over. */
  carried: Attribution | null;
  /** Changes of the turn are in no step, and never will be. */
  lost: boolean;
  /** Called when the step's messages are in the log. */
  stepEnded(step: Step): Promise<void>;
}

/** One model call and the tool calls it makes. */
export class Step {
  readonly #core: Core;
  readonly #owner: StepOwner;
  readonly #attribution: Attribution;
  readonly #calls = new Map<string, Call>();
  #ending: Promise<void> | null = null;
  #said = false;

  constructor(core: Core, owner: StepOwner) {
    this.#core = core;
    this.#owner = owner;
    this.#attribution = new Attribution(snapshotsOf(core, owner.operationId), owner.carried);
    owner.carried = null;
  }

  /** Records the assistant's message. Call it before the first tool starts: a revert finds a step by the calls of its message. */
  async assistant(message: ModelMessage): Promise<string> {
    this.#live();
    if (this.#said) throw new TurnbackError('TURN_ENDED');
    this.#said = true;
    const id = message.id ?? this.#core.clock.id('msg');
    const toolCalls = (message.toolCalls ?? []).map((call) => ({
      id: call.id,
      type: 'function' as const,
      function: { name: call.name, arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}) },
    }));
    const now = this.#core.clock.now();
    const recorded: Message = {
      id,
      role: 'assistant',
      content: message.content ?? null,
      createdAt: new Date(now).toISOString(),
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(message.thinking && { thinking: [...message.thinking] }),
    };
    this.#tellMessage(id, recorded);
    await this.#core.append((fold) => [records.transcript(fold.messages.length, [recorded])]);
    for (const call of toolCalls) {
      const reporting = reports(this.#core.reporting, call.function.name);
      this.#calls.set(call.id, { name: call.function.name, reporting, state: 'asked', result: null });
    }
    if (message.usage) {
      const { model, ...usage } = message.usage;
      this.#core.stage({ type: 'harness.usage', model, usage: { cachedTokens: 0, cacheWriteTokens: 0, ...usage } });
    }
    return id;
  }

  /**
   * Right before a tool runs; wait for it, because the snapshot before the tool is taken here. `reports` tells whether this call names
   * the files it changes, where the tool's name does not.
   */
  async toolStarted(callId: string, options: { reports?: boolean } = {}): Promise<void> {
    this.#live();
    const call = this.#call(callId);
    if (call.state !== 'asked') return;
    call.state = 'running';
    call.reporting = options.reports ?? call.reporting;
    await this.#core.append(() => [{ type: 'harness.tool.started', toolCallId: callId, name: call.name, replay: 'never' }]);
    await this.#attribution.started(callId, call.reporting);
  }

  /** Right after a tool ended. `error` marks a call that failed; `content` is what the model gets. */
  async toolResult(callId: string, content: string, options: { error?: string } = {}): Promise<void> {
    this.#live();
    await this.#finish(callId, content, options.error);
  }

  /**
   * A file, or a folder, that a reporting tool changed, was about to change or removed; absolute or relative to the root. With `event`
   * listeners get it at once, as file tools of the harness tell it.
   */
  reportFile(path: string, callId: string, event?: Pick<FileChange, 'change' | 'patch'>): void {
    this.#live();
    this.#call(callId);
    const relative = reportedPath(this.#core.root, path);
    if (relative === null) return;
    this.#attribution.report(relative);
    if (event) this.#core.emitter.emit(FileChanged, { ...event, path: absolutePath(this.#core.root, relative), toolCallId: callId });
  }

  /**
   * Runs one tool call between `toolStarted` and `toolResult`. What the tool returns goes to the model; what it throws is recorded as a
   * failed call and thrown on.
   */
  async tool(callId: string, run: (tool: { report(path: string): void }) => Promise<string> | string): Promise<string> {
    await this.toolStarted(callId);
    try {
      const content = await run({ report: (path) => this.reportFile(path, callId) });
      await this.toolResult(callId, content);
      return content;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await this.toolResult(callId, JSON.stringify({ error: message }), { error: message });
      throw error;
    }
  }

  /** Ends the step: calls without a result are marked as lost, the snapshot is taken, the tool messages are recorded. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    for (const [id, call] of this.#calls) {
      const note = call.state === 'asked' ? 'The call did not run.' : 'The call was interrupted before it ended.';
      if (call.state !== 'done') await this.#finish(id, JSON.stringify({ interrupted: true, note }), note);
    }
    const step = await this.#snapshot();
    const messages = [...this.#calls.values()].flatMap(({ result }) => result ?? []);
    await this.#core.append((fold) => [
      ...(step === null ? [] : [records.step(step)]),
      ...(messages.length === 0 ? [] : [records.transcript(fold.messages.length, messages)]),
    ]);
    if (step !== null) {
      this.#owner.steps.push(step);
      await this.#tellFiles(step);
    }
    await this.#owner.stepEnded(this);
  }

  async #finish(callId: string, content: string, error: string | undefined): Promise<void> {
    const call = this.#call(callId);
    if (call.state === 'done') return;
    const ran = call.state === 'running';
    call.state = 'done';
    call.result = { role: 'tool', toolCallId: callId, content, ...(error !== undefined && { error }) };
    const { result } = call;
    const told = { type: 'TOOL_CALL_RESULT', messageId: `${callId}-result`, toolCallId: callId, content, role: 'tool' };
    const event = records.event(this.#owner.operationId, told, this.#core.clock.now());
    if (ran) await this.#attribution.ended(callId);
    await this.#core.append(() => [{ type: 'harness.tool.result', toolCallId: callId, message: result }, event]);
  }

  async #snapshot(): Promise<StepRecord | null> {
    if (this.#core.repository === null) return null;
    try {
      const step = await this.#attribution.result();
      if (step !== 'failed') return step;
    } catch (error) {
      this.#core.failed(error, this.#owner.operationId);
    }
    if (this.#attribution.canCarry) this.#owner.carried = this.#attribution;
    else this.#owner.lost = true;
    return null;
  }

  async #tellFiles(step: StepRecord): Promise<void> {
    const { repository } = this.#core;
    if (repository === null) return;
    try {
      const listed = new Set(step.files);
      const changes = (await repository.changed(step.from, step.to)).filter(
        ({ path }) => listed.has(path) && !this.#attribution.isReported(path),
      );
      const toolCallId = this.#attribution.onlySilentCall;
      for (const file of await fileChanges(repository, { from: step.from, changes, toolCallId }))
        this.#core.emitter.emit(FileChanged, file);
    } catch (error) {
      this.#core.failed(error, this.#owner.operationId);
    }
  }

  #tellMessage(messageId: string, message: Message): void {
    const tell = (event: Record<string, unknown>): void => this.#core.event(this.#owner.operationId, event);
    for (const { content } of message.thinking ?? []) {
      tell({ type: 'REASONING_MESSAGE_START', messageId: `${messageId}-thinking`, role: 'reasoning' });
      tell({ type: 'REASONING_MESSAGE_CONTENT', messageId: `${messageId}-thinking`, delta: content });
      tell({ type: 'REASONING_MESSAGE_END', messageId: `${messageId}-thinking` });
    }
    if (typeof message.content === 'string' && message.content !== '') {
      tell({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
      tell({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: message.content });
      tell({ type: 'TEXT_MESSAGE_END', messageId });
    }
    for (const call of message.toolCalls ?? []) {
      tell({ type: 'TOOL_CALL_START', toolCallId: call.id, toolCallName: call.function.name, parentMessageId: messageId });
      tell({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: call.function.arguments });
      tell({ type: 'TOOL_CALL_END', toolCallId: call.id });
    }
  }

  #call(callId: string): Call {
    const call = this.#calls.get(callId);
    if (call === undefined) throw new TurnbackError('UNKNOWN_CALL', { id: callId });
    return call;
  }

  #live(): void {
    if (this.#ending !== null) throw new TurnbackError('TURN_ENDED');
  }
}

/** Snapshots for one step; a failure is told and becomes null, so that the turn goes on. */
function snapshotsOf(core: Core, operationId: string): Snapshots {
  const { repository } = core;
  return {
    async track() {
      if (repository === null) return null;
      try {
        return await repository.track();
      } catch (error) {
        core.failed(error, operationId);
        return null;
      }
    },
    async changed(from, to) {
      if (repository === null) return [];
      return (await repository.changed(from, to)).map(({ path }) => path);
    },
  };
}
