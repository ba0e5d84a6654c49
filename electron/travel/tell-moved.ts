import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { contentFor } from './choose.ts';
import type { Content } from './content.ts';
import type { DraftFile } from './draft.ts';
import { EDITED } from './drift.ts';

/** The same bytes in one step; null where nothing is. */
const keyOf = (position: number, content: Content): string | null =>
  'oid' in content ? `${position} ${content.kind} ${content.oid}` : null;

/** What one step took away, by its bytes, where it comes back. */
function takenAway(files: readonly DraftFile[]): Map<string, TreePath> {
  const found = new Map<string, TreePath>();
  for (const file of files) {
    if (file.disk.kind !== 'absent' || contentFor(file, file.choice).kind === 'absent') continue;
    for (const { before, after, position } of file.layers) {
      const key = after.kind === 'absent' ? keyOf(position, before) : null;
      if (key !== null && !found.has(key)) found.set(key, file.path);
    }
  }
  return found;
}

/**
 * Says of a file that stays because it was changed since the agent moved it there, where it came from: that one comes back as well, so
 * both are there afterwards. Each path goes by its own changes, and no tree tells a move from a copy of something that was not needed
 * any more, so the user's change is not carried to the old place unasked.
 */
export function tellMoved(files: readonly DraftFile[]): void {
  const stays = files.filter((file) => file.choice === 'keep' && file.why === EDITED && file.peeled.at !== null);
  if (stays.length === 0) return;
  const away = takenAway(files);
  for (const file of stays) {
    const { at } = file.peeled;
    const from = at === null ? undefined : away.get(keyOf(at.position, at.after) ?? '');
    if (from === undefined) continue;
    file.why = `It was changed since the agent moved it here from ${showTreePath(from)}; taking it away would lose those changes. ${showTreePath(from)} comes back as well.`;
  }
}
