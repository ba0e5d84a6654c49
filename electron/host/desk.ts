import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { EventName, FileDiff, Range, ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { FileChange, MessageBody, ThreadHead } from '../../shared/model.ts';
import type { HistoryEntry, Interrupted, Plan, TravelResult } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { makeSample } from '../recorder/sample.ts';
import type { Git } from '../snapshots/git.ts';
import { Catalog, type Named } from '../threads/catalog.ts';
import { follow } from '../threads/follow.ts';
import type { Listing, Places } from '../threads/source.ts';
import { OpenThread } from '../threads/thread.ts';
import { historyOf } from '../travel/history.ts';
import { interruptedTravels, recoverTravel } from '../travel/recover.ts';
import { previewTravel, type RunOptions, runTravel } from '../travel/travel.ts';
import type { TravelContext, TravelRequest } from '../travel/travel-context.ts';
import { viewOf } from '../travel/view.ts';
import { fileDiffOf, filesOfRange, type Patch, patchOfRange } from './changes.ts';

export interface DeskOptions {
  places: Places;
  ownData: string;
  git: Git;
  emit: (name: EventName, payload: unknown) => void;
}

interface Opened {
  thread: OpenThread;
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
    if (renamed) await this.close(head.id);
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
    const { git, ownData, emit } = this.#options;
    const reader = await this.#catalog.open(head, named);
    const thread = await OpenThread.open({ reader, git, ownData, id: head.id });
    const stop = follow(
      () => reader.watch(),
      () => emit('thread.changed', { thread: head.id }),
    );
    return { thread, stop };
  }

  async #thread(id: string): Promise<OpenThread> {
    const known = this.#open.get(id);
    return known ? (await known).thread : this.open(id);
  }

  async #context(id: string): Promise<TravelContext> {
    const { git, ownData } = this.#options;
    return { thread: await this.#thread(id), ownData, git, now: Date.now };
  }

  /** The thread as it is now, without asking the snapshots. */
  async view(id: string): Promise<ThreadView> {
    const context = await this.#context(id);
    await context.thread.refresh();
    return viewOf(context);
  }

  /** The same with every step's files, counts and captured marks. */
  async viewWithSteps(id: string, signal?: AbortSignal): Promise<ThreadView> {
    const context = await this.#context(id);
    await context.thread.refresh(signal);
    await context.thread.fill(signal);
    return viewOf(context);
  }

  async body(id: string, message: string): Promise<MessageBody> {
    return (await this.#thread(id)).reader.body(message);
  }

  async filesOf(id: string, range: Range, signal?: AbortSignal): Promise<FileChange[]> {
    return filesOfRange(await this.#context(id), range, signal);
  }

  async fileDiff(id: string, range: Range, file: TreePath, anyway: boolean, signal?: AbortSignal): Promise<FileDiff> {
    return fileDiffOf(await this.#context(id), range, file, anyway, signal);
  }

  async patch(id: string, range: Range, signal?: AbortSignal): Promise<Patch> {
    return patchOfRange(await this.#context(id), range, signal);
  }

  async preview(id: string, request: TravelRequest, signal?: AbortSignal): Promise<Plan> {
    const context = await this.#context(id);
    await context.thread.refresh(signal);
    await context.thread.fill(signal);
    return previewTravel(context, request, signal);
  }

  async run(id: string, request: TravelRequest, options: RunOptions): Promise<TravelResult> {
    const context = await this.#context(id);
    await context.thread.refresh(options.signal);
    await context.thread.fill(options.signal);
    const { emit } = this.#options;
    const onFile: RunOptions['onFile'] = (file, change) => {
      emit('files.changed', { thread: id, path: file, change });
      options.onFile?.(file, change);
    };
    try {
      return await runTravel(context, request, { ...options, onFile });
    } finally {
      emit('thread.changed', { thread: id });
    }
  }

  async history(id: string): Promise<HistoryEntry[]> {
    return historyOf(await this.#context(id));
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
