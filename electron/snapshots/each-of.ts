import { TurnbackError } from '../../shared/errors.ts';

/** Does the work for each item, `width` at a time. The first failure stops the rest; a signal throws CANCELLED. */
export async function eachOf<T>(
  items: readonly T[],
  o: { width: number; signal: AbortSignal | undefined },
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      if (o.signal?.aborted) throw new TurnbackError('CANCELLED');
      const index = next++;
      try {
        await work(items[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(o.width, items.length) }, worker));
  // All have stopped by now, so nothing of theirs goes on after the failure is told.
  for (const result of workers) if (result.status === 'rejected') throw result.reason;
}
