import type { TreePath } from '../../../shared/tree-path.ts';
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
  readonly #samples: FileSamples;
  /** The last state that each path was said to have. */
  readonly #last = new Map<TreePath, Known>();
  readonly #backups = new Map<TreePath, string>();

  constructor(o: { root: string; objects: ClaudeObjects; samples: FileSamples }) {
    this.#root = o.root;
    this.#objects = o.objects;
    this.#samples = o.samples;
  }

  /** Takes a whole log, with the edits of its sub-agents at the moment their call ended. */
  async take(log: ClaudeLog, agents: ReadonlyMap<string, ClaudeLog>): Promise<void> {
    for (const { history } of log.checkpoints) this.#noteBackups(history);
    const stepOf = new Map<string, string>();
    let checkpoint = 0;
    let answer: string | null = null;
    for (const [at, entry] of log.entries.entries()) {
      for (; (log.checkpoints[checkpoint]?.before ?? Number.POSITIVE_INFINITY) <= at; checkpoint += 1) {
        const next = log.checkpoints[checkpoint];
        if (next) await this.#checkpoint(next.history);
      }
      if (entry.tree.answer !== null && !entry.aside) {
        answer = entry.tree.answer;
        this.list.push({ kind: 'step', step: answer });
        for (const call of entry.calls) stepOf.set(call.id, answer);
      }
      await this.#results(entry, agents, (call) => (entry.aside ? answer : (stepOf.get(call) ?? null)));
    }
    for (const { history } of log.checkpoints.slice(checkpoint)) await this.#checkpoint(history);
  }

  async #results(entry: Entry, agents: ReadonlyMap<string, ClaudeLog>, stepOf: (call: string) => string | null): Promise<void> {
    for (const result of entry.results) {
      const step = stepOf(result.callId);
      if (step === null) continue;
      if (result.edit) await this.#edit(step, result.edit);
      const agent = result.agent?.ended ? agents.get(result.agent.id) : undefined;
      for (const inner of agent?.entries ?? []) {
        for (const { edit } of inner.results) if (edit) await this.#edit(step, edit);
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

  async #checkpoint(history: FileHistory): Promise<void> {
    const files = new Map<TreePath, Known>();
    for (const [named, backup] of history.backups) {
      const path = this.#pathOf(named);
      if (path === null) continue;
      const bytes = backup === null ? null : await this.#samples.backup(backup);
      // A backup that is gone tells nothing.
      if (backup !== null && bytes === null) continue;
      const state = bytes === null ? null : this.#objects.blob(bytes);
      files.set(path, state);
      this.#last.set(path, state);
    }
    this.list.push({ kind: 'checkpoint', prompt: history.prompt, update: history.update, files });
  }

  async #edit(step: string, edit: ToolEdit): Promise<void> {
    const path = this.#pathOf(edit.file);
    if (path === null) return;
    const like = await this.#sample(path, edit.file);
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

  async #sample(path: TreePath, file: string): Promise<Buffer | null> {
    const named = this.#backups.get(path) ?? `${backupHash(file)}@v1`;
    return (await this.#samples.backup(named)) ?? (await this.#samples.disk(path));
  }
}
