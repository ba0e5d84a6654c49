import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findGitProgram } from '../../snapshots/git-program.ts';
import type { Step } from '../step.ts';
import type { Turn } from '../turn.ts';
import type { StoryClock } from './story-clock.ts';

/** A tool call as the scripted model asks for it. */
export type Ask =
  | { name: 'read_file'; path: string }
  | { name: 'write_file'; path: string; content: string }
  | { name: 'edit_file'; path: string; edits: readonly (readonly [string, string])[] }
  | { name: 'delete_file'; path: string }
  | { name: 'bash'; command: string; seconds?: number };

/** The tools of the agent that name the files they change. */
export const reportingTools: readonly string[] = ['read_file', 'write_file', 'edit_file', 'delete_file'];

/** The shell: on Windows the one that comes with git. */
function shell(): string {
  if (process.platform !== 'win32') return 'sh';
  const git = findGitProgram(process.env);
  const beside = git === null ? '' : path.join(path.dirname(git), '..', 'bin', 'sh.exe');
  return existsSync(beside) ? beside : 'sh.exe';
}

function run(root: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell(), ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    const take = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? output : `${output}[exit ${code}]\n`));
  });
}

/** Acts as the model of the story asks: real edits and real commands in the workspace. */
export class ScriptedAgent {
  readonly #root: string;
  readonly #clock: StoryClock;

  constructor(root: string, clock: StoryClock) {
    this.#root = root;
    this.#clock = clock;
  }

  /** One model step: what it thought and said, and the tools it used. A tool that fails is recorded and the story goes on. */
  async step(turn: Turn, o: { thinking?: string; says?: string; asks: readonly Ask[] }): Promise<void> {
    this.#clock.pass(7000 + ((o.thinking?.length ?? 0) + (o.says?.length ?? 0)) * 60 + JSON.stringify(o.asks).length * 12);
    await turn.step(async (step) => {
      const calls = o.asks.map((ask) => ({ ask, id: this.#clock.id('call') }));
      await step.assistant({
        content: o.says ?? null,
        ...(o.thinking !== undefined && { thinking: [{ content: o.thinking }] }),
        toolCalls: calls.map(({ ask: { name, ...rest }, id }) => ({ id, name, arguments: rest })),
        usage: usageOf(o.asks.length),
      });
      for (const { ask, id } of calls) await this.#use(step, id, ask);
    });
  }

  async answer(turn: Turn, content: string, thinking?: string): Promise<void> {
    this.#clock.pass(4000 + content.length * 45);
    await turn.answer({ content, ...(thinking !== undefined && { thinking: [{ content: thinking }] }), usage: usageOf(0) });
  }

  /** What a person does by hand between the turns. */
  async byHand(file: string, change: (text: string) => string): Promise<void> {
    const full = path.join(this.#root, file);
    const text = existsSync(full) ? await readFile(full, 'utf8') : '';
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, change(text));
  }

  async #use(step: Step, id: string, ask: Ask): Promise<void> {
    await step.toolStarted(id);
    this.#clock.pass(ask.name === 'bash' ? (ask.seconds ?? 1) * 1000 + 140 : 90 + JSON.stringify(ask).length / 5);
    try {
      const content = await this.#act(ask, (file) => step.reportFile(file, id));
      await step.toolResult(id, content);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await step.toolResult(id, JSON.stringify({ error: message }), { error: message });
    }
  }

  async #act(ask: Ask, report: (file: string) => void): Promise<string> {
    if (ask.name === 'bash') return (await run(this.#root, ask.command)) || '(no output)';
    const full = path.join(this.#root, ask.path);
    if (ask.name === 'read_file') return readFile(full, 'utf8');
    if (ask.name === 'delete_file') {
      await rm(full);
      report(ask.path);
      return `Deleted ${ask.path}.`;
    }
    if (ask.name === 'write_file') {
      await mkdir(path.dirname(full), { recursive: true });
      await writeFile(full, ask.content);
      report(ask.path);
      return `Wrote ${ask.path} (${ask.content.length} characters).`;
    }
    let text = await readFile(full, 'utf8');
    for (const [before, after] of ask.edits) {
      if (!text.includes(before)) throw new Error(`The text to replace was not found in ${ask.path}.`);
      text = text.replace(before, () => after);
    }
    await writeFile(full, text);
    report(ask.path);
    return `Edited ${ask.path} (${ask.edits.length} ${ask.edits.length === 1 ? 'change' : 'changes'}).`;
  }
}

function usageOf(calls: number): { model: string; promptTokens: number; completionTokens: number; totalTokens: number } {
  const promptTokens = 5200 + calls * 640;
  const completionTokens = 210 + calls * 180;
  return { model: 'acme/coder-2', promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}
