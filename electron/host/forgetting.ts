import { TurnbackError } from '../../shared/errors.ts';
import type { Git } from '../snapshots/git.ts';
import type { Remembered } from '../threads/memory.ts';
import { nodeFileSystem } from '../travel/file-system.ts';
import { type ForgetParts, standsByFiles } from '../travel/forget.ts';
import { readHistory } from '../travel/history-file.ts';
import { situationOf } from '../travel/situation.ts';
import type { TravelContext } from '../travel/travel-context.ts';

/** All that it takes to forget a thread. */
export interface Forgetting {
  parts: ForgetParts;
  /** A revert of ours stands, which could never be taken back. */
  standing: boolean;
  /** Folders of objects that we read for it, or a folder that they are in. */
  reads: string[];
  /** Its log, where that is known. */
  log: string | null;
  /** Paths that speak of the thread: its log, its workspace, what the user named for it. */
  paths: string[];
}

const named = (paths: readonly (string | null | undefined)[]): string[] => paths.filter((one) => one != null);

/** For a thread that is open. */
export async function forgettingOpen(context: TravelContext, known: Remembered | null): Promise<Forgetting> {
  const { thread, ownData, git, now } = context;
  const { id, log, root } = thread.head;
  const { standing } = await situationOf(context);
  return {
    parts: { ownData, git, thread: id, root: thread.root, now },
    standing: standing?.by === 'us',
    reads: [...thread.reader.objectFolders()],
    log,
    paths: named([log, root, thread.root, known?.root, known?.data]),
  };
}

/** For one that cannot be opened any more, since its log is gone: by what we keep of it. Throws UNKNOWN_THREAD for one of which nothing is kept. */
export async function forgettingGone(o: { ownData: string; git: Git; id: string; known: Remembered | null }): Promise<Forgetting> {
  const { ownData, git, id, known } = o;
  if (known === null && (await readHistory(nodeFileSystem, ownData, id)).length === 0) throw new TurnbackError('UNKNOWN_THREAD', { id });
  return {
    parts: { ownData, git, thread: id, root: known?.root ?? null, now: Date.now },
    standing: await standsByFiles(nodeFileSystem, ownData, id),
    reads: named([known?.data]),
    log: known?.log ?? null,
    paths: named([known?.log, known?.root, known?.data]),
  };
}

/** The recent paths without those that speak of a forgotten thread. */
export function withoutPaths(recent: readonly string[], gone: readonly string[]): string[] {
  return recent.filter((one) => !gone.some((path) => one === path || one.startsWith(`${path}#`)));
}
