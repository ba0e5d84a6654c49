import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { openRegular } from '../snapshots/regular-file.ts';
import { headOf } from '../snapshots/workspace-repo.ts';
import type { Situation } from './situation.ts';

/** The last bytes of a text file; null when it cannot be read. */
async function tailOf(file: string, bytes = 4096): Promise<string | null> {
  try {
    const handle = await openRegular(file);
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.alloc(Math.min(size, bytes));
      await handle.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    // A note that cannot be made is not missed: a repository without a log of HEAD, or one that we may not read.
    return null;
  }
}

/** Folders above the workspace that are looked at for its repository. */
const MOST_LEVELS = 32;

/** When HEAD of the user's own repository moved last, in epoch milliseconds, from its log (case C-04); null when there is none. */
async function headMovedAt(root: string): Promise<number | null> {
  let folder = root;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const tail = await tailOf(path.join(folder, '.git', 'logs', 'HEAD'));
    const seconds = /> (\d+) [+-]\d{4}\t[^\n]*\n?$/.exec(tail ?? '')?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
    if (tail !== null || folder === path.dirname(folder)) return null;
    folder = path.dirname(folder);
  }
  return null;
}

/** Where HEAD is now, in words; nothing where git will not say. */
async function headWords(root: string): Promise<string> {
  try {
    const head = await headOf(root);
    return head?.commit == null ? '' : `: ${head.branch ?? 'it'} is at ${head.commit.slice(0, 7)} now`;
  } catch (thrown) {
    if (thrown instanceof TurnbackError) return '';
    throw thrown;
  }
}

/** Things to know before a travel that do not stop it. */
export async function notesFor(situation: Situation, withMessages: boolean, withFiles: boolean): Promise<string[]> {
  const { thread, context } = situation;
  const notes: string[] = [];
  const lastWork = thread.steps.reduce<number | null>((last, step) => step.at ?? last, null);
  const { root } = context.thread;
  const moved = withFiles && root !== null ? await headMovedAt(root) : null;
  if (root !== null && moved !== null && lastWork !== null && moved > lastWork) {
    const now = await headWords(root);
    notes.push(`HEAD of your own repository moved since the agent's last step${now}. Your commits, branch and index are not touched.`);
  }
  if (withMessages && thread.keeps === 'overlay') {
    notes.push('The agent still remembers the hidden messages: only Turnback hides them.');
  }
  if (withMessages && thread.keeps === 'log' && thread.head.log.endsWith('.jsonl')) {
    notes.push("Close the agent's app first: while it runs it does not see what is added to its log.");
  }
  if (withFiles && thread.bad.length > 0) {
    const [what, stays] = thread.bad.length === 1 ? ['A record', 'it'] : ['Some records', 'them'];
    notes.push(`${what} of the log cannot be read. What the agent changed in ${stays} is not known, so it stays.`);
  }
  if (thread.status === 'unknown') notes.push('The log does not tell whether the agent is at work. Make sure that it is not.');
  return notes;
}
