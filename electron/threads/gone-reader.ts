import { reason, TurnbackError } from '../../shared/errors.ts';
import type { Thread, ThreadHead } from '../../shared/model.ts';
import type { ThreadReader } from './source.ts';

/** Reads a thread whose log is gone: nobody said anything in it, and nothing can be written to it. */
export function goneReader(head: ThreadHead): ThreadReader {
  const nothing = { turns: [], steps: [], messages: [], gaps: [], bad: [] };
  const notices = [reason('LOG_GONE', { path: head.log })];
  const thread: Thread = { head, status: 'idle', standing: null, ...nothing, notices, keeps: 'log' };
  return {
    thread: () => thread,
    read: async () => false,
    body: async (id) => {
      throw new TurnbackError('UNKNOWN_MESSAGE', { id });
    },
    watch: () => [],
    objectFolders: () => [],
    liveSign: async () => null,
    writer: null,
    close: async () => {},
  };
}
