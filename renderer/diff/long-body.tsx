import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import type { FileDiff } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';
import { IconButton } from '../ui/button.tsx';
import { showNumber } from '../ui/words.ts';
import { WaitingBody } from './body-cards.tsx';
import type { LineOwners } from './line-owners.ts';
import type { DiffStage } from './stage.ts';
import { TextBody } from './text-body.tsx';
import { useCompare } from './use-compare.ts';

const FOOT_HEIGHT = 36;

interface LongBodyProps {
  stage: DiffStage;
  index: number;
  file: FileChange;
  before: string | null;
  after: string | null;
  diff: FileDiff;
  owners: LineOwners | null;
  onNote(note: string | null): void;
}

/** A file of very many lines: its changes with their context, a page at a time, compared outside of the window's thread. */
export function LongBody({ stage, index, file, before, after, diff, owners, onNote }: LongBodyProps) {
  const compared = useCompare(before, after);
  const excerpt = compared?.excerpt ?? null;
  const numbers = useMemo(() => (excerpt === null ? null : { before: excerpt.beforeLines, after: excerpt.afterLines }), [excerpt]);
  if (compared === null || excerpt === null) return <WaitingBody height={stage.stack.bodyHeight(index)} />;
  const { page, pages, turnTo, changed } = compared;
  const foot = pages > 1 ? FOOT_HEIGHT : 0;
  return (
    <>
      <TextBody
        key={page}
        stage={stage}
        index={index}
        file={file}
        slot={before === null || after === null ? 'single' : 'diff'}
        before={before === null ? null : excerpt.before}
        after={after === null ? null : excerpt.after}
        diff={diff}
        numbers={numbers}
        changed={changed}
        foot={foot}
        owners={owners}
        onNote={onNote}
      />
      {foot === 0 ? null : (
        <nav className="long-foot" aria-label="Pages of this file">
          <IconButton
            label="Previous page"
            icon={<ChevronLeft />}
            off={page === 0 ? 'This is the first page' : null}
            onClick={() => turnTo(page - 1)}
          />
          <span className="num">
            Page {showNumber(page + 1)} of {showNumber(pages)} · {showNumber(changed)} changed lines
          </span>
          <IconButton
            label="Next page"
            icon={<ChevronRight />}
            off={page === pages - 1 ? 'This is the last page' : null}
            onClick={() => turnTo(page + 1)}
          />
        </nav>
      )}
    </>
  );
}
