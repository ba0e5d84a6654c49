import { setImmediate as rest } from 'node:timers/promises';

const SLICE_MS = 8;

/** Lets other work run in between during a long read, and ends it when it is no longer wanted. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True when it is time to await `rest`. */
  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Throws the reason of the signal when the read was given up. */
  async rest(): Promise<void> {
    await rest();
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
