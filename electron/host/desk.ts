import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { EventName, FileDiff, FileImage, Range, SecretChoice, ThreadChanges, ThreadView } from '../../shared/contract.ts';
import { type Reason, reason, reasonOf, TurnbackError } from '../../shared/errors.ts';
import type { FileChange, MessageBody, ThreadHead } from '../../shared/model.ts';
import type { ForgetPlan } from '../../shared/own-data.ts';
import type { Choice, HistoryEntry, Hunk, Interrupted, Plan, TravelResult } from '../../shared/plan.ts';
import type { Searched, SearchedThreads } from '../../shared/search.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { makeSample } from '../recorder/sample.ts';
import type { Git } from '../snapshots/git.ts';
import { Catalog, type Named } from '../threads/catalog.ts';
import { countFiles } from '../threads/count-files.ts';
import type { FileLines } from '../threads/file-lines.ts';
import { follow } from '../threads/follow.ts';
import { Neighbours } from '../threads/neighbours.ts';
import type { Listing, Places, Preview, Source } from '../threads/source.ts';
import { OpenThread } from '../threads/thread.ts';
import { forgetTravels, previewForget } from '../travel/forget.ts';
import { historyOf } from '../travel/history.ts';
import { interruptedTravels, recoverTravel } from '../travel/recover.ts';
import { situationOf } from '../travel/situation.ts';
import { previewTravel, type RunOptions, runTravel } from '../travel/travel.ts';
import type { TravelContext, TravelRequest } from '../travel/travel-context.ts';
import { viewOf } from '../travel/view.ts';
import { changesOfPlan, fileDiffOf, filesOfRange, type Patch, patchOfRange } from './changes.ts';
import { type Forgetting, forgettingGone, forgettingOpen } from './forgetting.ts';
import { goneThread } from './gone-thread.ts';
import { imageOf } from './image.ts';
import { type LinesAt, linesOfFile } from './lines.ts';
import { Opening, type OpenWatcher } from './opening.ts';
import { type SearchOptions, searchOpen } from './search-thread.ts';
import { type SearchAllOptions, searchThreads } from './search-threads.ts';
import { fileOfTravel, hunksOfStep } from './travel-files.ts';
import { Via } from './via.ts';
import { planDiffVia, planVia } from './via-plan.ts';
import { runVia } from './via-travel.ts';
import { ViewVersions } from './view-versions.ts';

export interface DeskOptions {
  places: Places;
  ownData: string;
  git: Git;
  emit: (name: EventName, payload: unknown) => void;
  /** The command that reaches the side where a thread's files are, for threads that say so; null when none was named. */
  via?: readonly string[] | null;
  /** More places in which threads are looked for. */
  folders?: () => Promise<readonly string[]>;
  /** The kinds of store that are opened; all that Turnback knows unless somebody brings others. */
  sources?: readonly Source[];
}

const NO_SECRETS: SecretChoice = { all: false, include: [] };
const NO_HISTORY = 'its files are on another side, where unrevert, undo and redo bring them back and nothing else is kept';

/** Why a thread whose files are on another side can only be read; null when it is reached, and for every other thread. */
function unreached({ side, rootReason, storeReason, reader }: OpenThread): Reason | null {
  return side === null && storeReason !== null && rootReason === storeReason && reader.elsewhere?.() ? storeReason : null;
}

interface Opened {
  thread: OpenThread;
  via: Via | null;
  stop: () => void;
  versions: ViewVersions;
}

/** The end of a log as a view in which nothing can be done yet. */
export function previewView({ thread }: Preview): ThreadView {
  const off = reason('LOG_READING');
  return { ...thread, can: { revert: off, unrevert: off, undo: off, redo: off, patch: off } };
}

