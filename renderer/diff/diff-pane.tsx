import { FileDiff as FileDiffIcon } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useLayout } from '../app/use-layout.ts';
import { FilesPopover } from '../files/files-popover.tsx';
import { useApp } from '../store/app-store.ts';
import { showRange } from '../store/changes.ts';
import { useChanges } from '../store/changes-store.ts';
import { useLens } from '../store/lens-store.ts';
import { useLines } from '../store/lines-store.ts';
import { useSession } from '../store/session-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Counts } from '../ui/counts.tsx';
import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';
import { PaneError } from '../ui/pane-error.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { count } from '../ui/words.ts';
import { CompareStrip } from './compare-strip.tsx';
import type { DiffLook } from './diff-look.ts';
import { DiffToolbar, SPLIT_LEAST } from './diff-toolbar.tsx';
import { emptyWords, isNamesOnly, lensEmptyWords, missingOf, missingWords } from './empty-words.ts';
import { LensStrip } from './lens-strip.tsx';
import { MultiDiff } from './multi-diff.tsx';
import { useMonaco } from './use-monaco.ts';
import { useWidth } from './use-width.ts';

function Title() {
  const title = useChanges((state) => state.title);
  const files = useChanges((state) => state.files);
  const layout = useLayout();
  if (title === '') return 'Changes';
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  return (
    <span className="diff-title">
      <span className="cut">{title}</span>
      {files.length === 0 ? null : layout === 'three' ? <span className="muted num">{count(files.length, 'file')}</span> : <FilesPopover />}
      {added + removed === 0 ? null : <Counts added={added} removed={removed} />}
    </span>
  );
}

function Content({ look }: { look: DiffLook }) {
  const { range, title, phase, files, error } = useChanges((state) => state);
  const thread = useSession((state) => state.id);
  const steps = useSession((state) => state.view?.steps);
  const filling = useSession((state) => state.filling);
  const missing = useMemo(() => (range === null ? [] : missingOf(range, steps ?? [])), [range, steps]);
  const monaco = useMonaco();
  const lens = useLens();
  const said = useLines((state) => state.said);
  if (range === null || thread === null) {
    return (
      <Empty icon={<FileDiffIcon />} title="Nothing is selected">
        Choose a step or a turn to see what it changed, or move the cursor to see what going back would change.
      </Empty>
    );
  }
  if (phase === 'failed' && error !== null && error.code !== 'NOT_CAPTURED')
    return <PaneError reason={error} onRetry={() => void showRange(range)} />;
  if (files.length === 0) {
    if (phase === 'loading' || phase === 'none' || (filling && missing.length === 0 && range.kind === 'step'))
      return <Skeleton rows={10} label="Reading the changes" />;
    const words = lens !== null && missing.length === 0 ? lensEmptyWords(lens) : emptyWords(range, title, missing, error);
    return (
      <Empty icon={<FileDiffIcon />} title={words.title}>
        {words.text}
      </Empty>
    );
  }
  if (range.kind !== 'plan' && isNamesOnly(files, missing)) {
    const words = emptyWords(range, title, missing);
    return (
      <Empty icon={<FileDiffIcon />} title={words.title}>
        {words.text} {files.length === 1 ? 'One file is' : `${count(files.length, 'file')} are`} known by name.
      </Empty>
    );
  }
  const lost = missingWords(range, missing);
  return (
    <>
      {lost === null ? null : <Banner>{lost}</Banner>}
      {monaco.phase === 'failed' ? (
        <Banner tone="failed" tools={<Button onClick={monaco.retry}>Try again</Button>}>
          The diff editor could not be loaded. The connection to Turnback may be lost.
        </Banner>
      ) : null}
      <MultiDiff
        thread={thread}
        range={range}
        title={title}
        files={files}
        look={look}
        monaco={monaco.phase === 'ready' ? monaco.monaco : null}
      />
      <p className="sr" role="status">
        {said}
      </p>
    </>
  );
}

/** The pane on the right: every changed file of what is looked at. */
export function DiffPane() {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const settings = useApp((state) => state.settings);
  const narrow = width > 0 && width < SPLIT_LEAST;
  const { wrap, ignoreWhitespace, ignoreLineEnds } = settings;
  const diffLayout = narrow ? 'inline' : settings.diffLayout;
  const look = useMemo(
    (): DiffLook => ({ diffLayout, wrap, ignoreWhitespace, ignoreLineEnds }),
    [diffLayout, wrap, ignoreWhitespace, ignoreLineEnds],
  );
  return (
    <div className="diff-box" ref={box}>
      <Pane label="Changes" className="diff-pane" title={<Title />} tools={<DiffToolbar narrow={narrow} />}>
        <CompareStrip />
        <LensStrip />
        <Content look={look} />
      </Pane>
    </div>
  );
}
