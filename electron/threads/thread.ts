import { realpath, stat } from 'node:fs/promises';
import { isRefusal, type Reason, reason } from '../../shared/errors.ts';
import type { Thread, ThreadHead } from '../../shared/model.ts';
import type { Git } from '../snapshots/git.ts';
import { mustHoldFiles } from '../snapshots/must-hold-files.ts';
import { ObjectReader } from '../snapshots/objects.ts';
import { openQuarantine, type SnapshotStore } from '../snapshots/store.ts';
import type { ThreadReader } from './source.ts';
import { type StepFiles, stepFiles } from './step-files.ts';

/** The workspace folder, confirmed to exist with its links resolved, or why it cannot be used. */
async function confirmRoot(root: string | null): Promise<{ root: string | null; why: Reason | null }> {
  if (root === null) return { root: null, why: reason('UNKNOWN_WORKSPACE') };
  try {
    const real = await realpath(root);
    if ((await stat(real)).isDirectory()) return { root: real, why: null };
  } catch {
    // Missing and unreadable are the same to the user: the folder cannot be worked in, and the sentence says what to do.
  }
  return { root: null, why: reason('NO_WORKSPACE', { path: root }) };
}

/** Workspace and snapshots on another side, which the host reaches. */
export interface OtherSide {
  /** The workspace folder there. */
  root: string;
  /** The recorder's own repository there: no quarantine is needed, and nothing of this machine may be written by its paths. */
  store: SnapshotStore;
}

interface Places {
  root: string | null;
  rootReason: Reason | null;
  store: SnapshotStore | null;
  storeReason: Reason | null;
}

/** The parts of a thread whose files are not on this machine: what the other side gives, or why it gives nothing. */
function placesElsewhere(side: OtherSide | Reason): Places {
  if ('store' in side) return { root: null, rootReason: null, store: side.store, storeReason: null };
  return { root: null, rootReason: side, store: null, storeReason: side };
}

/** One open thread: its fold, its workspace, and the snapshots read in quarantine. */
export class OpenThread {
  readonly head: ThreadHead;
  readonly reader: ThreadReader;
  readonly git: Git;
  readonly ownData: string;
  readonly root: string | null;
  readonly rootReason: Reason | null;
  readonly store: SnapshotStore | null;
  readonly storeReason: Reason | null;
  readonly objects: ObjectReader | null;
  #filled = new Map<string, StepFiles>();
  #shown: { of: Thread; thread: Thread } | null = null;

  /** Where workspace and snapshots are, when that is another side; `root` is null then. */
  readonly side: OtherSide | null;

  private constructor(parts: Places & { id: string; reader: ThreadReader; git: Git; ownData: string; side: OtherSide | null }) {
    this.reader = parts.reader;
    this.side = parts.side;
    this.head = this.#named(parts.reader.thread().head, parts.id);
    this.git = parts.git;
    this.ownData = parts.ownData;
    this.root = parts.root;
    this.rootReason = parts.rootReason;
    this.store = parts.store;
    this.storeReason = parts.storeReason;
    this.objects = parts.store ? new ObjectReader(parts.store) : null;
  }

  /**
   * Opens a thread whose reader has read once. A missing git, store or workspace is a reason on the thread, not an error. `side`: for a
   * thread whose files are elsewhere, that side, or why it cannot be reached.
   */
  static async open(options: {
    reader: ThreadReader;
    git: Git;
    ownData: string;
    id?: string;
    side?: OtherSide | Reason | null;
  }): Promise<OpenThread> {
    const { reader, git, ownData } = options;
    const thread = reader.thread();
    const elsewhere = reader.elsewhere?.() ?? null;
    const unreached = elsewhere !== null && thread.head.root === null ? reason('ELSEWHERE', { name: elsewhere.backend }) : null;
    const side = options.side ?? unreached;
    const places = side === null ? await placesHere(options) : placesElsewhere(side);
    const known = side !== null && 'store' in side ? side : null;
    return new OpenThread({ ...places, id: options.id ?? thread.head.id, reader, git, ownData, side: known });
  }

