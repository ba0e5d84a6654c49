import { ArrowLeftRight, ArrowRight, X } from 'lucide-react';
import { nameOfStop } from '../store/changes.ts';
import { compareWith, endCompare, swapCompared } from '../store/compare.ts';
import { cursorStop, useCursor } from '../store/cursor-store.ts';
import { useSession } from '../store/session-store.ts';
import { wordsOfStop } from '../timeline/stop-words.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { givesFocusBack } from '../ui/keep-focus.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import './strip.css';

function Side({ stop }: { stop: number | null }) {
  const words = stop === null ? null : wordsOfStop(stop);
  return (
    <span className="strip-side">
      <strong>{nameOfStop(stop)}</strong>{' '}
      <Tooltip text={words?.said}>
        <span className="muted cut">{stop === null ? 'the files on disk' : words?.text}</span>
      </Tooltip>
    </span>
  );
}

/** Both sides of a comparison with the way out, or the marked side and how to choose the other. */
export function CompareStrip() {
  const compare = useSession((state) => state.selection.compare);
  const mark = useSession((state) => state.mark);
  const at = useCursor(cursorStop);
  const looking = useCursor((state) => state.preview !== null);
  if (mark === null && compare === undefined) return null;
  const shown = compare !== undefined && !looking ? compare : null;
  return (
    <section className="strip" ref={givesFocusBack} aria-label="Comparison">
      <span className="strip-words">
        {shown !== null ? (
          <>
            <Side stop={shown.from} /> <ArrowRight className="strip-arrow" aria-hidden="true" />
            <span className="sr">against</span> <Side stop={shown.to} />
          </>
        ) : (
          <>
            <span className="muted">From</span>
            <Side stop={mark ?? compare?.from ?? null} />
          </>
        )}
      </span>
      <span className="strip-acts">
        {shown !== null ? (
          <IconButton
            label="Swap the sides"
            icon={<ArrowLeftRight />}
            off={shown.to === null ? 'The files on disk can only be the second side.' : null}
            onClick={() => void swapCompared()}
          />
        ) : (
          <>
            <Button
              variant="plain"
              keys="v"
              off={at === mark ? 'Move the cursor to another message first.' : null}
              onClick={() => void compareWith(at)}
            >
              With {nameOfStop(at).toLowerCase()}
            </Button>
            <Button variant="plain" keys="shift+v" onClick={() => void compareWith(null)}>
              With now
            </Button>
          </>
        )}
        <Button variant="plain" icon={<X />} keys="escape" onClick={() => endCompare()}>
          {shown !== null ? 'Back to the steps' : 'Cancel'}
        </Button>
      </span>
    </section>
  );
}
