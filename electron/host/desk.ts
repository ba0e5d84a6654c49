import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { EventName, FileDiff, Range, ThreadView } from '../../shared/contract.ts';
import { type Reason, reasonOf, TurnbackError } from '../../shared/errors.ts';
import type { FileChange, MessageBody, ThreadHead } from '../../shared/model.ts';
import type { HistoryEntry, Interrupted, Plan, TravelResult } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { makeSample } from '../recorder/sample.ts';
import type { Git } from '../snapshots/git.ts';
import { Catalog, type Named } from '../threads/catalog.ts';
import { follow } from '../threads/follow.ts';
import type { Listing, Places, Source } from '../threads/source.ts';
import { OpenThread } from '../threads/thread.ts';
import { historyOf } from '../travel/history.ts';
import { interruptedTravels, recoverTravel } from '../travel/recover.ts';
import { previewTravel, type RunOptions, runTravel } from '../travel/travel.ts';
import type { TravelContext, TravelRequest } from '../travel/travel-context.ts';
import { viewOf } from '../travel/view.ts';
import { changesOfPlan, fileDiffOf, filesOfRange, type Patch, patchOfRange } from './changes.ts';
import { Via } from './via.ts';
import { planDiffVia, planVia } from './via-plan.ts';
import { runVia } from './via-travel.ts';

export interface DeskOptions {
  places: Places;
  ownData: string;
  git: Git;
  emit: (name: EventName, payload: unknown) => void;
  /** The command that reaches the side where a thread's files are, for threads that say so; null when none was named. */
  via?: readonly string[] | null;
  /** The kinds of store that are opened; all that Turnback knows unless somebody brings others. */
  sources?: readonly Source[];
}

const NO_HISTORY = 'its files are on another side, where unrevert, undo and redo bring them back and nothing else is kept';

/** Why a thread whose files are on another side can only be read; null when it is reached, and for every other thread. */
function unreached({ side, rootReason, storeReason, reader }: OpenThread): Reason | null {
  return side === null && storeReason !== null && rootReason === storeReason && reader.elsewhere?.() ? storeReason : null;
}

interface Opened {
  thread: OpenThread;
  via: Via | null;
  stop: () => void;
}

