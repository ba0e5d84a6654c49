import { TurnbackError } from '../../shared/errors.ts';

interface Running {
  controller: AbortController;
  ended: Promise<void>;
}

/** The long operations under way, by the id that the page gave each. */
export class Operations {
  readonly #running = new Map<string, Running>();

  /** Runs one that can be cancelled by its id. BAD_REQUEST when the id is in use. */
  async run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#running.has(id)) throw new TurnbackError('BAD_REQUEST', { call: 'travel.run', cause: 'this operation runs already' });
    const controller = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#running.set(id, { controller, ended });
    try {
      return await work(controller.signal);
    } finally {
      this.#running.delete(id);
      resolve();
    }
  }

  /** Asks one to stop; nothing when it has ended. */
  cancel(id: string): void {
    this.#running.get(id)?.controller.abort();
  }

  /** Asks all of them to stop. */
  cancelAll(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  get count(): number {
    return this.#running.size;
  }

  /** Resolves when nothing runs any more: a host ends only then, so that a quit never cuts a travel short. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }
}
