import type { OpenThread } from '../threads/thread.ts';

/** Where a thread's log ends as it was read last, for telling whether it moved. */
export function endOf(thread: OpenThread): string {
  const { messages, steps } = thread.reader.thread();
  return (
    thread.reader.writer?.position() ??
    thread.reader.recall?.position() ??
    JSON.stringify([messages.length, messages.at(-1)?.id ?? null, steps.length])
  );
}