/** All that a host or the command line does with threads: one desk a process, threads opened once and followed. */
export class Desk {
  readonly #options: DeskOptions;
  readonly #catalog: Catalog;
  readonly #open = new Map<string, Promise<Opened>>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#catalog = new Catalog(options);
  }

  /** The threads in the known places and those opened before. */
  list(): Promise<Listing> {
    return this.#catalog.list();
  }

  /** The threads at a path that the user named. */
  locate(named: string): Promise<ThreadHead[]> {
    return this.#catalog.locate(named);
  }

  /** Opens a thread by id or path. Naming another workspace or snapshot folder opens it afresh. */
  async open(idOrPath: string, named: Named = {}): Promise<OpenThread> {
    const head = await this.#catalog.find(idOrPath);
    const renamed = named.root != null || named.data != null;
    const again = (await this.#open.get(head.id))?.thread;
    // A side that did not answer is asked once more.
    if (renamed || (again && unreached(again) && this.#options.via)) await this.close(head.id);
    const known = this.#open.get(head.id);
    if (known) return (await known).thread;
    const opening = this.#openHead(head, named);
    this.#open.set(head.id, opening);
    try {
      return (await opening).thread;
    } catch (thrown) {
      this.#open.delete(head.id);
      throw thrown;
    }
  }

  async #openHead(head: ThreadHead, named: Named): Promise<Opened> {
    const { git, ownData, emit, via } = this.#options;
    const reader = await this.#catalog.open(head, { ...named, via: via != null });
    const elsewhere = via == null ? null : (reader.elsewhere?.() ?? null);
    // A side that does not answer is a reason on the thread: its conversation can be read all the same.
    const side = elsewhere && via ? await Via.open(elsewhere, via).catch(reasonOf) : null;
    const thread = await OpenThread.open({ reader, git, ownData, id: head.id, side });
    const stop = follow(
      () => reader.watch(),
      () => emit('thread.changed', { thread: head.id }),
    );
    return { thread, stop, via: side instanceof Via ? side : null };
  }

  async #thread(id: string): Promise<OpenThread> {
    const known = this.#open.get(id);
    return known ? (await known).thread : this.open(id);
  }

  async #context(id: string): Promise<TravelContext & { via: Via | null }> {
    const { git, ownData } = this.#options;
    const thread = await this.#thread(id);
    return { thread, ownData, git, now: Date.now, via: await this.viaOf(thread.head.id) };
  }

  /** The way to the side where an open thread's files are; null for files of this machine. */
  async viaOf(id: string): Promise<Via | null> {
    return (await this.#open.get(id))?.via ?? null;
  }

  /** The thread as it is now, without asking the snapshots. */
  async view(id: string): Promise<ThreadView> {
    const context = await this.#context(id);
    await context.thread.refresh();
    return this.#viewOf(context);
  }

  /** The same with every step's files, counts and captured marks. */
  async viewWithSteps(id: string, signal?: AbortSignal): Promise<ThreadView> {
    const context = await this.#context(id);
    await context.thread.refresh(signal);
    await context.thread.fill(signal);
    return this.#viewOf(context);
  }

  /** What is elsewhere and not reached can only be read. */
  async #viewOf(context: TravelContext & { via: Via | null }): Promise<ThreadView> {
    const view = await viewOf(context);
    const why = unreached(context.thread);
    if (why === null) return view;
    return { ...view, can: { revert: why, unrevert: why, undo: why, redo: why, patch: why } };
  }

  async body(id: string, message: string): Promise<MessageBody> {
    return (await this.#thread(id)).reader.body(message);
  }

  async filesOf(id: string, range: Range, signal?: AbortSignal): Promise<FileChange[]> {
    const context = await this.#context(id);
    const { via } = context;
    if (via === null || range.kind !== 'plan') return filesOfRange(context, range, signal);
    await context.thread.fill(signal);
    const request: TravelRequest = { kind: 'revert', stop: range.stop, entry: null, scope: 'both' };
    return changesOfPlan((await planVia({ ...context, via }, request, { held: false, signal })).plan);
  }

  async fileDiff(id: string, range: Range, file: TreePath, anyway: boolean, signal?: AbortSignal): Promise<FileDiff> {
    const context = await this.#context(id);
    const { via } = context;
    if (via === null || range.kind !== 'plan') return fileDiffOf(context, range, file, anyway, signal);
    return planDiffVia({ ...context, via }, { stop: range.stop, file, anyway, signal });
  }

  /** With `file`, the patch of that file alone. */
  async patch(id: string, range: Range, file: TreePath | null = null, signal?: AbortSignal): Promise<Patch> {
    return patchOfRange(await this.#context(id), range, file, signal);
  }

  async preview(id: string, request: TravelRequest, signal?: AbortSignal): Promise<Plan> {
    const context = await this.#context(id);
    await context.thread.refresh(signal);
    await context.thread.fill(signal);
    const { via } = context;
    if (via !== null) return (await planVia({ ...context, via }, request, { held: false, signal })).plan;
    const plan = await previewTravel(context, request, signal);
    return { ...plan, refusal: unreached(context.thread) ?? plan.refusal };
  }

  async run(id: string, request: TravelRequest, options: RunOptions): Promise<TravelResult> {
    const context = await this.#context(id);
    await context.thread.refresh(options.signal);
    await context.thread.fill(options.signal);
    const shut = unreached(context.thread);
    if (shut !== null) throw TurnbackError.of(shut);
    const { emit } = this.#options;
    const onFile: RunOptions['onFile'] = (file, change) => {
      emit('files.changed', { thread: id, path: file, change });
      options.onFile?.(file, change);
    };
    try {
      const { via } = context;
      const all = { ...options, onFile };
      return await (via === null ? runTravel(context, request, all) : runVia({ ...context, via }, request, all));
    } finally {
      emit('thread.changed', { thread: id });
    }
  }

  async history(id: string): Promise<HistoryEntry[]> {
    const context = await this.#context(id);
    if (context.via !== null) throw new TurnbackError('NOT_SUPPORTED', { what: 'A history', cause: NO_HISTORY });
    return historyOf(context);
  }

  interrupted(): Promise<Interrupted[]> {
    return interruptedTravels(this.#options.ownData);
  }

  /** Ends an interrupted travel one way or the other; its thread is opened when it still can be. */
  async recover(entry: string, how: 'finish' | 'roll-back'): Promise<TravelResult> {
    const { git, ownData } = this.#options;
    const openThread = async (id: string): Promise<OpenThread | null> => {
      try {
        return await this.#thread(id);
      } catch (thrown) {
        if (thrown instanceof TurnbackError) return null;
        throw thrown;
      }
    };
    return recoverTravel({ ownData, git, openThread }, entry, how);
  }

  /** Makes a sample workspace with a recorded thread; without a folder, in our own data folder. */
  async makeSample(folder?: string): Promise<ThreadHead> {
    const base = path.join(this.#options.ownData, 'samples');
    await mkdir(base, { recursive: true, mode: 0o700 });
    const made = await makeSample(folder ?? path.join(base, `sample-${new Date().toISOString().replace(/[:.]/g, '-')}`));
    const head = (await this.#catalog.locate(made.log))[0];
    if (!head) throw new TurnbackError('NOT_A_LOG', { path: made.log });
    return head;
  }

  async close(id: string): Promise<void> {
    const known = this.#open.get(id);
    if (!known) return;
    this.#open.delete(id);
    const opened = await known;
    opened.stop();
    await opened.thread.close();
  }

  /** Closes every thread. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }
}
