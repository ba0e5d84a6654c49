import { Popover } from '@base-ui/react/popover';
import { UserPen } from 'lucide-react';
import { useState } from 'react';
import type { LineRun } from '../../shared/contract.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { selectStep } from '../store/selection.ts';
import { Button } from '../ui/button.tsx';
import { count, showNumber } from '../ui/words.ts';
import type { LineOwners } from './line-owners.ts';
import type { Owners } from './use-owners.ts';
import './lines-popover.css';

/** Rows of the list; the gutter shows the rest. */
const MOST = 400;

const linesOf = ({ from, count: lines }: LineRun): string =>
  lines === 1 ? `Line ${showNumber(from)}` : `Lines ${showNumber(from)}–${showNumber(from + lines - 1)}`;

function Rows({ owners, onPick }: { owners: LineOwners; onPick(): void }) {
  return (
    <ul className="lines-list">
      {owners.runs.slice(0, MOST).map((run) => {
        const words = (
          <>
            <span className="num">{linesOf(run)}</span> <span className="lines-words">{owners.words(run)}</span>
          </>
        );
        const { step } = run;
        return (
          <li key={run.from} className="lines-row" data-who={run.who}>
            {step === null ? (
              <span className="lines-open">{words}</span>
            ) : (
              <button
                type="button"
                className="lines-open"
                onClick={() => {
                  onPick();
                  void selectStep(step);
                }}
              >
                {words}
              </button>
            )}
          </li>
        );
      })}
      {owners.runs.length <= MOST ? null : (
        <li className="muted lines-row">{count(owners.runs.length - MOST, 'more place')} in the file</li>
      )}
    </ul>
  );
}

function Body({ owners, onPick }: { owners: Owners; onPick(): void }) {
  switch (owners.phase) {
    case 'ready':
      return <Rows owners={owners.owners} onPick={onPick} />;
    case 'failed':
      return <p role="alert">{owners.error.message}</p>;
    default:
      return <p className="muted">Reading the states of the file…</p>;
  }
}

/** Who wrote the lines, as a list on a button of the file's header: the gutter for those who do not see it. */
export function LinesPopover({ path, owners }: { path: string; owners: Owners }) {
  const [open, setOpen] = useState(false);
  if (owners.phase === 'off') return null;
  const failed = owners.phase === 'failed';
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        render={
          <Button variant="plain" className="lines-button" icon={<UserPen />}>
            {failed ? 'No owners' : owners.phase === 'ready' ? count(owners.owners.runs.length, 'part') : '…'}
            <span className="sr">, who wrote the lines of {showTreePath(path)}</span>
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner className="files-popover-place" sideOffset={4} align="end">
          <Popover.Popup className="files-popover lines-popover" aria-label="Who wrote the lines">
            <p className="lines-legend muted">
              In the gutter: turn·step, <b>out</b> changed outside the thread, <b>·</b> before it, <b>?</b> not known
            </p>
            <Body owners={owners} onPick={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
