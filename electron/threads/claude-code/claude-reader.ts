import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { MessageBody, Thread, ThreadHead } from '../../../shared/model.ts';
import { readMoments } from '../../snapshots/moments.ts';
import { recordedStore } from '../../snapshots/store.ts';
import { lastWriteOf, writtenNow } from '../last-write.ts';
import { LineReader } from '../line-reader.ts';
import { asText, type Loose } from '../loose.ts';
import type { OnBytes, OpenOptions, ThreadReader } from '../source.ts';
import { claudeBody } from './claude-body.ts';
import { ClaudeLog } from './claude-log.ts';
import { ClaudeObjects } from './claude-objects.ts';
import { type LogPlace, placeOfLog } from './claude-places.ts';
import { type Block, blocksOf } from './claude-record.ts';
import { claudeStatus, endsOpen, runningSession } from './claude-status.ts';
import { FileSamples } from './file-samples.ts';
import { type ClaudeFold, foldClaude } from './fold-claude.ts';
import { Happenings } from './happenings.ts';
import { recordAgain } from './record-again.ts';
import { recordedTrees } from './recorded-trees.ts';
import { type StepTrees, stepTrees } from './step-trees.ts';

/** A session has fewer sub-agents than this; more are not read. */
const MOST_AGENTS = 1000;

/** An opened session of Claude Code. Its log is read as it grows and never written to; no handle stays open. */
export class ClaudeReader implements ThreadReader {
  readonly writer = null;
  readonly #head: ThreadHead;
  readonly #options: OpenOptions;
  readonly #place: LogPlace;
  readonly #log: ClaudeLog;
  readonly #agents = new Map<string, ClaudeLog>();
  readonly #objects: ClaudeObjects;
  /** The repository of what hooks recorded; null where they recorded nothing. */
  #recorded: string | null = null;
  #happenings: Happenings | null = null;
  #fold: ClaudeFold | null = null;

  constructor(head: ThreadHead, options: OpenOptions) {
    this.#head = head;
    this.#options = options;
    this.#place = placeOfLog(head.log);
    this.#log = new ClaudeLog(head.log, this.#place.agentId !== null);
    this.#objects = new ClaudeObjects(options.ownData, head.log);
  }

  thread(): Thread {
    return this.#folded().thread;
  }

  async read(signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean> {
    const { restarts } = this.#log;
    const grew = await this.#log.read(signal, onBytes);
    const restarted = this.#log.restarts !== restarts;
    const agents = await this.#readAgents(signal);
    if (this.#log.known === 0) throw this.#notALog();
    const running = await runningSession(this.#place.running, this.#place.sessionId);
    const status = claudeStatus(this.#log.entries, running, this.#log.modifiedMs, Date.now());
    if (!grew && !agents && status === this.#fold?.thread.status) return false;
    const recorded = this.#log.cwd;
    const trees = await this.#trees(recorded, restarted);
    const moments = this.#place.agentId === null ? await readMoments(this.#options.ownData, this.#place.sessionId) : [];
    const recordings = recordedTrees(moments, this.#log.entries, recorded ?? '');
    this.#recorded = recordings.steps.size === 0 ? null : recordedStore(this.#options.ownData, path.resolve(recorded ?? ''));
    this.#fold = foldClaude({ log: this.#log, head: this.#headNow(), status, trees, recordings, agents: new Set(this.#agents.keys()) });
    return true;
  }

  async body(messageId: string): Promise<MessageBody> {
    const { thread, rows, results } = this.#folded();
    const message = thread.messages.find((one) => one.id === messageId);
    const row = rows.get(messageId);
    if (!message || !row) throw new TurnbackError('UNKNOWN_MESSAGE', { id: messageId });
    const lines = new LineReader(this.#log.path);
    try {
      const records: Loose[] = [];
      for (const entry of row.entries) records.push(await recordAgain(entry, lines));
      const answers = new Map<string, Block>();
      for (const call of message.tools) {
        const result = results.get(call.id);
        const block = result && blocksOf(await recordAgain(result.entry, lines)).find((one) => asText(one['tool_use_id']) === call.id);
        if (block) answers.set(call.id, block);
      }
      return claudeBody(message, records, answers);
    } finally {
      await lines.close();
    }
  }

  watch(): string[] {
    return [this.#head.log, this.#place.subagents, this.#place.running];
  }

  objectFolders(): string[] {
    if (!this.#fold?.thread.steps.some((step) => step.to !== null)) return [];
    return this.#recorded === null ? [this.#objects.folder] : [this.#objects.folder, path.join(this.#recorded, 'objects')];
  }

  async liveSign(): Promise<string | null> {
    const written = writtenNow(await lastWriteOf([this.#head.log]), Date.now());
    if (written !== null) return written;
    // A window that only waits for the next prompt is no reason to wait.
    const running = endsOpen(this.#log.entries) ? await runningSession(this.#place.running, this.#place.sessionId) : null;
    return running === null || running.status === 'idle' ? null : `Claude Code runs, process ${running.pid}`;
  }

  async close(): Promise<void> {
    this.#fold = null;
  }

  /** The trees of all steps. What was taken of the log before stays, unless the log is another one now. */
  async #trees(recorded: string | null, restarted: boolean): Promise<Map<string, StepTrees>> {
    const root = this.#options.root ?? recorded;
    const samples = new FileSamples(this.#place.backups, root);
    if (recorded === null || this.#options.wordsOnly) return new Map();
    if (restarted || this.#happenings === null) this.#happenings = new Happenings({ root: recorded, objects: this.#objects });
    await this.#happenings.take(this.#log, this.#agents, samples);
    return stepTrees(this.#happenings.list, { objects: this.#objects, samples });
  }

  #folded(): ClaudeFold {
    if (this.#fold === null) throw new TurnbackError('INTERNAL', { cause: 'a thread was asked for before it was read' });
    return this.#fold;
  }

  #notALog(): TurnbackError {
    if (this.#log.size === 0) return new TurnbackError('LOG_EMPTY', { path: this.#head.log });
    return new TurnbackError('NOT_A_LOG', { path: this.#head.log, cause: 'it has no record of a Claude Code session' });
  }

  #headNow(): ThreadHead {
    const first = this.#log.entries.find((entry) => entry.tree.user === 'prompt' && !entry.aside);
    const { title, cwd, size, modifiedMs } = this.#log;
    return {
      ...this.#head,
      title: title ?? first?.excerpt ?? this.#head.title,
      root: this.#options.root ?? cwd,
      parent: this.#place.agentId === null ? null : this.#place.sessionId,
      updatedAt: Math.round(modifiedMs),
      size,
    };
  }

  /** The logs of the session's sub-agents; true when one grew. Not for a sub-agent's own thread. */
  async #readAgents(signal?: AbortSignal): Promise<boolean> {
    if (this.#place.agentId !== null) return false;
    let grew = false;
    for (const name of (await namesIn(this.#place.subagents)).slice(0, MOST_AGENTS)) {
      const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
      if (id === undefined) continue;
      const log = this.#agents.get(id) ?? new ClaudeLog(path.join(this.#place.subagents, name), true);
      this.#agents.set(id, log);
      try {
        if (await log.read(signal)) grew = true;
      } catch (error) {
        if (error instanceof TurnbackError && error.code === 'CANCELLED') throw error;
        // The session itself can be read without it; the call says that its own thread is not there.
        this.#agents.delete(id);
      }
    }
    return grew;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    // Most sessions have no sub-agents, and no folder for them.
    return [];
  }
}
