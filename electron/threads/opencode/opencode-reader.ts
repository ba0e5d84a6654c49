import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { MessageBody, Thread, ThreadHead } from '../../../shared/model.ts';
import type { OpenOptions, ThreadReader } from '../source.ts';
import { DatabaseStore } from './database-store.ts';
import { foldSession, rootOf } from './fold-session.ts';
import { lastWriteOf, liveSign } from './live-sign.ts';
import { jsonOf } from './loose.ts';
import { messageBody } from './message-body.ts';
import { objectFolders } from './object-folders.ts';
import { dataFolderOf } from './opencode-places.ts';
import type { SessionData, SessionStore } from './rows.ts';
import { sessionStatus } from './session-status.ts';
import { StorageStore } from './storage-store.ts';

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
    const status = sessionStatus(data, await lastWriteOf(this.#files()), Date.now());
    if (fresh === null && status === this.#thread?.status) return false;
    const thread = foldSession(data, this.#headOf(data), status);
    if (fresh !== null) this.#objects = await objectFolders(this.#places(data));
    this.#data = data;
    this.#thread = thread;
    return true;
  }

  async body(messageId: string): Promise<MessageBody> {
    const message = this.thread().messages.find((one) => one.id === messageId);
    const row = this.#data?.messages.find((one) => one.id === messageId);
    if (!message || !row) throw new TurnbackError('UNKNOWN_MESSAGE', { id: messageId });
    const byRun = this.#data?.session.byRun ?? false;
    return messageBody(message, await this.#store.parts(messageId), { byRun, error: row.error && jsonOf(row.error) });
  }

  watch(): string[] {
    return this.#store.watch();
  }

  objectFolders(): string[] {
    return this.#objects;
  }

  liveSign(): Promise<string | null> {
    return liveSign({ files: this.#files(), database: this.#isDatabase ? this.#head.log : null }, Date.now());
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #files(): string[] {
    return this.#store.watch();
  }

  #headOf(data: SessionData): ThreadHead {
    const { title, parentId } = data.session;
    return { ...this.#head, root: this.#head.root ?? rootOf(data), title, parent: parentId, updatedAt: data.session.updatedAt };
  }

  #places(data: SessionData): Parameters<typeof objectFolders>[0] {
    const worktree = rootOf(data);
    const beside = this.#isDatabase ? path.dirname(this.#head.log) : path.resolve(this.#head.log, '../../../..');
    const dataFolders = [this.#options.data, beside, dataFolderOf(this.#options.places)].filter((folder) => folder !== null);
    const roots = [...new Set([this.#options.root, this.#head.root, worktree].filter((root) => root !== null))];
    return { dataFolders: [...new Set(dataFolders)], projectId: data.session.projectId, worktree, roots };
  }
}
