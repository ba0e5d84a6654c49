import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { ThreadReader } from '../../electron/threads/source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { Message, Step, Thread, ToolCall, Turn } from '../../shared/model.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

const run = promisify(execFile);

/** A line of the log that the hard cases use: a prompt, or a step with its trees and the files that its tool says it wrote. */
type Line =
  | { type: 'user'; id: string; text: string }
  | { type: 'step'; id: string; before: string; after: string; note: string; files: string[]; shell: boolean };

/** A workspace, a snapshot git dir without refs and a log, as the hard cases build them (one prompt or step at a time). */
export class Neutral {
  readonly folder: string;
  readonly root: string;
  readonly gitDir: string;
  readonly log: string;
  readonly outside: string;
  /** The tree that the next step starts from. */
  tree = '';
  /** What the reader's `liveSign` tells. */
  sign: string | null = null;
  #count = 0;

  constructor(folder: string, session: string) {
    this.folder = folder;
    this.root = path.join(folder, 'ws');
    this.gitDir = path.join(folder, 'snap.git');
    this.outside = path.join(folder, 'outside');
    this.log = path.join(folder, `session-${session}.jsonl`);
  }

  async git(...args: string[]): Promise<string> {
    const env = { ...cleanEnv(this.folder), GIT_INDEX_FILE: path.join(this.gitDir, 'index') };
    const own = ['--git-dir', this.gitDir, '--work-tree', this.root, '-c', 'core.bare=false', '-c', 'core.autocrlf=false'];
    return (await run('git', [...own, '-c', 'advice.addEmbeddedRepo=false', ...args], { cwd: this.root, env, maxBuffer: 1 << 28 })).stdout;
  }

  /** The user's own repository in the workspace. */
  async userRepository(): Promise<void> {
    await run('git', ['init', '-q', this.root], { env: cleanEnv(this.folder) });
  }

  async snap(): Promise<string> {
    await this.git('add', '-A', '.');
    return (await this.git('write-tree')).trim();
  }

  /** The step starts here: what changed before belongs to nobody. */
  async base(): Promise<void> {
    this.tree = await this.snap();
  }

  async user(text: string): Promise<string> {
    const id = `m${String(++this.#count).padStart(4, '0')}`;
    await this.#line({ type: 'user', id, text });
    return id;
  }

  /** A step ends here. `files`: what its tool says it wrote; without, its tool says nothing (a shell). */
  async step(note: string, files?: string[]): Promise<string> {
    const after = await this.snap();
    const id = await this.stepRaw(this.tree, after, note, files ?? null);
    this.tree = after;
    return id;
  }

  async stepRaw(before: string, after: string, note: string, files: string[] | null): Promise<string> {
    const id = `s${String(++this.#count).padStart(4, '0')}`;
    await this.#line({ type: 'step', id, before, after, note, files: files ?? [], shell: files === null });
    return id;
  }

  #line(line: Line): Promise<void> {
    return appendFile(this.log, `${JSON.stringify(line)}\n`);
  }

  reader(): ThreadReader {
    let thread = fold(this, []);
    const read = async (): Promise<boolean> => {
      const text = await readFile(this.log, 'utf8');
      const next = fold(
        this,
        text
          .split('\n')
          .filter(Boolean)
          .map((line): Line => JSON.parse(line)),
      );
      const changed = JSON.stringify(next) !== JSON.stringify(thread);
      if (changed) thread = next;
      return changed;
    };
    return {
      thread: () => thread,
      read,
      body: async (id) => ({ id, parts: [] }),
      watch: () => [this.log],
      objectFolders: () => [path.join(this.gitDir, 'objects')],
      liveSign: async () => this.sign,
      writer: null,
      close: async () => undefined,
    };
  }

  async context(): Promise<TravelContext> {
    const reader = this.reader();
    await reader.read();
    const git = createGit();
    const ownData = path.join(this.folder, 'own-data');
    const thread = await OpenThread.open({ reader, git, ownData });
    onTestFinished(() => thread.close());
    return { thread, ownData, git, now: Date.now };
  }
}

/** A fresh one, with the workspace's first snapshot still to be taken by `base()`. */
export async function neutral(session = 'A'): Promise<Neutral> {
  const made = new Neutral(await tempFolder(), session);
  await mkdir(made.root);
  await mkdir(made.outside);
  await run('git', ['init', '-q', '--bare', made.gitDir], { env: cleanEnv(made.folder) });
  return made;
}

function callOf(line: Line & { type: 'step' }): ToolCall {
  const wrote = line.shell ? null : line.files;
  const sideEffect = line.shell ? ('shell' as const) : null;
  const rest = { status: 'done' as const, durationMs: null, outputBytes: null, child: null };
  return { id: `call-${line.id}`, name: line.shell ? 'bash' : 'edit', summary: line.note, sideEffect, wrote, ...rest };
}

function fold(of: Neutral, lines: readonly Line[]): Thread {
  const messages: Message[] = [];
  const steps: Step[] = [];
  const turns: Turn[] = [];
  for (const line of lines) {
    const stop = messages.length + 1;
    const isUser = line.type === 'user';
    if (isUser) {
      const index = turns.length + 1;
      const turn = { index, id: line.id, prompt: line.text, startedAt: null, status: 'completed' as const, steps: [], hidden: null };
      turns.push({ ...turn, firstStop: stop - 1, lastStop: stop });
    }
    const turn = turns.at(-1);
    const rest = { at: null, bytes: 0, images: 0, thinking: false, hidden: null, divider: null, canStand: true as const };
    messages.push({
      stop,
      id: line.id,
      role: isUser ? 'user' : 'assistant',
      turn: turn?.index ?? null,
      step: isUser ? null : line.id,
      excerpt: isUser ? line.text : line.note,
      tools: isUser ? [] : [callOf(line)],
      ...rest,
    });
    if (turn) turn.lastStop = stop;
    if (isUser) continue;
    const call = callOf(line);
    turn?.steps.push(line.id);
    steps.push({
      id: line.id,
      index: steps.length + 1,
      turn: turn?.index ?? null,
      stop,
      from: line.before || null,
      to: line.after || null,
      toolCallIds: [call.id],
      tools: [call.name],
      listed: null,
      files: null,
      captured: null,
      at: null,
      durationMs: null,
      sideEffects: line.shell ? 1 : 0,
      hidden: null,
    });
  }
  const id = path.basename(of.log, '.jsonl');
  const head = { id: `opencode:${id}`, source: 'opencode' as const, title: null, root: of.root, log: of.log, threadId: id };
  return {
    head: { ...head, parent: null, updatedAt: null, size: null },
    status: 'idle',
    standing: null,
    turns,
    steps,
    messages,
    gaps: [],
    bad: [],
    notices: [],
    keeps: 'overlay',
  };
}
