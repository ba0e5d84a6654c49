import { count, showNumber } from './words.ts';
import './counts.css';

export interface CountsProps {
  /** Lines; null for a binary file, or when they are not known. */
  added: number | null;
  removed: number | null;
  binary?: boolean;
}

/** "+42 −17" with the signs, so that it never hangs on colour alone; "–" where nobody knows. */
export function Counts({ added, removed, binary }: CountsProps) {
  if (binary) return <span className="counts muted">binary</span>;
  if (added === null && removed === null) {
    return (
      <span className="counts muted" title="How many lines is not known">
        <span className="sr">lines not known</span>
        <span aria-hidden="true">–</span>
      </span>
    );
  }
  // No line of a text changed: a binary file, or its mode.
  if (added === 0 && removed === 0) return null;
  const said = `${count(added ?? 0, 'line')} added, ${showNumber(removed ?? 0)} removed`;
  return (
    <span className="counts num">
      <span className="sr">{said}</span>
      {added === null || added === 0 ? null : (
        <span className="counts-added" aria-hidden="true">
          +{showNumber(added)}
        </span>
      )}
      {removed === null || removed === 0 ? null : (
        <span className="counts-removed" aria-hidden="true">
          −{showNumber(removed)}
        </span>
      )}
    </span>
  );
}
