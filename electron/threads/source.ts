import type { Reason } from '../../shared/errors.ts';
import type { MessageBody, Problem, SourceKind, Thread, ThreadHead } from '../../shared/model.ts';
import type { SideEffect } from '../../shared/plan.ts';
import type { Git } from '../snapshots/git.ts';

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
  /** There is a way to another side, where a thread says that its workspace is there. */
  via?: boolean;
  /** Only its words are asked for: what is made for the files of its steps alone may be left out. */
  wordsOnly?: boolean;
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
  /**
   * Takes a piece of the batch off the end of the log, which a crash in the middle of its append at `position` left there. What is
   * whole stays, and so does what anybody else wrote. Read again afterwards.
   */
  withdraw(position: string, batch: readonly LogRecord[]): Promise<void>;
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

/** What a recall covers, in numbers of the agent's log: plain data that can be kept (formats/dsh.md, recall step by step). */
export interface RecallSpan {
  targetSeq: number;
  targetMessageId: string;
  startSeq: number;
  endSeq: number;
  /** Every node of the surface that goes, in its order. */
  nodes: number[];
  /** How many events the log held when the span was made. */
  logLength: number;
}

/** What one turn did to one file; null stands for no file. */
export interface RecallChange {
  /** The content before the turn, from the one that it left; a conflict when it did not leave this one. */
  takeOut(now: Buffer | null): { content: Buffer | null } | Reason;
  /** The other way: the content after the turn, from the one before it; a conflict when the change is not out of this one. */
  putIn(before: Buffer | null): { content: Buffer | null } | Reason;
}

/** The files that one turn changed, as the agent's own service lists them. */
export interface RecallList {
  turn: number;
  seq: number;
  /** The turn was recalled before, and its files may have been put back then. */
  recalled: boolean;
  /** The list is cut where this is more than there are files. */
  total: number;
  files: { path: string; added: number; removed: number; binary: boolean }[];
}

/** What taking everything after a stop back would mean. */
export interface RecallOffer {
  span: RecallSpan;
  /** The stop just before the prompt. */
  stop: number;
  /** The prompt's own text. */
  text: string;
  turns: number[];
  /** Messages of the thread that go, as places in its list. */
  rows: number[];
  sideEffects: SideEffect[];
  /** Newest turn first. */
  lists: RecallList[];
  /** Why the gate does not let it through. */
  refusal: Reason | null;
  /** Sign that a program holds the thread open, seen while its lists were read: nothing may be added to the log then. */
  live: string | null;
}

/** Bytes that a recall adds to the agent's log, and where: kept before they are written, so that it is known afterwards how far it came. */
export interface RecallBatch {
  /** Bytes of the log before it. */
  length: number;
  bytes: Buffer;
}

/**
 * Taking messages back where the agent itself calls that a recall: a tombstone in its log instead of a record of a revert
 * (formats/dsh.md 6 and 7). Everything speaks of the log as it was read last, unless it says otherwise.
 */
export interface Recaller {
  /** The place in the log that the current fold ends at; opaque. */
  position(): string;
  /** Why nothing may be recalled in this log, whatever the message; null when something may. */
  refusal(): Promise<Reason | null>;
  /** The recall of everything after the stop, with its gate; a reason when no recall can start there. Asks a running host for its lists. */
  offer(stop: number): Promise<RecallOffer | Reason>;
  /** The same for a span that was planned before: its words and calls. The gate let it through then. */
  again(span: RecallSpan): RecallOffer;
  /** Does the log end inside a step, where a tombstone may stand? */
  stepIsOpen(): boolean;
  /** What became of a planned span: it still waits for a step, may be carried out now, was done, or does not fit any more. */
  stateOf(span: RecallSpan): 'waits' | 'ready' | 'done' | 'stale';
  /** The change of one file of a list, or why no list can take it back. Asks a running host. */
  change(list: RecallList, index: number): Promise<RecallChange | Reason>;
  /** The tombstone of a span, the whole log validated with it. `id` names it. Throws why it cannot be, LOG_MOVED when the log grew. */
  prepare(span: RecallSpan, id: string, at: number): Promise<RecallBatch>;
  /** Is the tombstone of this id in the log? */
  has(id: string): boolean;
  /** How much of a batch the log on disk holds at its place; `other` when something else stands there. */
  holds(batch: RecallBatch): Promise<'none' | 'part' | 'all' | 'other'>;
  /** Appends what is missing of a batch. Durable when it resolves; on failure the log ends where it ended. Throws LOG_MOVED, LOG_LIVE. */
  append(batch: RecallBatch): Promise<void>;
  /** Takes an unfinished piece of the batch off the end of the log; a whole one stays. */
  withdraw(batch: RecallBatch): Promise<void>;
}

