import { isRefusal } from '../../shared/errors.ts';
import { sourceKindSchema } from '../../shared/model.ts';
import type { Git } from '../snapshots/git.ts';
import type { Catalog } from '../threads/catalog.ts';
import { goneReader } from '../threads/gone-reader.ts';
import { OpenThread } from '../threads/thread.ts';
import { nodeFileSystem } from '../travel/file-system.ts';
import { readHistory, readRecords } from '../travel/history-file.ts';

/** Agents remove their logs, some without a word after a month; what Turnback keeps of a travel stays longer. */
const LOG_IS_GONE = ['NOT_FOUND', 'UNKNOWN_THREAD', 'LOG_EMPTY', 'NOT_A_LOG'] as const;

/**
 * A thread whose log is gone, as far as its travels tell of it: their files can still come back. Throws what opening threw when that
 * says something else, or when no travel of the thread is kept. `root`: the workspace that the user named now.
 */
export async function goneThread(o: {
  thrown: unknown;
  ownData: string;
  git: Git;
  named: string;
  catalog: Catalog;
  root: string | null;
}): Promise<OpenThread> {
  const { thrown, ownData, git, catalog } = o;
  const known = await catalog.rememberedAs(o.named);
  const id = known?.id ?? o.named;
  const source = sourceKindSchema.safeParse(id.split(':')[0]).data;
  if (source === undefined || !LOG_IS_GONE.some((code) => isRefusal(thrown, code))) throw thrown;
  if ((await readHistory(nodeFileSystem, ownData, id)).length === 0) throw thrown;
  const records = await readRecords(nodeFileSystem, ownData, id);
  const root = o.root ?? records.findLast((record) => record.root !== null)?.root ?? known?.root ?? null;
  const threadId = known?.threadId ?? id.slice(source.length + 1);
  const head = { id, source, title: null, root, log: known?.log ?? '', threadId, parent: null, updatedAt: null, size: null };
  return OpenThread.open({ reader: goneReader(head), git, ownData, id });
}
