import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cleanEnv } from './temp.ts';

const run = promisify(execFile);

export type Json = Record<string, unknown>;

/** One tool call of a model step. `edit` does to the workspace what the tool did. */
export interface ToolUse {
  tool: string;
  /** Arguments; default: `{ path }` of the first listed file, or `{ command }` for `bash`. */
  args?: Json;
  edit?: (root: string) => Promise<void> | void;
  /** The tool message's content; default `ok`. */
  output?: string;
  error?: string;
}

/** One model call: its calls (one or several in parallel) and, where needed, what its record says. */
export type ModelStep = ToolUse & {
  and?: ToolUse[];
  text?: string;
  /** What the step record lists; default: every path that changed (as the harness of era B does). */
  files?: string[];
  /** Fields to put over the step record; null leaves the record out. */
  record?: Json | null;
};

export interface TurnMade {
  inputId: string;
  operationId: string;
  /** Ids of the messages that have one: the user's, then the assistant's. */
  messages: string[];
  userId: string;
  answerId: string;
  calls: string[];
  steps: { from: string; to: string; files: string[]; toolCallIds: string[] }[];
}

export interface ScenarioOptions {
  threadId?: string;
  /** Keep the workspace in metadata.json, where Turnback looks for it. Default true. */
  knowsRoot?: boolean;
  /** Write the stream of events around each turn too. Default true. */
  events?: boolean;
  /** The folder of snapshot repositories; default `<save>/snapshots`, beside the sessions. */
  dataDir?: string;
  /** Records of a thread that shares another one's log carry its id. */
  log?: { file: string; thread: string };
}

/** A model message as the log has it. */
export type LogMessage = Json & { role: string };

/** A workspace, a real snapshot repository of era B and a JSONL log, grown turn by turn as the harness grows them. */
export class TanstackScenario {
  readonly folder: string;
  readonly root: string;
  readonly save: string;
  readonly dataDir: string;
  readonly gitDir: string;
  readonly log: string;
  readonly threadId: string;
  readonly env: Record<string, string>;
  /** The folded transcript, hidden messages of a standing revert included. */
  messages: LogMessage[] = [];
  revert: { messageId: string; files?: { now: string; files: string[] } } | null = null;
  /** Every step record so far. */
  steps: TurnMade['steps'] = [];
  #options: ScenarioOptions;
  #count = 0;
  #clock = 1_790_000_000_000;

  constructor(folder: string, options: ScenarioOptions) {
    this.#options = options;
    this.folder = folder;
    this.root = path.join(folder, 'workspace');
    this.save = path.join(folder, 'save');
    this.dataDir = options.dataDir ?? path.join(this.save, 'snapshots');
    this.gitDir = path.join(this.dataDir, createHash('sha1').update(this.root).digest('hex'));
    this.threadId = options.threadId ?? 'thread-1';
    this.log = options.log?.file ?? path.join(this.save, 'sessions', `${encodeURIComponent(this.threadId)}.jsonl`);
    this.env = cleanEnv(folder);
  }

  /** The next moment of this thread's clock, one second on. */
  now(): number {
    this.#clock += 1000;
    return this.#clock;
  }

  id(kind: string): string {
    this.#count += 1;
    return `${kind}-${this.#count}`;
  }

  async git(...args: string[]): Promise<string> {
    const prefix = ['-c', 'core.autocrlf=false', '--git-dir', this.gitDir, '--work-tree', this.root];
    const env = { ...this.env, GIT_DIR: this.gitDir, GIT_INDEX_FILE: path.join(this.gitDir, 'index') };
    return (await run('git', [...prefix, ...args], { cwd: this.root, env, maxBuffer: 1 << 28 })).stdout;
  }

  /** The tree of the workspace as it is now. */
  async track(): Promise<string> {
    await this.git('add', '-A');
    return (await this.git('write-tree')).trim();
  }

  async changed(from: string, to: string): Promise<string[]> {
    return (await this.git('diff', '--name-only', '-z', '--no-renames', from, to)).split('\0').filter(Boolean);
  }

  /** Appends one batch: one line of the log. */
  async append(...records: Json[]): Promise<void> {
    const thread = this.#options.log ? { thread: this.threadId } : {};
    await appendFile(this.log, `${JSON.stringify(records.map((record) => ({ ...record, ...thread })))}\n`);
  }

  event(operationId: string, event: Json): Json {
    return { type: 'harness.event', operationId, event: { ...event, timestamp: this.now() } };
  }

  custom(operationId: string, name: string, value: unknown): Json {
    return this.event(operationId, { type: 'CUSTOM', name, value });
  }

  /** Replaces the tail of the transcript, in a batch of its own. */
  async transcript(keep: number, ...add: LogMessage[]): Promise<void> {
    this.messages = [...this.messages.slice(0, keep), ...add];
    await this.append({ type: 'harness.transcript', keep, add });
  }

  async #live(record: Json): Promise<void> {
    if (this.#options.events !== false) await this.append(record);
  }

