import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { Clock } from './clock.ts';
import { Emitter } from './emitter.ts';
import type { ThreadFold } from './fold.ts';
import type { ThreadLog } from './log.ts';
import type { LogEntry } from './log-file.ts';
import { FilesSkipped, SnapshotFailed } from './recorder-events.ts';
import { type LogRecord, records } from './records.ts';
import type { Reporting } from './reporting.ts';
import type { Repository } from './repository.ts';
import { Serial } from './serial.ts';

/** Records of others that change what ours are computed from. */
const CHANGES = /^(?:harness\.transcript|harness\.revert|harness\.input|turnback\/undo-point)/;

/** The words of a failure as the harness puts them: `snapshots: …`. */
export function snapshotMessage(error: unknown): string {
  if (error instanceof TurnbackError && error.code === 'NO_GIT') return 'snapshots: git was not found. Snapshots are off.';
  return `snapshots: ${error instanceof Error ? error.message : String(error)}`;
}

/** What the parts of one session share: its log and fold, its repository, its listeners. */
export class Core {
  readonly threadId: string;
  readonly root: string;
  readonly clock: Clock;
  readonly reporting: Reporting | undefined;
  readonly principal: Record<string, unknown> | null;
  readonly emitter = new Emitter();
  readonly fold: ThreadFold;
  /** Null while snapshots are off. */
  repository: Repository | null = null;
  readonly #log: ThreadLog;
  readonly #writes = new Serial();
  #staged: LogRecord[] = [];
  #closed = false;

  constructor(o: {
    threadId: string;
    root: string;
    clock: Clock;
    reporting: Reporting | undefined;
    principal: Record<string, unknown> | null;
    fold: ThreadFold;
    log: ThreadLog;
  }) {
    this.threadId = o.threadId;
    this.root = o.root;
    this.clock = o.clock;
    this.reporting = o.reporting;
    this.principal = o.principal;
    this.fold = o.fold;
    this.#log = o.log;
  }

  get seq(): number {
    return this.#log.seq;
  }

  get logPath(): string {
    return this.#log.path;
  }

  /** Reads what others appended since. Only while no turn runs: what a turn computes must not move under it. */
  refresh(): Promise<LogEntry[]> {
    return this.#writes.run(() => this.#read());
  }

  /** An event record that goes out with the next batch, before its records (formats/tanstack.md 4.1). */
  stage(record: LogRecord): void {
    this.#staged.push(record);
  }

  event(operationId: string, event: Record<string, unknown>): void {
    this.stage(records.event(operationId, event, this.clock.now()));
  }

  custom(operationId: string, name: string, value: unknown): void {
    this.stage(records.custom(operationId, name, value, this.clock.now()));
  }

  /**
   * Appends one batch; durable when it resolves. `make` sees the fold as it is at that moment. When another writer appended something
   * that changes no message, ours goes behind it; when it changed what ours is computed from, LOG_MOVED is thrown.
   */
  append(make: (fold: ThreadFold) => readonly LogRecord[]): Promise<void> {
    return this.#writes.run(async () => {
      if (this.#closed) throw new TurnbackError('SESSION_CLOSED');
      const staged = this.#staged;
      this.#staged = [];
      try {
        await this.#write([...staged, ...make(this.fold)]);
      } catch (error) {
        this.#staged = [...staged, ...this.#staged];
        throw error;
      }
    });
  }

  /** A failed snapshot: told to listeners and kept in the log; the turn goes on. */
  failed(error: unknown, operationId = 'session'): void {
    const message = snapshotMessage(error);
    this.emitter.keep(SnapshotFailed, { message });
    this.custom(operationId, 'harness.plugin.event', { plugin: 'tanstack/snapshots', name: SnapshotFailed.name, value: { message } });
  }

  skipped(files: readonly { path: TreePath; why: string }[]): void {
    if (files.length > 0) this.emitter.keep(FilesSkipped, { files: [...files] });
  }

  async close(): Promise<void> {
    await this.#writes.run(async () => {
      try {
        if (this.#staged.length > 0) await this.#write(this.#staged);
        this.#staged = [];
      } finally {
        this.#closed = true;
        await this.#log.close();
      }
    });
  }

  async #write(batch: readonly LogRecord[]): Promise<void> {
    let entries: LogEntry[];
    try {
      entries = await this.#log.append(batch);
    } catch (error) {
      if (!(error instanceof TurnbackError) || error.code !== 'LOG_MOVED') throw error;
      const others = await this.#read();
      if (others.length === 0 || others.some(({ record }) => CHANGES.test(record.type))) throw error;
      entries = await this.#log.append(batch);
    }
    for (const { record } of entries) this.fold.add(record);
  }

  async #read(): Promise<LogEntry[]> {
    const entries = await this.#log.read();
    for (const { record } of entries) this.fold.add(record);
    return entries;
  }
}
