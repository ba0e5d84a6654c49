import { TurnbackError } from '../../shared/errors.ts';
import type { Attribution } from './attribution.ts';
import type { Core } from './core.ts';
import type { ThreadFold } from './fold.ts';
import { type LogRecord, type Message, records, revertRecords, type StepRecord } from './records.ts';
import { type ModelMessage, Step, type StepOwner } from './step.ts';
import { undoTrees } from './undo-trees.ts';

/** A prompt: text, or parts as the model takes them. */
export type Prompt = string | readonly unknown[];

export type Outcome = 'completed' | 'failed' | 'aborted';

/** An input that a caller sent, accepted and in the log. */
export interface Accepted {
  inputId: string;
  message: Prompt;
}

/** Records that a caller sent something, and that it was taken. */
export async function accept(core: Core, input: { op: string; [key: string]: unknown }): Promise<string> {
  const inputId = core.clock.id('in');
  await core.append(() => [
    { type: 'harness.input', inputId, input, at: core.clock.now(), ...(core.principal && { principal: core.principal }) },
    records.custom('session', 'harness.input.accepted', { inputId, op: input.op }, core.clock.now()),
  ]);
  return inputId;
}

function userMessage(core: Core, content: Prompt): Message {
  return { id: core.clock.id('msg'), role: 'user', content, createdAt: new Date(core.clock.now()).toISOString() };
}

/** What makes a standing revert final before a turn (formats/tanstack.md 12.4). */
function commitRevert(core: Core, fold: ThreadFold): { records: LogRecord[]; length: number } {
  if (fold.revert === null) return { records: [], length: fold.messages.length };
  const keep = fold.visible().length;
  const cut = keep < fold.messages.length ? [records.transcript(keep, [])] : [];
  return { records: [...cut, ...revertRecords(null, core.clock.now())], length: keep };
}

/** One user prompt and all that follows until the next one. Begin it with `session.beginTurn`. */
export class Turn implements StepOwner {
  readonly inputId: string;
  readonly operationId: string;
  readonly steps: StepRecord[] = [];
  carried: Attribution | null = null;
  lost = false;
  readonly #core: Core;
  readonly #leave: () => void;
  #step: Step | null = null;
  /** Steers that came while a step runs: they join when its messages are in the log. */
  #waiting: { input: Accepted; joined: () => void; failed: (error: unknown) => void }[] = [];
  readonly #joined: Accepted[] = [];
  #unread: Prompt[] = [];
  #ending: Promise<void> | null = null;

  private constructor(core: Core, input: Accepted, leave: () => void) {
    this.#core = core;
    this.inputId = input.inputId;
    this.operationId = core.clock.id('op-chat');
    this.#leave = leave;
  }

  /** Starts the turn of an accepted input; the caller is inside the gate, which `leave` opens again when the turn ends. */
  static async start(core: Core, input: Accepted, leave: () => void): Promise<Turn> {
    const turn = new Turn(core, input, leave);
    const { inputId, operationId } = turn;
    const at = (): number => core.clock.now();
    await core.append((fold) => {
      const committed = commitRevert(core, fold);
      return [
        ...committed.records,
        { type: 'harness.input.applied', inputId, operationId, attempt: 1 },
        records.custom(operationId, 'harness.input.applied', { inputId, operationId }, at()),
        records.custom(operationId, 'harness.operation.started', { operationId, kind: 'chat' }, at()),
        records.transcript(committed.length, [userMessage(core, input.message)]),
        records.event(operationId, { type: 'RUN_STARTED', threadId: core.threadId, runId: operationId }, at()),
      ];
    });
    return turn;
  }

  get ended(): boolean {
    return this.#ending !== null;
  }

  /** Runs one step and ends it, also when `run` throws. */
  async step<T>(run: (step: Step) => Promise<T>): Promise<T> {
    const step = await this.beginStep();
    try {
      return await run(step);
    } finally {
      await step.end();
    }
  }

  /** Begins the next model call; a step that still runs is ended first. */
  async beginStep(): Promise<Step> {
    if (this.ended) throw new TurnbackError('TURN_ENDED');
    await this.#step?.end();
    this.#step = new Step(this.#core, this);
    return this.#step;
  }

