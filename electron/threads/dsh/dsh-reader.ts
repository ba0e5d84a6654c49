import { stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { MessageBody, Thread, ThreadHead } from '../../../shared/model.ts';
import { readLogBytes } from '../log-lines.ts';
import { PartSpool } from '../part-spool.ts';
import type { LogWriter, OnBytes, OpenOptions, Recaller, ThreadReader } from '../source.ts';
import { asideBody } from './dsh-asides.ts';
import type { DshEvent } from './dsh-event.ts';
import { readDshFile } from './dsh-file.ts';
import { type DshFold, foldDsh, titleOf } from './dsh-fold.ts';
import type { Generation } from './dsh-layout.ts';
import type { DshLog } from './dsh-log.ts';
import { bodyOf } from './dsh-messages.ts';
import { DshRecaller } from './dsh-recaller.ts';
import { hostLists } from './host-lists.ts';
import { wholeEvent } from './lean-event.ts';
import { liveSignOf } from './liveness.ts';

/**
 * An opened DSH session. The whole log is read again when its file changed; it holds no handle in between. Long texts are not held
 * either: they are read when their message is looked at.
 */
export class DshReader implements ThreadReader {
  readonly writer: LogWriter | null = null;
  readonly recall: Recaller;
  readonly #generation: Generation;
  readonly #head: ThreadHead;
  #identity = '';
  #length = 0;
  #log: DshLog | null = null;
  #fold: DshFold | null = null;
  readonly #tmpDir: string;
  #spool: PartSpool;

  constructor(generation: Generation, head: ThreadHead, options: OpenOptions) {
    this.#generation = generation;
    this.#head = { ...head, root: options.root ?? head.root };
    this.#tmpDir = path.join(options.ownData, 'tmp');
    this.#spool = new PartSpool(this.#tmpDir);
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

  async read(signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean> {
    const { file, zstd } = this.#generation;
    const found = await stat(file, { bigint: true });
    const identity = `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
    if (identity === this.#identity) return false;
    const spool = new PartSpool(this.#tmpDir);
    const { log, length } = await this.#readWith(spool, { file, zstd, signal, onBytes });
    const before = this.#spool;
    this.#identity = identity;
    this.#length = length;
    this.#log = log;
    this.#spool = spool;
    this.#fold = foldDsh(log, {
      ...this.#head,
      title: titleOf(log.events) ?? this.#head.title,
      size: Number(found.size),
      updatedAt: Number(found.mtimeMs),
    });
    await before.close();
    return true;
  }

  async #readWith(
    spool: PartSpool,
    { file, zstd, signal, onBytes }: { file: string; zstd: boolean; signal: AbortSignal | undefined; onBytes: OnBytes | undefined },
  ): Promise<{ log: DshLog; length: number }> {
    try {
      const { log, length } = await readDshFile(file, zstd, { spool, signal, onBytes });
      if (log === null) throw new TurnbackError('NOT_A_LOG', { path: file, cause: 'it has no header of a DSH session' });
      return { log, length };
    } catch (thrown) {
      await spool.close();
      throw thrown;
    }
  }

  /** The event with all that its line says. Throws LOG_MOVED when the log is another one by now. */
  async #whole(event: DshEvent): Promise<DshEvent> {
    if (event.cut === undefined) return event;
    const { file, zstd } = this.#generation;
    const { offset, length } = event.cut;
    const line = zstd ? Buffer.from((await this.#spool.read([event.cut]))[0] ?? '') : await readLogBytes(file, offset, length);
    const whole = wholeEvent(event, line);
    if (whole === null) throw new TurnbackError('LOG_MOVED', { path: file });
    return whole;
  }

  async body(messageId: string): Promise<MessageBody> {
    const { eventOf, asides, thread } = this.fold();
    const aside = asides.get(messageId);
    if (aside) return asideBody(messageId, await Promise.all(aside.map((one) => this.#whole(one))));
    const event = eventOf.get(messageId);
    const row = thread.messages.find((message) => message.id === messageId);
    if (!event || !row) throw new TurnbackError('UNKNOWN_MESSAGE', { id: messageId });
    return bodyOf(await this.#whole(event), row, this.log().header.version);
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
    await this.#spool.close();
  }
}
