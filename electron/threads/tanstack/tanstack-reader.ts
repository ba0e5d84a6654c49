import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Reason, reason, TurnbackError } from '../../../shared/errors.ts';
import type { MessageBody, Thread, ThreadHead, ThreadStatus } from '../../../shared/model.ts';
import { readLogBytes } from '../log-lines.ts';
import type { ElsewhereSnapshots, LogWriter, OnBytes, OpenOptions, Preview, RecordedSnapshots, ThreadReader } from '../source.ts';
import { candidateRows } from './candidate-rows.ts';
import { findSnapshots, isOfAnotherRoot, type Repository } from './find-snapshots.ts';
import { JsonlStore } from './jsonl-store.ts';
import { LogFold } from './log-fold.ts';
import { badLineBody, messageBody, rawBody } from './message-body.ts';
import { type Entry, entryContent, entryKey } from './message-entry.ts';
import { isObject, type JsonObject } from './record.ts';
import { recorderSign } from './recorder-lease.ts';
import { foldRefusals } from './refusals.ts';
import type { TanstackStore } from './store.ts';
import { type TailModel, tailModel } from './tail-model.ts';
import { TanstackWriter } from './tanstack-writer.ts';
import { emptyModel, type ThreadModel, threadModel, titleOf } from './thread-model.ts';
import { undoPointOf } from './undo-points.ts';

/** A log that rests longer than this shows work that nobody does any more. */
const RECENT_MS = 10 * 60_000;
/** A sign is looked for once for a plan and its refusals. */
const SIGN_MS = 1500;
const MOST_BAD_BYTES = 1 << 20;

/** One thread of a harness log. */
export class TanstackReader implements ThreadReader {
  readonly writer: LogWriter | null;
  readonly #head: ThreadHead;
  readonly #options: OpenOptions;
  readonly #store: TanstackStore;
  readonly #logId: string;
  #log: LogFold;
  #model: ThreadModel;
  /** The end of the log while all of it is being read. */
  #tail: TailModel | null = null;
  #repository: Repository | null = null;
  #wrongRoot: Reason | null = null;
  #reading: Promise<unknown> = Promise.resolve();
  #sign: { at: number; sign: string | null } | null = null;

  constructor(options: { head: ThreadHead; open: OpenOptions; store: TanstackStore; logId: string }) {
    this.#head = options.head;
    this.#options = options.open;
    this.#store = options.store;
    this.#logId = options.logId;
    this.#log = this.#newLog();
    this.#model = emptyModel(this.#head);
    const writer = new TanstackWriter({
      store: this.#store,
      log: () => this.#log,
      waiting: () => this.#model.thread.status === 'waiting',
      repository: () => this.#repository,
      workspaceReason: () => this.#workspaceReason(),
      liveSign: () => this.liveSign(),
    });
    this.writer = this.#store.writable ? writer : null;
  }

  thread(): Thread {
    return this.#model.thread;
  }

  /** Reads one after the other: two at once would feed the fold twice. */
  read(signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean> {
    const next = this.#reading.then(
      () => this.#read(signal, onBytes),
      () => this.#read(signal, onBytes),
    );
    this.#reading = next.catch(() => undefined);
    return next;
  }

