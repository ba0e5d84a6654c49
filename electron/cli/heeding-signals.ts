import { END_SIGNALS } from '../host/serve.ts';

const ASKED =
  'Stopping. A travel that writes already comes to its end first, so that nothing is left half done; asked again, it stops at once, and `turnback recover` ends it.';

/**
 * Work that a first Ctrl+C, or another request to end, asks to stop; by a second one the process ends as it would without this.
 * `tell` says so to people.
 */
export async function heedingSignals<T>(tell: (text: string) => void, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const unheed = (): void => {
    for (const signal of END_SIGNALS) process.off(signal, asked);
  };
  const asked = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      unheed();
      process.kill(process.pid, signal);
      return;
    }
    stop.abort();
    tell(ASKED);
  };
  for (const signal of END_SIGNALS) process.on(signal, asked);
  try {
    return await work(stop.signal);
  } finally {
    unheed();
  }
}
