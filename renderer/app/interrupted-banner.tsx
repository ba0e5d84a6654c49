import { recover } from '../store/travel.ts';
import { useTravel } from '../store/travel-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { workspaceName } from '../ui/names.ts';
import { count, showClock } from '../ui/words.ts';

const WORDS = {
  revert: 'revert',
  unrevert: 'unrevert',
  undo: 'undo',
  redo: 'redo',
  restore: 'restore',
  recall: 'recall',
  partial: 'partial travel',
} as const;

/** Travels that a crash interrupted: each ends one way or the other before a new one may start in its folder. */
export function InterruptedBanner() {
  const interrupted = useTravel((state) => state.interrupted);
  const recovering = useTravel((state) => state.recovering);
  return interrupted.map(({ entry, kind, at, files, root }) => (
    <Banner
      key={entry}
      tone="time"
      tools={
        <>
          <Button off={recovering === null ? null : 'One moment: it is being ended.'} onClick={() => void recover(entry, 'roll-back')}>
            Roll back
          </Button>
          <Button
            variant="primary"
            off={recovering === null ? null : 'One moment: it is being ended.'}
            onClick={() => void recover(entry, 'finish')}
          >
            Finish
          </Button>
        </>
      }
    >
      {`A${kind === 'unrevert' || kind === 'undo' ? 'n' : ''} ${WORDS[kind]} of ${count(files, 'file')} in ${workspaceName(root)} was interrupted at ${showClock(at)}. `}
      <span className="muted">Finish it, or roll back to how the files were before it.</span>
    </Banner>
  ));
}