  /** The catalog may have given a longer id, where two stores hold the same thread id. */
  #named(head: ThreadHead, id: string): ThreadHead {
    return { ...head, id, root: this.side?.root ?? head.root };
  }

  /** The thread with what `fill` learned about its steps; the same object until something changes. */
  thread(): Thread {
    const of = this.reader.thread();
    if (this.#shown?.of === of) return this.#shown.thread;
    const notices = [...of.notices];
    for (const why of [this.rootReason, this.storeReason]) {
      if (why && !notices.some((notice) => notice.code === why.code)) notices.push(why);
    }
    const steps = of.steps.map((step) => ({ ...step, ...this.#filled.get(step.id) }));
    const thread = { ...of, head: this.#named(of.head, this.head.id), steps, notices };
    this.#shown = { of, thread };
    return thread;
  }

  /** Reads what is new in the log; true when the thread changed. */
  async refresh(signal?: AbortSignal): Promise<boolean> {
    const changed = await this.reader.read(signal);
    if (changed) this.#filled = keepOnly(this.#filled, this.reader.thread());
    return changed;
  }

  /** Asks the snapshots what every step changed; cheap when nothing is new. */
  async fill(signal?: AbortSignal): Promise<void> {
    const thread = this.reader.thread();
    const missing = thread.steps.filter((step) => !this.#filled.has(step.id));
    if (missing.length === 0) return;
    const found = await stepFiles({ ...thread, steps: missing }, this.store, this.objects, this.storeReason, signal);
    for (const [id, files] of found) this.#filled.set(id, files);
    this.#shown = null;
  }

  async close(): Promise<void> {
    await this.objects?.close();
    await this.reader.close();
  }
}

async function placesHere({ reader, git, ownData }: { reader: ThreadReader; git: Git; ownData: string }): Promise<Places> {
  const thread = reader.thread();
  const { root, why: rootReason } = await confirmRoot(thread.head.root);
  const folders = reader.objectFolders();
  if (folders.length === 0) return { root, rootReason, store: null, storeReason: noStore(thread) };
  try {
    await mustHoldFiles(folders);
    const tree = thread.steps.find((step) => step.to !== null)?.to ?? '';
    const store = await openQuarantine({ git, ownData, objectFolders: folders, format: tree.length === 64 ? 'sha256' : 'sha1' });
    await git.version();
    return { root, rootReason, store, storeReason: null };
  } catch (thrown) {
    return { root, rootReason, store: null, storeReason: reasonOfStore(thrown, folders[0] ?? '') };
  }
}

/** Why there are no object folders: the thread never had snapshots, or the folder that held them is gone. */
function noStore(thread: Thread): Reason {
  const said = thread.notices.find((notice) => notice.code === 'NO_STORE' || notice.code === 'NO_SNAPSHOTS');
  if (said) return said;
  if (thread.head.source === 'dsh') return reason('NO_SNAPSHOTS_DSH');
  return thread.steps.some((step) => step.to !== null) ? reason('NO_STORE', { path: 'of this thread' }) : reason('NO_SNAPSHOTS');
}

/** A git that is missing, old or broken speaks for itself; anything else means that the store cannot be read. */
function reasonOfStore(thrown: unknown, path: string): Reason {
  if (isRefusal(thrown, 'NO_GIT') || isRefusal(thrown, 'GIT_TOO_OLD') || isRefusal(thrown, 'GIT_FAILED')) return thrown.reason;
  return reason('NO_STORE', { path, cause: thrown instanceof Error ? thrown.message : String(thrown) });
}

/** What was learned about steps that still are what they were: a step that grew (an aborted one that ended) is asked again. */
function keepOnly(filled: ReadonlyMap<string, StepFiles>, thread: Thread): Map<string, StepFiles> {
  const kept = new Map<string, StepFiles>();
  for (const step of thread.steps) {
    const known = filled.get(step.id);
    if (known && step.from !== null && step.to !== null) kept.set(step.id, known);
  }
  return kept;
}
