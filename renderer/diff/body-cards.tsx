import { FileWarning } from 'lucide-react';
import type { FileDiff, FileSide } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import { Button } from '../ui/button.tsx';
import { showBytes } from '../ui/words.ts';
import { hexRows } from './hex-dump.ts';

/** The size and first bytes of one side. */
export function HexHead({ title, side }: { title: string; side: FileSide }) {
  const rows = hexRows(side.head ?? '');
  return (
    <figure className="hex-head">
      <figcaption className="muted">
        {title}: {showBytes(side.bytes)}
      </figcaption>
      {rows.length === 0 ? null : (
        <pre className="mono">
          {rows.map((row) => (
            <span className="hex-row" key={row.offset}>
              <span className="muted">{row.offset}</span> {row.bytes} <span className="muted">{row.text}</span>
            </span>
          ))}
        </pre>
      )}
    </figure>
  );
}

/** A binary file: its sizes and first bytes, never its bytes as text. */
export function BinaryCard({ diff: { before, after } }: { diff: FileDiff }) {
  const words =
    before === null
      ? `Binary file, ${showBytes(after?.bytes ?? 0)}`
      : after === null
        ? `Binary file, was ${showBytes(before.bytes)}`
        : `Binary file, ${showBytes(before.bytes)} → ${showBytes(after.bytes)}`;
  return (
    <div className="body-card">
      <p>{words}</p>
      <div className="hex-heads">
        {before?.head ? <HexHead title="Before" side={before} /> : null}
        {after?.head ? <HexHead title="After" side={after} /> : null}
      </div>
    </div>
  );
}

export interface HeavyCardProps {
  bytes: number;
  why: 'size' | 'line';
  loading: boolean;
  onLoad(): void;
  onCancel(): void;
}

/** A file that would hold the window up: it is shown when it is asked for, and the wait can be left. */
export function HeavyCard({ bytes, why, loading, onLoad, onCancel }: HeavyCardProps) {
  return (
    <div className="body-card" aria-busy={loading}>
      <p>
        <FileWarning aria-hidden="true" />
        {why === 'size' ? `${showBytes(bytes)}: more than is shown at once.` : `${showBytes(bytes)} with very long lines.`}
      </p>
      {loading ? (
        <Button onClick={onCancel}>Cancel loading</Button>
      ) : (
        <Button onClick={onLoad} hint="Colours and wrapping are left out where lines are very long">
          Load anyway
        </Button>
      )}
    </div>
  );
}

/** Changes that are no lines: modes, links, submodules, line ends. */
export function WordsCard({ sentences }: { sentences: readonly string[] }) {
  return (
    <div className="body-card">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}.</p>
      ))}
    </div>
  );
}

/** One file that could not be read; the others go on. */
export function FailedCard({ error, onRetry }: { error: Reason; onRetry(): void }) {
  return (
    <div className="body-card" role="alert">
      <p>{error.message}</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}

/** The place of a body that is on its way. */
export function WaitingBody({ height }: { height: number }) {
  return <div className="body-waiting" style={{ height }} aria-hidden="true" />;
}
