import type { Reason } from '../../../shared/errors.ts';
import type { LogRecord } from '../source.ts';
import type { LogInput } from './log-input.ts';
import type { ThreadMetadata } from './metadata.ts';

/** What a kind of store adds to its log. */
export interface TanstackStore {
  readonly input: LogInput;
  /** False where there is no log that a revert could be kept in. */
  readonly writable: boolean;
  /** Brings `metadata` up to date where it lies outside the log. */
  prepare(): Promise<void>;
  /** What the metadata store says of the thread, as of the last read. */
  readonly metadata: ThreadMetadata;
  /** The workspace, where something beside the thread's own settings tells it. */
  readonly root: string | null;
  /** The questions that wait, where the store keeps them; null where only the log tells. */
  readonly interrupts: ReadonlyMap<string, string | null> | null;
  /** True while a lease of the thread is alive, as of the last read. */
  readonly leased: boolean;
  /** Folders in which snapshot repositories may be, the most likely first. */
  readonly snapshotFolders: readonly string[];
  watch(): string[];
  /** A sign that a program uses the thread, or another one of the workspace, right now. */
  liveSign(root: string | null): Promise<string | null>;
  /** What in the store itself forbids writing. */
  refusals(): Promise<Reason[]>;
  position(): string;
  unmoved(): Promise<boolean>;
  append(batch: readonly LogRecord[]): Promise<void>;
  /** Takes a piece of the batch off the end, where a crash left one behind the position. */
  withdraw(position: string, batch: readonly LogRecord[]): Promise<void>;
}