/** All that a host or the command line does with threads: one desk a process, threads opened once and followed. */
export class Desk {
  readonly #options: DeskOptions;
  readonly #catalog: Catalog;
  readonly #neighbours: Neighbours;
  readonly #open = new Map<string, Opening<Opened>>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#catalog = new Catalog(options);
    this.#neighbours = new Neighbours(this.#catalog);
  }

  /** The threads in the known places and those opened before. */
  list(): Promise<Listing> {
    return this.#catalog.list();
  }

  /** The threads at a path that the user named. */
  locate(named: string): Promise<ThreadHead[]> {
    return this.#catalog.locate(named);
  }

  /** Opens a thread by id or path. Naming another workspace or snapshot folder opens it afresh. CANCELLED when the watcher gives up. */
  async open(idOrPath: string, named: Named = {}, watcher: OpenWatcher = {}): Promise<OpenThread> {
    const head = await this.#catalog.find(idOrPath);
    if (watcher.signal?.aborted) throw new TurnbackError('CANCELLED');
    const renamed = named.root != null || named.data != null;
    const again = this.#open.get(head.id);
    // A side that did not answer is asked once more.
    const stale = again !== undefined && this.#options.via != null && unreached((await again.join(watcher)).thread) !== null;
    if (renamed || stale) await this.close(head.id);
    const known = this.#open.get(head.id);
    const opening = known === undefined || known.givenUp ? new Opening<Opened>((one) => this.#openHead(head, named, one)) : known;
    this.#open.set(head.id, opening);
    try {
      return (await opening.join(watcher)).thread;
    } catch (thrown) {
      const over = opening.givenUp || !(thrown instanceof TurnbackError && thrown.code === 'CANCELLED');
      if (over && this.#open.get(head.id) === opening) this.#open.delete(head.id);
      throw thrown;
    }
  }

  /** The same for looking at what was done, and taking it back: also for a thread whose log is gone, while travels of it are kept. */
  openEvenGone(idOrPath: string, named: Named = {}): Promise<OpenThread> {
    return this.open(idOrPath, named).catch(async (thrown: unknown) => {
      const thread = await goneThread({ ...this.#options, catalog: this.#catalog, thrown, named: idOrPath, root: named.root ?? null });
      this.#open.set(thread.head.id, new Opening(async () => ({ thread, via: null, stop() {}, versions: new ViewVersions() })));
      return thread;
    });
  }

  async #openHead(head: ThreadHead, named: Named, opening: Opening<Opened>): Promise<Opened> {
    const { git, ownData, emit, via } = this.#options;
    // The opening is known to the desk before the first byte is read.
    await Promise.resolve();
    const { signal, onBytes, onPreview } = opening;
    const reader = await this.#catalog.open(head, { ...named, via: via != null }, { signal, onBytes, onPreview });
    const elsewhere = via == null ? null : (reader.elsewhere?.() ?? null);
    // A side that does not answer is a reason on the thread: its conversation can be read all the same.
    const side = elsewhere && via ? await Via.open(elsewhere, via).catch(reasonOf) : null;
    const thread = await OpenThread.open({ reader, git, ownData, id: head.id, side });
    const stop = follow(
      () => reader.watch(),
      () => emit('thread.changed', { thread: head.id }),
      () => reader.restMs?.() ?? 0,
    );
    return { thread, stop, via: side instanceof Via ? side : null, versions: new ViewVersions() };
  }

  async #thread(id: string): Promise<OpenThread> {
    const known = this.#open.get(id);
    return known && !known.givenUp ? (await known.done).thread : this.open(id);
  }

  /** A view as it is sent whole; its changes can be asked for from then on. */
  async stamped(view: ThreadView): Promise<ThreadView> {
    const opened = await this.#open.get(view.head.id)?.done;
    return opened?.versions.whole(view) ?? view;
  }

  /** What changed since a version of the view that was sent; with `steps`, after asking the snapshots. */
  async changes(id: string, version: number, steps: boolean, signal?: AbortSignal): Promise<ThreadChanges> {
    const versions = (await this.#open.get(id)?.done)?.versions;
    const can = steps ? null : (versions?.canOf(version) ?? null);
    const view = steps ? await this.viewWithSteps(id, signal) : can ? await this.#rowsNow(id, can, signal) : await this.view(id);
    return versions?.from(version, view) ?? { kind: 'whole', view };
  }

  /**
   * The thread as it is now with what could be done with it before: finding out takes up to a second while a log grows, and new rows
   * need not wait for that. Whoever asks for them asks with the steps next, and a travel asks for itself.
   */
  async #rowsNow(id: string, can: ThreadView['can'], signal?: AbortSignal): Promise<ThreadView> {
    const context = await this.#context(id);
    await context.thread.refresh(signal);
    return { ...(await situationOf(context)).thread, can };
  }

  async #context(id: string): Promise<TravelContext & { via: Via | null }> {
    const { git, ownData } = this.#options;
    const thread = await this.#thread(id);
    const { head, root } = thread;
    const others = async (paths: readonly TreePath[]): Promise<ReadonlyMap<TreePath, string>> =>
      root === null ? new Map() : this.#neighbours.wrote(head, root, paths);
    return { thread, ownData, git, now: Date.now, others, via: await this.viaOf(head.id) };
  }

  /** Another thread's agent is at work in the folder whose files would be written; null when none is. `fresh`: ask anew. */
  async #busy({ head, root }: OpenThread, { scope }: TravelRequest, fresh: boolean): Promise<Reason | null> {
    const thread = root === null || scope === 'messages' ? null : await this.#neighbours.atWork(head, root, fresh);
    return thread === null ? null : reason('FOLDER_BUSY', { thread });
  }

  /** The way to the side where an open thread's files are; null for files of this machine. */
  async viaOf(id: string): Promise<Via | null> {
    return (await this.#open.get(id)?.done)?.via ?? null;
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
    const early = this.#open.get(id)?.early;
    if (early) return early.body(message);
    return (await this.#thread(id)).reader.body(message);
  }

  /** Looks for words in all texts of a thread; hands out what it finds as it goes. */
  async search(id: string, words: readonly string[], options: SearchOptions): Promise<Searched> {
    return searchOpen(await this.#thread(id), words, options);
  }

  /** The same over all threads that can be found. */
  searchAll(words: readonly string[], options: SearchAllOptions): Promise<SearchedThreads> {
    return searchThreads(this.#catalog, words, options);
  }

  /** Names a folder that moved as the workspace of threads. NO_WORKSPACE when there is no such folder. */
  async relocate(ids: readonly string[], root: string): Promise<void> {
    await this.#catalog.relocate(ids, root);
    for (const id of ids) await this.close(id);
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

  /** One side of a file as a picture. */
  async image(id: string, range: Range, file: TreePath, side: 'before' | 'after'): Promise<FileImage> {
    return imageOf(await this.#context(id), range, file, side);
  }

  /** Who wrote each line of a file. */
  async lines(id: string, file: TreePath, at: LinesAt, signal?: AbortSignal): Promise<FileLines> {
    return linesOfFile(await this.#context(id), file, at, signal);
  }

  /** With `file`, the patch of that file alone; files in which secrets show stay out unless `choice` lets them in. */
  async patch(id: string, range: Range, file: TreePath | null = null, choice: SecretChoice = NO_SECRETS): Promise<Patch> {
    return patchOfRange(await this.#context(id), range, file, choice);
  }

  async preview(id: string, request: TravelRequest, signal?: AbortSignal): Promise<Plan> {
    const context = await this.#context(id);
    await context.thread.refresh(signal);
    await context.thread.fill(signal);
    const { via } = context;
    if (via !== null) return (await planVia({ ...context, via }, request, { held: false, signal })).plan;
    const plan = await previewTravel(context, request, signal);
    return { ...plan, refusal: unreached(context.thread) ?? plan.refusal ?? (await this.#busy(context.thread, request, false)) };
  }

  /** One file of a travel's plan: the disk now against what the choice would leave there. */
  async travelFile(id: string, request: TravelRequest, o: { path: TreePath; choice: Choice; anyway: boolean }): Promise<FileDiff> {
    const context = await this.#context(id);
    const { via } = context;
    if (via === null) return fileOfTravel(context, request, o);
    if (request.kind !== 'revert' || request.stop === null)
      throw new TurnbackError('NOT_SUPPORTED', { what: 'Showing the result of this', cause: 'its files are on another side' });
    return planDiffVia({ ...context, via }, { stop: request.stop, file: o.path, anyway: o.anyway });
  }

  /** The changes of one file in a step, each of which can be brought back alone. */
  async hunks(id: string, step: string, file: TreePath): Promise<{ hunks: Hunk[]; why: Reason | null }> {
    const context = await this.#context(id);
    await context.thread.fill();
    return hunksOfStep(context, { step, path: file });
  }

  /** Makes a travel. `evenBusy`: also while another thread's agent is at work in the folder, which is FOLDER_BUSY otherwise. */
  async run(id: string, request: TravelRequest, options: RunOptions & { evenBusy?: boolean | undefined }): Promise<TravelResult> {
    const context = await this.#context(id);
    await context.thread.refresh(options.signal);
    await context.thread.fill(options.signal);
    const shut = unreached(context.thread) ?? (options.evenBusy ? null : await this.#busy(context.thread, request, true));
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
    return recoverTravel({ ownData, git, openThread, isGone: (id) => this.#catalog.isGone(id) }, entry, how);
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

  async #forgetting(id: string): Promise<Forgetting> {
    const { git, ownData } = this.#options;
    const known = await this.#catalog.remembered(id);
    try {
      return await forgettingOpen(await this.#context(id), known);
    } catch (thrown) {
      if (thrown instanceof TurnbackError && thrown.code !== 'HISTORY_UNREADABLE') return forgettingGone({ ownData, git, id, known });
      throw thrown;
    }
  }

  /** What forgetting a thread takes away. */
  async forgetPreview(id: string): Promise<ForgetPlan> {
    const { parts, standing } = await this.#forgetting(id);
    return previewForget(parts, standing);
  }

  /**
   * Removes all that is kept of a thread, and gives the paths that speak of it. Throws FORGET_STANDING while a revert of ours stands and
   * `evenStanding` does not say that this is meant, INTERRUPTED, FORGET_BUSY.
   */
  async forget(id: string, evenStanding: boolean): Promise<string[]> {
    const { parts, standing, reads, paths, log } = await this.#forgetting(id);
    if (standing && !evenStanding) throw new TurnbackError('FORGET_STANDING');
    const opened = await Promise.all([...this.#open].map(async ([other, { done }]) => [other, await done.catch(() => null)] as const));
    // Whoever reads through a repository that goes lets go of it first; it is opened again when it is asked for.
    for (const [other, one] of opened)
      if (other === id || one?.thread.store?.objectFolders.some((folder) => reads.includes(folder))) await this.close(other);
    await forgetTravels(parts, reads);
    await this.#catalog.forget(id, { git: parts.git, log });
    return paths;
  }

  async close(id: string): Promise<void> {
    const known = this.#open.get(id);
    this.#open.delete(id);
    const opened = await known?.done.catch(() => null);
    if (!opened) return;
    opened.stop();
    const { head, turns, steps } = opened.thread.thread();
    await this.#catalog.count(head, { turns: turns.length, files: countFiles(steps) });
    await opened.thread.close();
  }

  /** Closes every thread. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }
}