  /** A step in which the model only answers. */
  async answer(message: ModelMessage | string): Promise<string> {
    return this.step((step) => step.assistant(typeof message === 'string' ? { content: message } : message));
  }

  /** What users sent since this was last asked, to be given to the model with its next call. */
  steered(): Prompt[] {
    const unread = this.#unread;
    this.#unread = [];
    return unread;
  }

  /** Takes a steer into the turn: at once between steps, else when the step that runs has ended. */
  async join(input: Accepted): Promise<void> {
    if (this.ended) {
      await this.#core.append(() => [{ type: 'harness.input.rejected', inputId: input.inputId, reason: 'not_running' }]);
      throw new TurnbackError('NO_TURN');
    }
    await new Promise<void>((joined, failed) => {
      this.#waiting.push({ input, joined, failed });
      if (this.#step === null) void this.#joinWaiting();
    });
  }

  /** Ends the turn: its step, its undo point, its settlement. Further calls change nothing. */
  end(outcome: Outcome = 'completed', error?: { message: string; code?: string }): Promise<void> {
    this.#ending ??= this.#end(outcome, error).finally(this.#leave);
    return this.#ending;
  }

  async stepEnded(step: Step): Promise<void> {
    if (this.#step === step) this.#step = null;
    await this.#joinWaiting();
  }

  async #joinWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    try {
      await this.#core.append((fold) => [
        records.transcript(
          fold.messages.length,
          waiting.map(({ input }) => userMessage(this.#core, input.message)),
        ),
        ...waiting.map(({ input }) => ({ type: 'harness.input.joined', inputId: input.inputId, into: this.inputId })),
      ]);
    } catch (error) {
      for (const { failed } of waiting) failed(error);
      return;
    }
    for (const { input, joined } of waiting) {
      this.#joined.push(input);
      this.#unread.push(input.message);
      joined();
    }
  }

  async #end(outcome: Outcome, error: { message: string; code?: string } | undefined): Promise<void> {
    const core = this.#core;
    await this.#step?.end();
    await this.#joinWaiting();
    await this.#lateStep();
    const trees = await this.#undoTrees();
    const { inputId, operationId } = this;
    const settled = { operationId, outcome, ...(error && { error }) };
    const run =
      outcome === 'failed'
        ? { type: 'RUN_ERROR', message: error?.message ?? 'The turn failed.' }
        : { type: 'RUN_FINISHED', threadId: core.threadId, runId: operationId };
    const at = (): number => core.clock.now();
    await core.append((fold) => [
      records.event(operationId, run, at()),
      ...(trees === null ? [] : [undoPoint(fold, trees)]),
      ...[inputId, ...this.#joined.map((input) => input.inputId)].map((id) => ({ type: 'harness.input.settled', inputId: id, ...settled })),
      records.custom(operationId, 'harness.input.settled', { inputId, ...settled }, at()),
      records.custom(
        operationId,
        'harness.operation.finished',
        { operationId, status: outcome === 'aborted' ? 'cancelled' : outcome },
        at(),
      ),
    ]);
  }

  /** A last try for a step whose end could not be taken. */
  async #lateStep(): Promise<void> {
    const { carried } = this;
    if (carried === null) return;
    const late = new Step(this.#core, this);
    await late.end();
    if (this.carried !== null) this.lost = true;
  }

  /** Null when not all that the turn changed is in its steps, so that an undo would only do half of it. */
  async #undoTrees(): Promise<Awaited<ReturnType<typeof undoTrees>> | null> {
    const { repository } = this.#core;
    if (repository === null || this.lost) return null;
    try {
      return await undoTrees(repository, this.steps);
    } catch (error) {
      this.#core.failed(error, this.operationId);
      return null;
    }
  }
}

function undoPoint(fold: ThreadFold, trees: Awaited<ReturnType<typeof undoTrees>>): LogRecord {
  const keep = fold.messages.findLastIndex((message) => message.role === 'user');
  return { type: 'turnback/undo-point', state: 'done', keep, ...trees };
}
