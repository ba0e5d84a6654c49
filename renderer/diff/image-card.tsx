import { useState } from 'react';
import type { FileDiff, FileSide } from '../../shared/contract.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { Button } from '../ui/button.tsx';
import { showBytes, showNumber } from '../ui/words.ts';
import { HexHead } from './body-cards.tsx';
import type { DiffStage } from './stage.ts';
import { useImage } from './use-image.ts';
import './image-card.css';

/** A picture of more bytes is fetched when it is asked for. */
const AT_ONCE = 1_000_000;

const factsOf = ({ image, bytes }: FileSide): string =>
  image === undefined
    ? showBytes(bytes)
    : `${image.type.toUpperCase()}, ${showNumber(image.width)} × ${showNumber(image.height)}, ${showBytes(bytes)}`;

interface PictureProps {
  stage: DiffStage;
  path: string;
  side: FileSide;
  which: 'before' | 'after';
}

function Picture({ stage, path, side, which }: PictureProps) {
  const [asked, setAsked] = useState(false);
  const wanted = asked || side.bytes <= AT_ONCE;
  const state = useImage({ thread: stage.thread, range: stage.range, path, side: which, wanted });
  const title = which === 'before' ? 'Before' : 'After';
  const { width = 1, height = 1 } = side.image ?? {};
  return (
    <figure className="image-side">
      <figcaption className="num">
        <strong>{title}</strong> <span className="muted">{factsOf(side)}</span>
      </figcaption>
      {state.phase === 'ready' ? (
        <img
          className="image-shown"
          alt={`${showTreePath(path)}, ${which}: ${factsOf(side)}`}
          src={`data:image/${state.image.type};base64,${state.image.data}`}
          width={width}
          height={height}
        />
      ) : state.phase === 'failed' ? (
        <p role="alert">{state.error.message}</p>
      ) : wanted ? (
        <div className="image-shown" style={{ width, aspectRatio: `${width} / ${height}` }} aria-busy="true" />
      ) : (
        <Button onClick={() => setAsked(true)}>Show this picture</Button>
      )}
    </figure>
  );
}

/** A picture before and after, or what stands in its place, with dimensions and sizes. */
export function ImageCard({ stage, diff: { path, before, after } }: { stage: DiffStage; diff: FileDiff }) {
  const side = (side: FileSide | null, which: 'before' | 'after') =>
    side === null ? null : side.image === undefined ? (
      <HexHead title={which === 'before' ? 'Before' : 'After'} side={side} />
    ) : (
      <Picture stage={stage} path={path} side={side} which={which} />
    );
  return (
    <div className="body-card">
      <div className="image-sides">
        {side(before, 'before')}
        {side(after, 'after')}
      </div>
    </div>
  );
}
