import { Flag } from 'lucide-react';
import { useCursor } from '../store/cursor-store.ts';
import { useSession } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { count, showClock } from '../ui/words.ts';
import { dragPlaces } from './drag.ts';
import { xOfBoundary } from './geometry.ts';
import { spanStore } from './span-store.ts';
import { wordsOfStop } from './stop-words.ts';
import './bubble.css';

const WIDTH = 320;

/** What lies under the pointer, or under the cursor while it is dragged: turn, time, first words, and what a travel there would touch. */
export function Bubble() {
  const stop = useCursor((state) => (state.dragging ? state.preview : state.hover));
  const index = useSession((state) => state.index);
  if (stop === null) return null;
  const words = wordsOfStop(stop);
  const found = stopAt(index.stops, stop);
  if (words === null || found === null) return null;
  const { span, width } = spanStore.getState();
  const x = xOfBoundary(span, width, found.row + 1);
  const lanes = dragPlaces.lanes?.getBoundingClientRect();
  if (lanes === undefined) return null;
  const left = Math.min(Math.max(lanes.left + x - WIDTH / 2, 8), Math.max(window.innerWidth - WIDTH - 8, 8));
  return (
    <div className="bubble" style={{ left, top: lanes.bottom + 6, width: WIDTH }} aria-hidden="true">
      <div className="bubble-head num">
        <strong>{words.stop === 0 ? 'Start' : `Message ${words.stop} of ${words.last}`}</strong>
        {words.turn === null ? null : <span>turn {words.turn}</span>}
        {words.at === null ? null : <span>{showClock(words.at)}</span>}
      </div>
      <p className="bubble-text cut">{words.text}</p>
      <div className="bubble-facts num">
        {words.messages === 0 ? (
          <span>nothing comes after it</span>
        ) : (
          <>
            <span>{count(words.files, 'file')} would go back</span>
            <span>{count(words.messages, 'message')} after it</span>
            {words.effects === 0 ? null : (
              <span className="bubble-effects">
                <Flag />
                {words.effects}
              </span>
            )}
          </>
        )}
      </div>
      {words.notCaptured === null ? null : <p className="bubble-why">{words.notCaptured}</p>}
      {words.whyNot === null ? null : <p className="bubble-why">{words.whyNot}</p>}
    </div>
  );
}
