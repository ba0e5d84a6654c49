import { Undo2 } from 'lucide-react';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { bringBackBlock, stepToBringBack } from '../store/bring-back.ts';
import { useChanges } from '../store/changes-store.ts';
import { IconButton } from '../ui/button.tsx';
import { showNumber } from '../ui/words.ts';
import type { Hunk } from './editor-slot.ts';

/** A text of more changes has no button for each: the walk (, and .) and its key reach every one of them. */
const MOST = 200;

/** A button at each changed block of a drawn text, seen while the pointer is in the text or the button has the focus. */
export function HunkActs({ path, hunks }: { path: TreePath; hunks: readonly Hunk[] }) {
  const range = useChanges((state) => state.range);
  const step = stepToBringBack(range, path);
  if (step === null || hunks.length === 0 || hunks.length > MOST) return null;
  const name = showTreePath(path);
  return (
    <div className="hunk-acts">
      {hunks.map((hunk, at) => (
        <IconButton
          key={`${hunk.before.start} ${hunk.after.start}`}
          className="hunk-act"
          variant="outline"
          label={`Bring back change ${showNumber(at + 1)} of ${showNumber(hunks.length)} in ${name}…`}
          icon={<Undo2 />}
          off={typeof step === 'string' ? step : null}
          style={{ top: hunk.top }}
          onClick={() => void bringBackBlock(path, hunk)}
        />
      ))}
    </div>
  );
}