/** Where our own recorder keeps this thread's snapshots: a repository that no other thread uses. */
export interface RecordedSnapshots {
  root: string;
  dataDir: string;
  /** Name of its folder in `dataDir`. */
  repository: string;
  tenantId: string | null;
  threadId: string;
}

/** The same on another side: the paths are those there. */
export interface ElsewhereSnapshots extends RecordedSnapshots {
  /** What the log calls that side. */
  backend: string;
}

/** Called while bytes of a log are read: how many of how many. */
export type OnBytes = (done: number, total: number) => void;

/** The end of a log, read before all the rest. */
export interface Preview {
  /** Its last messages; stops are those of the whole thread, turns are counted from the first one here. */
  thread: Thread;
  /** Byte at which they begin, and the size of the log. */
  from: number;
  size: number;
}

/** An opened thread of one source. Nothing is locked and no handle stays open between calls. */
export interface ThreadReader {
  /** The fold as of the last `read`; cheap. */
  thread(): Thread;
  /** Reads what is new; true when the fold changed. Other work gets its turn meanwhile. */
  read(signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean>;
  /** For a large log, its last messages without reading the rest; null when they cannot be known. Their bodies can be asked for until `read` ends. */
  preview?(signal?: AbortSignal): Promise<Preview | null>;
  /** Ids of the messages whose stored bytes may hold one of the words, in order; absent where looking at every message costs little. */
  candidates?(words: readonly string[], signal?: AbortSignal, onBytes?: OnBytes): AsyncIterable<string>;
  /** Milliseconds to rest between two reads while following, where reading is dear; absent: none. */
  restMs?(): number;
  body(messageId: string): Promise<MessageBody>;
  /** Files and folders whose change means that the thread may have grown. */
  watch(): string[];
  /** Object folders that hold this thread's trees (foreign, read in quarantine); empty when there are none. */
  objectFolders(): string[];
  /** The snapshots that our recorder made of this thread; null, or absent, for every other. */
  recorded?(): RecordedSnapshots | null;
  /** Where our recorder keeps workspace and snapshots when that is another side; null, or absent, for every other thread. */
  elsewhere?(): ElsewhereSnapshots | null;
  /** Signs that a program uses the thread right now, as words; null when there is none. */
  liveSign(): Promise<string | null>;
  readonly writer: LogWriter | null;
  /** For a source whose agent takes messages back by recall. */
  readonly recall?: Recaller;
  close(): Promise<void>;
}

/** Names a thread whose copies in our own data folder shall go. */
export interface OwnCopies {
  git: Git;
  ownData: string;
  log: string;
  now: number;
}

/** What each kind of store implements. */
export interface Source {
  readonly kind: SourceKind;
  /** The threads in the known places; a store that cannot be read is a problem, not an error. Cheap: reads heads only. */
  list(places: Places): Promise<Listing>;
  /** The threads at a path: a log, a store, a folder of it, or a workspace. Empty when the path is not of this kind. */
  locate(path: string, places: Places): Promise<ThreadHead[]>;
  open(head: ThreadHead, options: OpenOptions): Promise<ThreadReader>;
  /**
   * May a log hold every one of the words? False, or the `threadId`s of those threads that may, where its bytes tell; true says
   * nothing. Absent: it has to be opened.
   */
  mayHold?(log: string, words: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string> | boolean>;
  /** One thread of a log, without looking through all of the log for others; absent where `locate` is as cheap. */
  head?(log: string, threadId: string, places: Places): Promise<ThreadHead | null>;
  /** Removes what reading or recording a thread of this kind left in our own data folder. Only sources that leave something have it. */
  forget?(copies: OwnCopies): Promise<void>;
}
