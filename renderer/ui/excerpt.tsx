import type { Hit } from '../../shared/search.ts';
import { Tooltip } from './tooltip.tsx';

/** The line around a match with the match marked in it, whole in the tooltip. */
export function Excerpt({ hit, className }: { hit: Pick<Hit, 'excerpt' | 'at' | 'length'>; className: string }) {
  const { excerpt, at, length } = hit;
  return (
    <Tooltip text={excerpt}>
      <span className={className}>
        {excerpt.slice(0, at)}
        <mark>{excerpt.slice(at, at + length)}</mark>
        {excerpt.slice(at + length)}
      </span>
    </Tooltip>
  );
}
