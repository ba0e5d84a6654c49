interface Yielding {
  yield?: () => Promise<void>;
}

/** Gives the window a turn to draw and to hear keys and the pointer, in the middle of a long work. */
export function pause(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: Yielding };
  if (scheduler?.yield !== undefined) return scheduler.yield();
  return new Promise((done) => setTimeout(done, 0));
}
