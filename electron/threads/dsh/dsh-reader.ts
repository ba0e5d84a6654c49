import { stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { MessageBody, Thread, ThreadHead } from '../../../shared/model.ts';
import { readRegular } from '../../snapshots/regular-file.ts';
import type { LogWriter, OpenOptions, Recaller, ThreadReader } from '../source.ts';
import { asideBody } from './dsh-asides.ts';
import { type DshFold, foldDsh, titleOf } from './dsh-fold.ts';
import type { Generation } from './dsh-layout.ts';
import { type DshLog, readLog } from './dsh-log.ts';
import { bodyOf } from './dsh-messages.ts';
import { DshRecaller } from './dsh-recaller.ts';
import { hostLists } from './host-lists.ts';
import { liveSignOf } from './liveness.ts';

/** An opened DSH session. The whole log is read again when its file changed; it holds no handle in between. */
export class DshReader implements ThreadReader {
  readonly writer: LogWriter | null = null;
  readonly recall: Recaller;
  readonly #generation: Generation;
  readonly #head: ThreadHead;
  #identity = '';
  #length = 0;
  #log: DshLog | null = null;
  #fold: DshFold | null = null;

  constructor(generation: Generation, head: ThreadHead, options: OpenOptions) {
    this.#generation = generation;
    this.#head = { ...head, root: options.root ?? head.root };
    const lists = hostLists(options.places.env);
    this.recall = new DshRecaller({ generation, lists, log: () => this.log(), fold: () => this.fold(), length: () => this.#length });
  }

  /** The log as last read. */
  log(): DshLog {
    if (this.#log === null) throw new TurnbackError('LOG_EMPTY', { path: this.#generation.file });
    return this.#log;
  }

  fold(): DshFold {
    if (this.#fold === null) throw new TurnbackError('LOG_EMPTY', { path: this.#generation.file });
    return this.#fold;
  }

  thread(): Thread {
    return this.fold().thread;
  }

  async read(): Promise<boolean> {
    const { file, zstd } = this.#generation;
    const found = await stat(file, { bigint: true });
    const identity = `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
    if (identity === this.#identity) return false;
    const bytes = await readRegular(file);
    const log = readLog(bytes, zstd);
    if (log === null) throw new TurnbackError('NOT_A_LOG', { path: file, cause: 'it has no header of a DSH session' });
    this.#identity = identity;
    this.#length = bytes.length;
    this.#log = log;
    this.#fold = foldDsh(log, {
      ...this.#head,
      title: titleOf(log.events) ?? this.#head.title,
      size: Number(found.size),
      updatedAt: Number(found.mtimeMs),
    });
    return true;
  }

  async body(messageId: string): Promise<MessageBody> {
    const { eventOf, asides, thread } = this.fold();
    const aside = asides.get(messageId);
    if (aside) return asideBody(messageId, aside);
    const event = eventOf.get(messageId);
    const row = thread.messages.find((message) => message.id === messageId);
    if (!event || !row) throw new TurnbackError('UNKNOWN_MESSAGE', { id: messageId });
    return bodyOf(event, row, this.log().header.version);
  }

  watch(): string[] {
    return [this.#generation.file];
  }

  /** DSH keeps its trees in memory and a temporary folder; its logs name none. */
  objectFolders(): string[] {
    return [];
  }

  liveSign(): Promise<string | null> {
    return liveSignOf(path.dirname(this.#generation.file), this.#generation.file);
  }

  async close(): Promise<void> {
    this.#log = null;
    this.#fold = null;
    this.#identity = '';
  }
}
