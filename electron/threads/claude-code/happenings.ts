import type { TreePath } from '../../../shared/tree-path.ts';
import { breathe } from '../../snapshots/disk.ts';
import { treePathIn } from '../recorded-path.ts';
import type { ClaudeLog, Entry } from './claude-log.ts';
import type { ClaudeObjects } from './claude-objects.ts';
import { backupHash } from './claude-places.ts';
import type { FileHistory } from './file-history.ts';
import type { FileSamples } from './file-samples.ts';
import type { Happening, Known } from './known-files.ts';
import { bytesOfText } from './text-bytes.ts';
import type { ToolEdit } from './tool-edit.ts';

/** Turns what a log says about files into states with exact bytes. */
export class Happenings {
  readonly list: Happening[] = [];
  readonly #root: string;
  readonly #objects: ClaudeObjects;
  /** The last state that each path was said to have. */
  readonly #last = new Map<TreePath, Known>();
  readonly #backups = new Map<TreePath, string>();
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
   * Takes what came to the log since the last time, with the edits of its sub-agents at the moment their call ended. The texts of
   * edits are let go of: from then on their blobs speak for them.
   */
  async take(log: ClaudeLog, agents: ReadonlyMap<string, ClaudeLog>, samples: FileSamples): Promise<void> {
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
      await this.#results(entry, agents, samples);
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

  async #results(entry: Entry, agents: ReadonlyMap<string, ClaudeLog>, samples: FileSamples): Promise<void> {
    for (const result of entry.results) {
      const step = entry.aside ? this.#answer : (this.#stepOf.get(result.callId) ?? null);
      const { edit } = result;
      result.edit = null;
      if (step === null) continue;
      if (edit) await this.#edit(step, edit, samples);
      const agent = result.agent?.ended ? agents.get(result.agent.id) : undefined;
      for (const inner of agent?.entries ?? []) {
        for (const one of inner.results) if (one.edit) await this.#edit(step, one.edit, samples);
      }
    }
  }

  #noteBackups(history: FileHistory): void {
    for (const [named, backup] of history.backups) {
      const path = this.#pathOf(named);
      if (path !== null && backup !== null && !this.#backups.has(path)) this.#backups.set(path, backup);
    }
  }

  #pathOf(named: string): TreePath | null {
    return treePathIn(this.#root, this.#root, named);
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

  async #edit(step: string, edit: ToolEdit, samples: FileSamples): Promise<void> {
    const path = this.#pathOf(edit.file);
    if (path === null) return;
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