  async preview(signal?: AbortSignal): Promise<Preview | null> {
    if (!(this.#store instanceof JsonlStore)) return null;
    const head = { ...this.#head, root: this.#root };
    this.#tail = await tailModel(this.#head.log, { head, logId: this.#logId, size: (await stat(this.#head.log)).size, signal });
    return this.#tail;
  }

  async #read(signal: AbortSignal | undefined, onBytes: OnBytes | undefined): Promise<boolean> {
    await this.#store.prepare();
    const reader = this;
    const sink = {
      get fold() {
        return reader.#log;
      },
      restart: () => {
        this.#log = this.#newLog();
      },
    };
    const changed = await this.#store.input.read(sink, signal, onBytes);
    if (changed || this.#repository === null) await this.#findRepository();
    if (changed) await this.#loadLastTurn();
    const model = await this.#build();
    if (!changed && sameSurroundings(model.thread, this.#model.thread)) return false;
    this.#model = model;
    this.#tail = null;
    return true;
  }

  #newLog(): LogFold {
    const log = new LogFold({ threadId: this.#head.threadId, logId: this.#logId, root: this.#namedRoot() });
    log.thread.addEarlierSteps(this.#store.metadata.steps);
    // With a log the revert that stands is the log's; without one it is kept in the metadata.
    if (!this.#store.writable) log.thread.setRevert(this.#store.metadata.revert);
    return log;
  }

  #namedRoot(): string | null {
    return this.#options.root ?? this.#store.metadata.root ?? this.#store.root;
  }

  get #root(): string | null {
    return this.#namedRoot() ?? this.#log.thread.workspace?.root ?? this.#head.root;
  }

  async #findRepository(): Promise<void> {
    const { workspace, steps } = this.#log.thread;
    const recorded = this.#recordedRepository;
    const named = [this.#options.data, recorded, workspace?.dataDir].flatMap((one) => one ?? []);
    const trees = steps.flatMap((step) => step.to ?? []).reverse();
    const root = this.#root;
    this.#repository = await findSnapshots({ root, folders: [...named, ...this.#store.snapshotFolders], trees });
    const found = this.#repository;
    const ours = found !== null && found.gitDir === recorded;
    const foreign = found !== null && root !== null && !ours && (await isOfAnotherRoot(found, root));
    this.#wrongRoot = foreign ? reason('WRONG_WORKSPACE', { path: root }) : null;
  }

  get #recordedRepository(): string | null {
    const { dataDir, repository } = this.#log.thread.workspace ?? { dataDir: null, repository: null };
    return dataDir === null || repository === null ? null : path.join(dataDir, repository);
  }

  #workspaceReason(): Reason | null {
    if (this.#wrongRoot) return this.#wrongRoot;
    const { elsewhere } = this.#log.thread;
    if (elsewhere !== null && this.#root === null) return this.#options.via ? null : reason('ELSEWHERE', { name: elsewhere.backend });
    return this.#root === null && this.#log.thread.steps.length > 0 ? reason('UNKNOWN_WORKSPACE') : null;
  }

  /** Messages of the last turn that the fold let go of (their turn had ended, and went on later). */
  async #loadLastTurn(): Promise<void> {
    const { live } = this.#log.thread.transcript;
    const keep = undoPointOf(this.#log.thread)?.keep ?? live.length;
    for (const entry of live.slice(keep)) entry.message ??= await this.#messageOf(entry);
  }

  get #interrupts(): ReadonlyMap<string, string | null> {
    return this.#store.interrupts ?? this.#log.thread.events.interrupts;
  }

  #status(): ThreadStatus {
    const said = this.#log.thread.status;
    const { interrupts } = this.#store;
    if (said === 'running') return this.#store.leased || this.#isRecent() ? 'running' : 'unknown';
    if (interrupts !== null) return interrupts.size > 0 ? 'waiting' : 'idle';
    return this.#store.metadata.interrupted ? 'waiting' : said;
  }

  #isRecent(): boolean {
    const { modifiedMs } = this.#store.input;
    return modifiedMs !== null && Math.abs(Date.now() - modifiedMs) < RECENT_MS;
  }

  #notices(): Reason[] {
    const { thread } = this.#log;
    const standing = ['LOG_RUNNING', 'LOG_WAITING'];
    const notices = foldRefusals(this.#log, { torn: this.#store.input.torn, waiting: false }).filter(
      ({ code }) => !standing.includes(code),
    );
    if (this.#wrongRoot) notices.push(this.#wrongRoot);
    if (thread.steps.some((step) => step.toolCallIds === null)) notices.push(reason('NO_TOOL_CALLS'));
    const looked = thread.elsewhere === null || this.#options.data !== null;
    if (looked && this.#repository === null && thread.steps.some((step) => step.to !== null)) {
      const named = this.#options.data ?? this.#recordedRepository ?? this.#store.snapshotFolders[0] ?? '';
      notices.push(reason('NO_STORE', { path: named }));
    }
    if (this.#store instanceof JsonlStore && this.#store.damaged) notices.push(this.#store.damaged);
    return notices;
  }

  #build(): Promise<ThreadModel> {
    const { input } = this.#store;
    const head: ThreadHead = {
      ...this.#head,
      root: this.#root,
      title: titleOf(this.#log.thread) ?? this.#head.title,
      updatedAt: input.modifiedMs ?? this.#head.updatedAt,
      size: input.size ?? this.#head.size,
    };
    return threadModel(this.#log, { head, status: this.#status(), notices: this.#notices(), interrupts: this.#interrupts });
  }

  async #messageOf(entry: Entry): Promise<JsonObject | null> {
    const record = await this.#store.input.record(entry.place.ref);
    const list = record?.[entry.place.field];
    const message: unknown = Array.isArray(list) ? list[entry.place.index] : null;
    return isObject(message) && entryKey(entryContent(message, null)) === entry.key ? message : null;
  }

  async body(messageId: string): Promise<MessageBody> {
    const model = this.#tail ?? this.#model;
    const entry = model.rows.get(messageId);
    if (entry === undefined) return this.#badBody(messageId);
    if (entry.raw !== null) {
      const records = await Promise.all(entry.raw.places.map((ref) => this.#store.input.record(ref)));
      return rawBody(
        messageId,
        records.flatMap((record) => (record === null ? [] : [{ type: entry.raw?.type ?? '', record }])),
      );
    }
    const message = entry.message ?? (await this.#messageOf(entry));
    if (message === null) throw new TurnbackError('UNKNOWN_MESSAGE', { id: messageId });
    return messageBody(messageId, message, model.calls.get(entry) ?? []);
  }

  /** `line:<n>` names a line that could not be read. */
  async #badBody(id: string): Promise<MessageBody> {
    const { input } = this.#store;
    const place = this.#store instanceof JsonlStore ? this.#store.input.badPlace(Number(/^line:(\d+)$/.exec(id)?.[1])) : null;
    if (place === null) throw new TurnbackError('UNKNOWN_MESSAGE', { id });
    return badLineBody(id, await readLogBytes(input.path, place.offset, Math.min(place.length, MOST_BAD_BYTES)));
  }

  candidates(words: readonly string[], signal?: AbortSignal, onBytes?: OnBytes): AsyncIterable<string> {
    return candidateRows(this.#model.rows, this.#store.input, words, { signal, onBytes });
  }

  watch(): string[] {
    return this.#store.watch();
  }

  objectFolders(): string[] {
    return this.#repository === null ? [] : [this.#repository.objects];
  }

  recorded(): RecordedSnapshots | null {
    const { root, dataDir, repository, tenantId } = this.#log.thread.workspace ?? {};
    if (!root || !dataDir || !repository) return null;
    return { root, dataDir, repository, tenantId: tenantId ?? null, threadId: this.#head.threadId };
  }

  elsewhere(): ElsewhereSnapshots | null {
    const { elsewhere } = this.#log.thread;
    return elsewhere && { ...elsewhere, threadId: this.#head.threadId };
  }

  async liveSign(): Promise<string | null> {
    if (this.#sign && Date.now() - this.#sign.at < SIGN_MS) return this.#sign.sign;
    const held = this.#repository === null ? null : await recorderSign(path.resolve(this.#repository.gitDir));
    const sign = held ?? (await this.#store.liveSign(this.#root));
    this.#sign = { at: Date.now(), sign };
    return sign;
  }

  async close(): Promise<void> {
    await this.#reading;
  }
}

function sameSurroundings(a: Thread, b: Thread): boolean {
  const facts = ({ status, notices, head }: Thread): unknown => [status, notices, head.root, head.title];
  return JSON.stringify(facts(a)) === JSON.stringify(facts(b));
}
