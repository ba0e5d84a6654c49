import type { Reason } from '../../shared/errors.ts';
import type { MessageBody, Problem, SourceKind, Thread, ThreadHead } from '../../shared/model.ts';

/** Where stores are looked for. Every path absolute. */
export interface Places {
  home: string;
  /** The environment, for the tools' own overrides (XDG_DATA_HOME, DSH_HOME, OPENCODE_DB, …). */
  env: Readonly<Record<string, string | undefined>>;
}

export interface Listing {
  threads: ThreadHead[];
  problems: Problem[];
}

export interface OpenOptions {
  /** The workspace, where the user named one; wins over the log's own. */
  root: string | null;
  /** The snapshot folder (the harness's `dataDir`), where the user named one. */
  data: string | null;
  places: Places;
  /** Turnback's own data folder; private copies of databases go below it. */
  ownData: string;
}

/** One way to keep tanstack-style records of a travel in the agent's own log. Only sources that allow it have one. */
export interface LogWriter {
  /** Every reason why nothing may be written now (`formats/tanstack.md`, when the viewer must refuse). Reads the store again. */
  refusals(): Promise<Reason[]>;
  /** The place in the log that the current fold ends at; opaque. */
  position(): string;
  /** True while nobody appended since the fold. Reads the store. */
  unmoved(): Promise<boolean>;
  /** Appends one batch if the log still ends at `position()`; otherwise throws LOG_MOVED and writes nothing. Durable when it resolves. */
  append(batch: readonly LogRecord[]): Promise<void>;
  /** Puts `text` and blob files into the agent's snapshot store: the object folder that trees for the agent are written to. */
  readonly objects: string | null;
  /** The records of a revert to the stop, exactly as the harness writes them (and the end of a standing one first). */
  revert(target: { stop: number; now: string | null; files: readonly string[] | null; at: number }): LogRecord[];
  unrevert(at: number): LogRecord[];
  /** What `/undo` would act on: the last turn's trees and the index its messages start at; null when nothing. */
  undoPoint(): UndoPoint | null;
  undo(point: UndoPoint, at: number): LogRecord[];
  redoPoint(): RedoPoint | null;
  redo(point: RedoPoint, at: number): LogRecord[];
}

export type LogRecord = { readonly type: string; readonly [key: string]: unknown };

export interface UndoPoint {
  /** Messages that stay. */
  keep: number;
  from: string | null;
  to: string | null;
  files: string[];
  turn: number;
}

export interface RedoPoint {
  keep: number;
  /** The removed messages, byte for byte as the log had them. */
  messages: unknown[];
  from: string | null;
  to: string | null;
  files: string[];
}

/** An opened thread of one source. Nothing is locked and no handle stays open between calls. */
export interface ThreadReader {
  /** The fold as of the last `read`; cheap. */
  thread(): Thread;
  /** Reads what is new; true when the fold changed. */
  read(signal?: AbortSignal): Promise<boolean>;
  body(messageId: string): Promise<MessageBody>;
  /** Files and folders whose change means that the thread may have grown. */
  watch(): string[];
  /** Object folders that hold this thread's trees (foreign, read in quarantine); empty when there are none. */
  objectFolders(): string[];
  /** Signs that a program uses the thread right now, as words; null when there is none. */
  liveSign(): Promise<string | null>;
  readonly writer: LogWriter | null;
  close(): Promise<void>;
}

/** What each kind of store implements. */
export interface Source {
  readonly kind: SourceKind;
  /** The threads in the known places; a store that cannot be read is a problem, not an error. Cheap: reads heads only. */
  list(places: Places): Promise<Listing>;
  /** The threads at a path: a log, a store, a folder of it, or a workspace. Empty when the path is not of this kind. */
  locate(path: string, places: Places): Promise<ThreadHead[]>;
  open(head: ThreadHead, options: OpenOptions): Promise<ThreadReader>;
}
