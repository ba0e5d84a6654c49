import type { OnBytes } from '../threads/source.ts';
import type { Emit } from './emitter.ts';

/** A window draws a bar ten times a second, not more often. */
const EVERY_MS = 100;

/** Tells a window how far an operation is: the first time, the last time, and now and then between. */
export function byteProgress(emit: Emit, operation: string, label: string): OnBytes {
  let told = 0;
  return (done, total) => {
    const now = performance.now();
    if (done < total && now - told < EVERY_MS) return;
    told = now;
    emit('progress', { operation, done, total, label });
  };
}
