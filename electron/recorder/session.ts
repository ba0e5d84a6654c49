import { TurnbackError } from '../../shared/errors.ts';
import type { Backend } from './backend.ts';
import { COMMANDS, type CommandName, runCommand } from './commands.ts';
import type { Core } from './core.ts';
import type { EventType } from './emitter.ts';
import { Gate } from './gate.ts';
import type { Message } from './records.ts';
import { revertTo, unrevert } from './revert.ts';
import { type Accepted, accept, type Outcome, type Prompt, Turn } from './turn.ts';

/** What came of a revert or unrevert (formats/tanstack.md 12.1). */
export interface Receipt {
  inputId: string;
  status: 'accepted' | 'rejected';
  reason?: 'busy' | 'unknown_message';
}

/** One thread that is being recorded. Open it with `history.open`. */
export class Session {
  readonly threadId: string;
  readonly tenantId: string | undefined;
  readonly #core: Core;
  readonly #backend: Backend;
  readonly #gate = new Gate();
  readonly #onClose: () => Promise<void>;
  /** Turns that run or wait to run. */
  #turns = 0;
  #turn: Turn | null = null;
  #closing: Promise<void> | null = null;

  constructor(o: { core: Core; backend: Backend; tenantId: string | undefined; onClose: () => Promise<void> }) {
    this.#core = o.core;
    this.#backend = o.backend;
    this.threadId = o.core.threadId;
    this.tenantId = o.tenantId;
    this.#onClose = o.onClose;
  }

  get root(): string {
    return this.#core.root;
  }

  /** Absolute path of the log. */
  get log(): string {
    return this.#core.logPath;
  }

  get status(): 'idle' | 'running' {
    return this.#turns > 0 ? 'running' : 'idle';
  }

  /** The commands that can be run: none while snapshots are off. */
  get commands(): readonly CommandName[] {
    return this.#core.repository === null ? [] : COMMANDS;
  }

  /** The snapshot repository's git dir; null while snapshots are off. */
  get repository(): string | null {
    return this.#core.repository?.store.gitDir ?? null;
  }

  /** Calls back for each event; the result ends it. Events of the opening wait for the first listener. */
  on<T>(type: EventType<T>, listener: (payload: T) => void): () => void {
    return this.#core.emitter.on(type, listener);
  }

  /**
   * Sends a prompt and begins its turn. The prompt is in the log at once; the turn begins when the turn, revert or undo before it has
   * ended. A standing revert becomes final. End the turn with `turn.end()`.
   */
  async beginTurn(prompt: Prompt): Promise<Turn> {
    this.#live();
    this.#turns += 1;
    let leave: (() => void) | null = null;
    const end = (): void => {
      this.#turns -= 1;
      this.#turn = null;
      leave?.();
    };
    try {
      const inputId = await accept(this.#core, { op: 'prompt', message: prompt, busy: 'queue' });
      leave = await this.#gate.enter();
      // A prompt that still waited stays open in the log; the next session rejects it.
      this.#live();
      await this.#core.refresh();
      this.#turn = await Turn.start(this.#core, { inputId, message: prompt }, end);
      return this.#turn;
    } catch (error) {
      end();
      throw error;
    }
  }

  /**
   * Sends a prompt and lets `agent` run its turn. What the agent throws settles the turn as failed and is thrown on.
   */
  async send(prompt: Prompt, agent: (turn: Turn) => Promise<unknown>): Promise<Outcome> {
    const turn = await this.beginTurn(prompt);
    try {
      await agent(turn);
    } catch (error) {
      await turn.end('failed', { message: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    await turn.end('completed');
    return 'completed';
  }

  /** Sends a message into the turn that runs; resolves when it is part of the conversation. Throws NO_TURN when none runs. */
  async steer(message: Prompt): Promise<void> {
    this.#live();
    const turn = this.#turn;
    if (turn === null || turn.ended) throw new TurnbackError('NO_TURN');
    const input: Accepted = { inputId: await accept(this.#core, { op: 'steer', message }), message };
    await turn.join(input);
  }

  /** Runs `undo` or `redo` and gives its answer (seed, "Undo and redo a turn"). Throws UNKNOWN_COMMAND, also while snapshots are off. */
  async runCommand(command: { name: string }): Promise<string> {
    this.#live();
    const name = this.commands.find((known) => known === command.name);
    if (name === undefined) throw new TurnbackError('UNKNOWN_COMMAND', { name: command.name });
    return runCommand(this.#core, this.#backend, name, async () => (this.#turns > 0 ? null : this.#gate.enter()));
  }

  /** Hides all messages after one and puts the files of their tool calls back (seed, "Go back to an earlier message"). */
  async revert(target: { messageId: string }): Promise<Receipt> {
    return this.#travel(async () => {
      if (this.#core.fold.indexOf(target.messageId) < 0) return 'unknown_message';
      await revertTo(this.#core, this.#backend, target.messageId);
      return null;
    });
  }

  /** Brings the messages and the files of a standing revert back; changes nothing when none stands. */
  async unrevert(): Promise<Receipt> {
    return this.#travel(async () => {
      await unrevert(this.#core, this.#backend);
      return null;
    });
  }

  /** The messages of the conversation; those that a standing revert hides are not among them. */
  async transcript(): Promise<Message[]> {
    if (this.#turns === 0 && this.#closing === null) await this.#core.refresh();
    return structuredClone(this.#core.fold.visible());
  }

  /**
   * The changed files and the unified diff between two snapshots of this thread; without `to`, up to the files as they are now.
   * Throws SNAPSHOTS_OFF without git, TREE_MISSING for a snapshot that is not in this thread's repository.
   */
  async diff(from: string, to?: string): Promise<{ files: string[]; patch: string }> {
    this.#live();
    const { repository } = this.#core;
    if (repository === null) throw new TurnbackError('SNAPSHOTS_OFF');
    const end = to ?? (await repository.track());
    const changes = await repository.changed(from, end);
    return { files: changes.map(({ path }) => path), patch: await repository.patch(from, end) };
  }

  /** True when the snapshot is in this thread's repository. */
  async has(tree: string): Promise<boolean> {
    return (await this.#core.repository?.objects.hasTree(tree)) ?? false;
  }

  /** Ends the turn that runs as aborted, waits for what was begun, and gives the thread free. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Whatever fails, all that is held is given back.
    try {
      try {
        await this.#turn?.end('aborted');
        (await this.#gate.enter())();
      } finally {
        await this.#core.close();
      }
    } finally {
      await this.#onClose();
    }
  }

  async #travel(run: () => Promise<Receipt['reason'] | null>): Promise<Receipt> {
    this.#live();
    const inputId = this.#core.clock.id('in');
    if (this.#turns > 0) return { inputId, status: 'rejected', reason: 'busy' };
    const leave = await this.#gate.enter();
    try {
      this.#live();
      await this.#core.refresh();
      const reason = await run();
      return reason == null ? { inputId, status: 'accepted' } : { inputId, status: 'rejected', reason };
    } finally {
      leave();
    }
  }

  #live(): void {
    if (this.#closing !== null) throw new TurnbackError('SESSION_CLOSED');
  }
}
