import { TurnbackError } from '../../shared/errors.ts';
import type { OnBytes, Preview, ThreadReader } from '../threads/source.ts';

/** What one who opens a thread wants to know meanwhile. */
export interface OpenWatcher {
  signal?: AbortSignal | undefined;
  onBytes?: OnBytes | undefined;
  onPreview?: ((preview: Preview) => void) | undefined;
}

/** A thread that is being opened, perhaps for several windows: it ends early only when all of them gave up. */
export class Opening<T> {
  readonly done: Promise<T>;
  /** Gives the bodies of the messages of the preview; null before there is one. */
  early: ThreadReader | null = null;
  #preview: Preview | null = null;
  readonly #controller = new AbortController();
  readonly #watchers = new Set<OpenWatcher>();

  constructor(work: (opening: Opening<T>) => Promise<T>) {
    this.done = work(this);
    // Everyone who waits hears of a failure; when nobody waits any more, it is of no interest.
    this.done.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get givenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  readonly onBytes: OnBytes = (done, total) => {
    for (const watcher of this.#watchers) watcher.onBytes?.(done, total);
  };

  readonly onPreview = (reader: ThreadReader, preview: Preview): void => {
    this.early = reader;
    this.#preview = preview;
    for (const watcher of this.#watchers) watcher.onPreview?.(preview);
  };

  /** Waits for the end. Throws CANCELLED as soon as the watcher's own signal says so. */
  async join(watcher: OpenWatcher): Promise<T> {
    const { signal } = watcher;
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    const leave = (): void => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#controller.abort();
      reject(new TurnbackError('CANCELLED'));
    };
    this.#watchers.add(watcher);
    if (this.#preview !== null) watcher.onPreview?.(this.#preview);
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([this.done, gaveUp]);
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#watchers.delete(watcher);
    }
  }
}
