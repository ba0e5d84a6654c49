import path from 'node:path';
import type { FileSystem } from './file-system.ts';
import type { HistoryLine } from './history-file.ts';
import { readOverlay } from './overlay.ts';
import { keyOf, readOwn } from './own-files.ts';
import { pendingRecallSchema } from './pending-recall.ts';
import type { TravelRecord } from './record.ts';

/** The entries of the revert that this one is made of: what it superseded goes with it. */
function stackOf(entry: string, records: ReadonlyMap<string, TravelRecord>): ReadonlySet<string> {
  const stack = new Set<string>();
  for (let at: string | null = entry; at !== null && !stack.has(at); at = records.get(at)?.supersedes ?? null) stack.add(at);
  return stack;
}

async function plannedRecall(fs: FileSystem, ownData: string, thread: string): Promise<string | null> {
  const text = await readOwn(fs, path.join(ownData, 'overlay', `${keyOf(thread)}.recall.json`));
  return text === null ? null : pendingRecallSchema.parse(JSON.parse(text)).entry;
}

/**
 * The entries of a thread that must keep their safety snapshot: the newest one, the revert that stands with all that was done since, a
 * recall that is planned. It is told without the agent's log: the last travel of ours that is in the log counts as standing, even when
 * the agent went on since. Throws for files of ours that cannot be read; then nothing of the thread may go.
 */
export async function neededEntries(
  fs: FileSystem,
  ownData: string,
  thread: string,
  lines: readonly HistoryLine[],
  records: ReadonlyMap<string, TravelRecord>,
): Promise<ReadonlySet<string>> {
  const { standing } = await readOverlay(fs, ownData, thread);
  const inLog = lines.findLast(({ id }) => records.get(id)?.messages.how === 'append');
  const bases = [standing?.entry, inLog?.kind === 'revert' || inLog?.kind === 'undo' ? inLog.id : undefined];
  bases.push((await plannedRecall(fs, ownData, thread)) ?? undefined, lines.at(-1)?.id);
  let from = lines.length;
  for (const base of bases) {
    if (base === undefined) continue;
    const stack = stackOf(base, records);
    const at = lines.findIndex(({ id }) => stack.has(id));
    if (at >= 0) from = Math.min(from, at);
  }
  return new Set(lines.slice(from).map(({ id }) => id));
}
