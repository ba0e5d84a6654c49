import path from 'node:path';
import { reason, TurnbackError } from '../../../shared/errors.ts';
import type { Message, MessageBody, Thread, ThreadHead } from '../../../shared/model.ts';
import { BytePattern } from '../byte-pattern.ts';
import { lastWriteOf, writtenNow } from '../last-write.ts';
import { jsonOf } from '../loose.ts';
import type { OnBytes, OpenOptions, ThreadReader } from '../source.ts';
import { DatabaseStore } from './database-store.ts';
import { foldSession, rootOf } from './fold-session.ts';
import { holderOf } from './live-sign.ts';
import { messageBody } from './message-body.ts';
import { expectedStore, type ObjectPlaces, objectFolders } from './object-folders.ts';
import { dataFolderOf } from './opencode-places.ts';
import type { MessageRow, SessionData, SessionStore } from './rows.ts';
import { endsOpen, sessionStatus } from './session-status.ts';
import { StorageStore } from './storage-store.ts';

/** A session writes its own row with each message; one that did so this recently is at work. */
const AT_WORK_MS = 30_000;

/** Opens a session of OpenCode for reading; nothing is read before the first `read`. */
export async function openReader(head: ThreadHead, options: OpenOptions): Promise<ThreadReader> {
  return new OpencodeReader(head, options);
}

class OpencodeReader implements ThreadReader {
  readonly writer = null;
  readonly #head: ThreadHead;
  readonly #options: OpenOptions;
  readonly #store: SessionStore;
  readonly #isDatabase: boolean;
  #data: SessionData | null = null;
  #thread: Thread | null = null;
  #objects: string[] = [];
  /** The messages by id, made when one is asked for. */
  #byId: Map<string, MessageRow> | null = null;
  #shown: Map<string, Message> | null = null;

  constructor(head: ThreadHead, options: OpenOptions) {
    this.#head = options.root === null ? head : { ...head, root: options.root };
    this.#options = options;
    this.#isDatabase = !head.log.endsWith('.json');
    this.#store = this.#isDatabase
      ? new DatabaseStore({ file: head.log, id: head.threadId, ownData: options.ownData })
      : new StorageStore({ file: head.log, id: head.threadId });
  }

  thread(): Thread {
    if (this.#thread === null) throw new TurnbackError('INTERNAL', { cause: 'a thread was asked for before it was read' });
    return this.#thread;
  }

  async read(signal?: AbortSignal): Promise<boolean> {
    const fresh = await this.#store.read(signal);
    const data = fresh ?? this.#data;
    if (data === null) return false;
    // Time alone can end a turn: a crash leaves it open, and nothing more is written.
    const status = sessionStatus(data, await lastWriteOf(this.#store.watch()), Date.now());
    if (fresh === null && status === this.#thread?.status) return false;
    const places = this.#places(data);
    if (fresh !== null) this.#objects = await objectFolders(places);
    const thread = foldSession(data, this.#headOf(data), status);
    const recorded = thread.steps.some((step) => step.from !== null || step.to !== null);
    if (recorded && this.#objects.length === 0) {
      thread.notices.push(reason('NO_STORE', { path: expectedStore(places.dataFolders[0] ?? '', places) }));
    }
    this.#data = data;
    this.#thread = thread;
    this.#byId = null;
    this.#shown = null;
    return true;
  }

  async body(messageId: string): Promise<MessageBody> {
    this.#byId ??= new Map(this.#data?.messages.map((one) => [one.id, one]));
    this.#shown ??= new Map(this.thread().messages.map((one) => [one.id, one]));
    const [message, row] = [this.#shown.get(messageId), this.#byId.get(messageId)];
    if (!message || !row) throw new TurnbackError('UNKNOWN_MESSAGE', { id: messageId });
    const byRun = this.#data?.session.byRun ?? false;
    return messageBody(message, await this.#store.parts(messageId), { byRun, error: row.error && jsonOf(row.error) });
  }

  async *candidates(words: readonly string[], signal?: AbortSignal, onBytes?: OnBytes): AsyncGenerator<string> {
    const messages = this.#data?.messages ?? [];
    const given = new Set<string>();
    const found = this.#store.matching?.(new BytePattern(words), signal, onBytes) ?? messages.map(({ id }) => id);
    for await (const id of found) {
      if (!given.has(id)) yield id;
      given.add(id);
    }
    // What went wrong is kept with the message itself.
    for (const { id, error } of messages) if (error !== null && !given.has(id)) yield id;
  }

  restMs(): number {
    return this.#store.restMs?.() ?? 0;
  }

  watch(): string[] {
    return this.#store.watch();
  }

  objectFolders(): string[] {
    return this.#objects;
  }

  /**
   * One database serves all of OpenCode's windows and projects, and most users leave one open. So a store that is written speaks
   * about this thread only when a session of this workspace moved, and a process that holds it only while the last answer is open.
   */
  async liveSign(): Promise<string | null> {
    const now = Date.now();
    const written = writtenNow(await lastWriteOf(this.#store.watch()), now);
    if (written !== null && (!this.#isDatabase || (await this.#worksHere(now)))) return written;
    const open = this.#isDatabase && this.#data !== null && endsOpen(this.#data);
    const pid = open ? await holderOf(this.#head.log) : null;
    return pid === null ? null : `OpenCode runs, process ${pid}`;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** A session of the same worktree moved lately, this one or another. */
  async #worksHere(now: number): Promise<boolean> {
    const { id, worktree } = this.#data?.session ?? {};
    const sessions = (await this.#store.sessions?.()) ?? [];
    return sessions.some(
      (row) => (row.id === id || row.worktree === worktree) && (row.updatedAt === null || Math.abs(now - row.updatedAt) < AT_WORK_MS),
    );
  }

  #headOf(data: SessionData): ThreadHead {
    const { title, parentId } = data.session;
    return { ...this.#head, root: this.#head.root ?? rootOf(data), title, parent: parentId, updatedAt: data.session.updatedAt };
  }

  #places(data: SessionData): ObjectPlaces {
    const worktree = rootOf(data);
    const beside = this.#isDatabase ? path.dirname(this.#head.log) : path.resolve(this.#head.log, '../../../..');
    const dataFolders = [this.#options.data, beside, dataFolderOf(this.#options.places)].filter((folder) => folder !== null);
    const roots = [...new Set([this.#options.root, this.#head.root, worktree].filter((root) => root !== null))];
    return { dataFolders: [...new Set(dataFolders)], projectId: data.session.projectId, worktree, roots };
  }
}
