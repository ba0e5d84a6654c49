import type { TreePath } from '../../../shared/tree-path.ts';
import { breathe } from '../../snapshots/disk.ts';
import { LineReader } from '../line-reader.ts';
import { asRecord } from '../loose.ts';
import { treePathIn } from '../recorded-path.ts';
import { TextPool } from '../text-pool.ts';
import type { ClaudeLog, Entry } from './claude-log.ts';
import type { ClaudeObjects } from './claude-objects.ts';
import { backupHash } from './claude-places.ts';
import type { FileHistory } from './file-history.ts';
import type { FileSamples } from './file-samples.ts';
import type { Happening, Known } from './known-files.ts';
import { recordAgain } from './record-again.ts';
import { bytesOfText } from './text-bytes.ts';
import { type ToolEdit, toolEdit } from './tool-edit.ts';

/** Turns what a log says about files into states with exact bytes. */
export class Happenings {
  readonly list: Happening[] = [];
  readonly #root: string;
  readonly #objects: ClaudeObjects;
  /** The last state that each path was said to have. */
  readonly #last = new Map<TreePath, Known>();
  readonly #backups = new Map<TreePath, string>();
  readonly #paths = new TextPool();
  readonly #stepOf = new Map<string, string>();
  /** The answer that was begun last. */
  #answer: string | null = null;
  /** How many entries and checkpoints of the log were taken. */
  #entries = 0;
  #checkpoints = 0;

  constructor(o: { root: string; objects: ClaudeObjects }) {
    this.#root = o.root;
    this.#objects = o.objects;
  }

  /**
   * Takes what came to the log since the last time, with the edits of its sub-agents at the moment their call ended. Their texts are read
   * from the logs again, one by one: from then on their blobs speak for them. Throws NOT_FOUND, LOG_UNREADABLE.
   */
  async take(log: ClaudeLog, agents: ReadonlyMap<string, ClaudeLog>, samples: FileSamples): Promise<void> {
    const lines = new LineReader(log.path);
    try {
      await this.#take(log, lines, agents, samples);
    } finally {
      await lines.close();
    }
  }

  async #take(log: ClaudeLog, lines: LineReader, agents: ReadonlyMap<string, ClaudeLog>, samples: FileSamples): Promise<void> {
    for (const { history } of log.checkpoints.slice(this.#checkpoints)) this.#noteBackups(history);
    for (; this.#entries < log.entries.length; this.#entries += 1) {
      await this.#checkpointsBefore(log, this.#entries, samples);
      const entry = log.entries[this.#entries];
      if (!entry) break;
      if (entry.tree.answer !== null && !entry.aside) {
        this.#answer = entry.tree.answer;
        this.list.push({ kind: 'step', step: this.#answer });
        for (const call of entry.calls) this.#stepOf.set(call.id, this.#answer);
      }
      await this.#results(entry, lines, agents, samples);
      await this.#objects.ease();
      await breathe();
    }
    await this.#checkpointsBefore(log, this.#entries, samples);
  }

  async #checkpointsBefore(log: ClaudeLog, entry: number, samples: FileSamples): Promise<void> {
    for (;;) {
      const next = log.checkpoints[this.#checkpoints];
      if (!next || next.before > entry) return;
      this.#checkpoints += 1;
      await this.#checkpoint(next.history, samples);
    }
  }

  async #results(entry: Entry, lines: LineReader, agents: ReadonlyMap<string, ClaudeLog>, samples: FileSamples): Promise<void> {
    for (const result of entry.results) {
      const step = entry.aside ? this.#answer : (this.#stepOf.get(result.callId) ?? null);
      if (step === null) continue;
      if (result.edit) await this.#edit(step, await editOf(entry, lines), samples);
      const agent = result.agent?.ended ? agents.get(result.agent.id) : undefined;
      if (agent) await this.#agentEdits(step, agent, samples);
    }
  }

  async #agentEdits(step: string, agent: ClaudeLog, samples: FileSamples): Promise<void> {
    const lines = new LineReader(agent.path);
    try {
      for (const entry of agent.entries) {
        for (const result of entry.results) if (result.edit) await this.#edit(step, await editOf(entry, lines), samples);
      }
    } finally {
      await lines.close();
    }
  }

  #noteBackups(history: FileHistory): void {
    for (const [named, backup] of history.backups) {
      const path = this.#pathOf(named);
      if (path !== null && backup !== null && !this.#backups.has(path)) this.#backups.set(path, backup);
    }
  }

  #pathOf(named: string): TreePath | null {
    const path = treePathIn(this.#root, this.#root, named);
    return path === null ? null : this.#paths.same(path);
  }

  async #checkpoint(history: FileHistory, samples: FileSamples): Promise<void> {
    const files = new Map<TreePath, Known>();
    for (const [named, backup] of history.backups) {
      const path = this.#pathOf(named);
      if (path === null) continue;
      const bytes = backup === null ? null : await samples.backup(backup);
      // A backup that is gone tells nothing.
      if (backup !== null && bytes === null) continue;
      const state = bytes === null ? null : this.#objects.blob(bytes);
      files.set(path, state);
      this.#last.set(path, state);
    }
    this.list.push({ kind: 'checkpoint', prompt: history.prompt, update: history.update, files });
  }

  async #edit(step: string, edit: ToolEdit | null, samples: FileSamples): Promise<void> {
    const path = edit && this.#pathOf(edit.file);
    if (edit === null || path === null) return;
    const like = await this.#sample(path, edit.file, samples);
    const before = this.#state(path, edit.before, like);
    if (before !== undefined) this.#last.set(path, before);
    const after = this.#state(path, edit.after, like);
    if (after !== undefined) this.#last.set(path, after);
    this.list.push({ kind: 'edit', step, path, before, after });
  }

  #state(path: TreePath, text: string | null | undefined, like: Buffer | null): Known | undefined {
    if (text === null || text === undefined) return text;
    const last = this.#last.get(path);
    // Where the bytes are known, they count, not the text that the tool made of them.
    if (typeof last === 'string' && this.#objects.reads(last, text)) return last;
    return this.#objects.blob(bytesOfText(text, like));
  }

  async #sample(path: TreePath, file: string, samples: FileSamples): Promise<Buffer | null> {
    const named = this.#backups.get(path) ?? `${backupHash(file)}@v1`;
    return (await samples.backup(named)) ?? (await samples.disk(path));
  }
}

/** What the result in a record did to a file. */
async function editOf(entry: Entry, lines: LineReader): Promise<ToolEdit | null> {
  return toolEdit(asRecord((await recordAgain(entry, lines))['toolUseResult']));
}
