import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { RawChange } from '../snapshots/diff.ts';
import type { FileChange } from './recorder-events.ts';
import { absolutePath, type Repository } from './repository.ts';

/** Most events for one step or one undo, redo, revert or unrevert (seed, known limits). */
export const MAX_FILE_EVENTS = 100;

const isLink = (mode: string): boolean => mode === '120000' || mode === '160000';

/** How many blocks git writes for a change: two where a file and a link take each other's place. */
function blocksOf({ before, after }: RawChange): number {
  if (before === null || after === null || before.mode === after.mode) return 1;
  return isLink(before.mode) || isLink(after.mode) ? 2 : 1;
}

/** The part of a patch that belongs to each change; both are in git's order. */
export function splitPatch(patch: string, changes: readonly RawChange[]): Map<TreePath, string> {
  // No line of content can start like a header: each has a sign before it, and encoded binary lines have no space.
  const blocks = patch.split(/^(?=diff --git )/m);
  const parts = new Map<TreePath, string>();
  let at = 0;
  for (const change of changes) {
    const count = blocksOf(change);
    parts.set(change.path, blocks.slice(at, at + count).join(''));
    at += count;
  }
  return parts;
}

async function patchOrNothing(repository: Repository, from: string, to: string): Promise<string> {
  try {
    return await repository.patch(from, to);
  } catch (error) {
    if (error instanceof TurnbackError && error.code === 'GIT_FAILED') return '';
    throw error;
  }
}

/**
 * The events for what changed, at most 100, in git's order, each with its own diff. A diff that is too large to be made is empty: the
 * event still says which file changed.
 */
export async function fileChanges(
  repository: Repository,
  o: { from: string; changes: readonly RawChange[]; toolCallId?: string | null },
): Promise<FileChange[]> {
  const first = o.changes.slice(0, MAX_FILE_EVENTS);
  if (first.length === 0) return [];
  const to = await repository.compose(o.from, new Map(first.map(({ path, after }) => [path, after])));
  const parts = splitPatch(await patchOrNothing(repository, o.from, to), first);
  return first.map(({ path, before, after }) => ({
    change: before === null ? 'created' : after === null ? 'deleted' : 'updated',
    path: absolutePath(repository.root, path),
    patch: parts.get(path) ?? '',
    ...(o.toolCallId == null ? {} : { toolCallId: o.toolCallId }),
  }));
}
