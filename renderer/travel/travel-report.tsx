import { useRef, useState } from 'react';
import type { Outcome } from '../../shared/plan.ts';
import { useTravel } from '../store/travel-store.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { count } from '../ui/words.ts';

export const OUTCOME_WORDS = {
  written: 'Written',
  deleted: 'Deleted',
  merged: 'Merged',
  kept: 'Kept',
  skipped: 'Skipped',
  failed: 'Failed',
} as const satisfies Record<Outcome['outcome'], string>;

const TONES: Partial<Record<Outcome['outcome'], BadgeTone>> = { failed: 'removed', skipped: 'changed', merged: 'accent' };

/** Paths that did not simply end as the plan said: kept, skipped or failed. */
export const leftovers = (files: readonly Outcome[]): readonly Outcome[] =>
  files.filter(({ outcome }) => outcome === 'kept' || outcome === 'skipped' || outcome === 'failed');

/** After a travel that left something out: which paths, and why. Once for each travel. */
export function TravelReport() {
  const last = useTravel((state) => state.last);
  const ok = useRef<HTMLButtonElement>(null);
  const [seen, setSeen] = useState<string | null>(null);
  const left = last === null ? [] : leftovers(last.result.files);
  if (last === null || left.length === 0 || seen === last.result.entry) return null;
  const failed = left.some(({ outcome }) => outcome === 'failed');
  const title = `${count(left.length, 'file')} ${failed ? 'did not go back' : left.length === 1 ? 'was left as it is' : 'were left as they are'}`;
  const close = (): void => setSeen(last.result.entry);
  return (
    <Dialog
      title={title}
      width={600}
      onClose={close}
      focus={ok}
      className="gate"
      foot={
        <Button ref={ok} onClick={close}>
          Close
        </Button>
      }
    >
      <p>{last.result.message}</p>
      <ul className="gate-outcomes">
        {left.map(({ path, outcome, why }) => (
          <li key={path} className="gate-left">
            <Badge tone={TONES[outcome] ?? 'plain'}>{OUTCOME_WORDS[outcome]}</Badge>
            <PathLabel path={path} />
            {why === null ? null : <span className="muted">{why}</span>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