  /** What the harness does first in a turn while a revert stands: the hidden messages are dropped for good. */
  async #commit(): Promise<void> {
    if (this.revert === null) return;
    const at = this.messages.findIndex((message) => message['id'] === this.revert?.messageId);
    if (at >= 0) await this.transcript(at + 1);
    this.revert = null;
    await this.append({ type: 'harness.revert', revert: null }, this.custom('session', 'harness.revert', { messageId: null }));
  }

  async #runStep(step: ModelStep, operationId: string, from: string, made: TurnMade): Promise<string> {
    const uses = [step, ...(step.and ?? [])];
    const ids = uses.map(() => this.id('call'));
    const toolCalls = uses.map((use, at) => ({
      id: ids[at],
      type: 'function',
      function: { name: use.tool, arguments: JSON.stringify(use.args ?? argumentsFor(use.tool, step.files)) },
    }));
    const messageId = this.id('a');
    await this.#live(this.event(operationId, { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }));
    await this.#live(this.event(operationId, { type: 'TOOL_CALL_START', toolCallId: ids[0], toolCallName: step.tool }));
    await this.transcript(this.messages.length, { id: messageId, role: 'assistant', content: step.text ?? null, toolCalls });
    made.messages.push(messageId);
    made.calls.push(...ids);
    const results: LogMessage[] = [];
    for (const [at, use] of uses.entries()) {
      const toolCallId = ids[at] ?? '';
      await this.append({ type: 'harness.tool.started', toolCallId, name: use.tool, replay: 'never' });
      await use.edit?.(this.root);
      const message: LogMessage = { role: 'tool', toolCallId, content: use.output ?? 'ok', ...(use.error ? { error: use.error } : {}) };
      await this.append({ type: 'harness.tool.result', toolCallId, message });
      results.push(message);
    }
    const to = await this.track();
    const files = to === from ? [] : (step.files ?? (await this.changed(from, to)));
    if (files.length > 0 && step.record !== null) {
      const record = { from, to, files, toolCallIds: ids };
      await this.append({ type: 'tanstack/snapshots:step', ...record, ...step.record });
      made.steps.push(record);
      this.steps.push(record);
    }
    for (const message of results) {
      await this.#live(
        this.event(operationId, { type: 'TOOL_CALL_RESULT', toolCallId: message['toolCallId'], content: message['content'] }),
      );
    }
    await this.transcript(this.messages.length, ...results);
    return to;
  }

  /** One whole turn: a prompt, model steps with their tools, and an answer. */
  async turn(prompt: string, steps: readonly ModelStep[], options: { answer?: string; outcome?: string } = {}): Promise<TurnMade> {
    const inputId = this.id('in');
    const operationId = this.id('op-chat');
    const made: TurnMade = { inputId, operationId, messages: [], userId: this.id('u'), answerId: '', calls: [], steps: [] };
    await this.append({ type: 'harness.input', inputId, input: { op: 'prompt', message: prompt, busy: 'queue' }, at: this.now() });
    await this.#commit();
    await this.append({ type: 'harness.input.applied', inputId, operationId, attempt: 1 });
    await this.#live(this.custom(operationId, 'harness.operation.started', { operationId, kind: 'chat' }));
    await this.transcript(this.messages.length, { id: made.userId, role: 'user', content: prompt });
    made.messages.push(made.userId);
    await this.#live(this.event(operationId, { type: 'RUN_STARTED', runId: operationId }));
    let tree = await this.track();
    for (const step of steps) tree = await this.#runStep(step, operationId, tree, made);
    made.answerId = this.id('a');
    made.messages.push(made.answerId);
    await this.transcript(this.messages.length, { id: made.answerId, role: 'assistant', content: options.answer ?? 'Done.' });
    await this.#live(this.event(operationId, { type: 'RUN_FINISHED', runId: operationId }));
    await this.append(
      { type: 'harness.input.settled', inputId, operationId, outcome: options.outcome ?? 'completed' },
      this.custom(operationId, 'harness.operation.finished', { operationId, status: options.outcome ?? 'completed' }),
    );
    return made;
  }
}

function argumentsFor(tool: string, files: readonly string[] | undefined): Json {
  if (tool === 'bash') return { command: 'true' };
  return files?.[0] === undefined ? {} : { path: files[0] };
}

/** Makes the folders, the bare snapshot repository (`info/attributes` and all) and an empty log below `folder`. */
export async function tanstackScenario(folder: string, options: ScenarioOptions = {}): Promise<TanstackScenario> {
  const scenario = new TanstackScenario(folder, options);
  for (const needed of [scenario.root, path.dirname(scenario.log), scenario.dataDir, scenario.env['HOME'] ?? folder]) {
    await mkdir(needed, { recursive: true });
  }
  await run('git', ['init', '--bare', '-q', scenario.gitDir], { env: scenario.env });
  await mkdir(path.join(scenario.gitDir, 'info'), { recursive: true });
  await writeFile(path.join(scenario.gitDir, 'info', 'attributes'), '* -text -ident -filter\n');
  if (options.log === undefined) await appendFile(scenario.log, '');
  if (options.knowsRoot !== false) {
    const settings = { 'harness:settings': { [scenario.threadId]: { cwd: scenario.root } } };
    await writeFile(path.join(scenario.save, 'metadata.json'), JSON.stringify(settings, null, 2), { mode: 0o600 });
  }
  return scenario;
}
