import { ChevronLeft, ChevronRight, Pin, X } from 'lucide-react';
import { showTreePath } from '../../shared/tree-path.ts';
import { runCommand } from '../commands.ts';
import { placeInLens } from '../store/lens-model.ts';
import { useLens } from '../store/lens-store.ts';
import { useSession } from '../store/session-store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { givesFocusBack } from '../ui/keep-focus.ts';
import { PathLabel } from '../ui/path-label.tsx';
import { count } from '../ui/words.ts';
import { FileCounts } from './file-counts.tsx';
import { CHANGE_WORDS } from './file-words.ts';
import './strip.css';

/** The pinned file: where its walk through the steps stands, and the way out. */
export function LensStrip() {
  const lens = useLens();
  const selection = useSession((state) => state.selection);
  const index = useSession((state) => state.index);
  if (lens === null) return null;
  const { step: id, turn, compare } = selection;
  const step = id !== null ? (index.steps.get(id) ?? null) : turn === null ? null : (index.stepsOfTurn.get(turn)?.at(-1) ?? null);
  const { at, before } = placeInLens(lens, step);
  const stop = at === null || id === null || compare !== undefined ? undefined : lens.stops[at];
  const total = lens.stops.length;
  const none = total === 0 ? 'No step of this thread changed it.' : null;
  const first = stop !== undefined ? at === 0 : before === 0;
  const end = stop !== undefined ? at === total - 1 : before === total;
  return (
    <section className="strip lens-strip" ref={givesFocusBack} aria-label="One file through its steps">
      <Pin className="strip-arrow" aria-hidden="true" />
      <IconButton
        label="Previous step that changed it"
        keys="arrowleft"
        icon={<ChevronLeft />}
        off={none ?? (first ? 'This is the first change.' : null)}
        onClick={() => runCommand('lens-previous')}
      />
      <span className="lens-place" role="status">
        {stop === undefined ? (
          <>
            <PathLabel path={lens.path} /> <span className="muted">{count(total, 'step')} changed it</span>
          </>
        ) : (
          <>
            <strong className="num">
              {(at ?? 0) + 1} of {total}
            </strong>{' '}
            <span className="num">
              step {stop.step.index}
              {stop.step.turn === null ? null : `, turn ${stop.step.turn}`}
            </span>{' '}
            <FileCounts file={stop.file} />{' '}
            <span className="muted lens-change">
              {stop.movedFrom === null ? CHANGE_WORDS[stop.file.change] : `looks moved from ${showTreePath(stop.movedFrom)}`}
            </span>
          </>
        )}
      </span>
      <IconButton
        label="Next step that changed it"
        keys="arrowright"
        icon={<ChevronRight />}
        off={none ?? (end ? 'This is the last change.' : null)}
        onClick={() => runCommand('lens-next')}
      />
      <Button variant="plain" className="strip-end" icon={<X />} keys="escape" onClick={() => runCommand('lens')}>
        All files
      </Button>
    </section>
  );
}
