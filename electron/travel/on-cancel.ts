import { TurnbackError } from '../../shared/errors.ts';

/**
 * Runs the work. `leave` is called when it is cancelled meanwhile, so that nobody waits for a git that says nothing. Throws CANCELLED for
 * what was cancelled before.
 */
export async function onCancel<T>(signal: AbortSignal | undefined, leave: () => void, work: () => Promise<T>): Promise<T> {
  if (signal?.aborted) throw new TurnbackError('CANCELLED');
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}
