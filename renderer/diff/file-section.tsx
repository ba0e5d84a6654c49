import { memo, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { BinaryCard, FailedCard, HeavyCard, WaitingBody, WordsCard } from './body-cards.tsx';
import { FileHeader } from './file-header.tsx';
import { ImageCard } from './image-card.tsx';
import type { LineOwners } from './line-owners.ts';
import { LongBody } from './long-body.tsx';
import type { DiffStage } from './stage.ts';
import { TextBody } from './text-body.tsx';
import { type Content, useContent } from './use-content.ts';
import { useOwners } from './use-owners.ts';

interface FileSectionProps {
  stage: DiffStage;
  index: number;
  file: FileChange;
  total: number;
  /** Where it lies in the scroll. Props, so that a section draws again only when it moved. */
  top: number;
  height: number;
  bodyHeight: number;
  folded: boolean;
  current: boolean;
}

/** A body that is as tall as its words. */
function Measured({ stage, index, children }: { stage: DiffStage; index: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => stage.stack.measured(index, element.offsetHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [stage, index]);
  return <div ref={box}>{children}</div>;
}

interface BodyProps {
  stage: DiffStage;
  index: number;
  file: FileChange;
  content: Content;
  bodyHeight: number;
  owners: LineOwners | null;
  onNote(note: string | null): void;
}

function FileBody({ stage, index, file, content, bodyHeight, owners, onNote }: BodyProps) {
  if (content.phase === 'waiting') return <WaitingBody height={bodyHeight} />;
  if (content.phase === 'failed') {
    return (
      <Measured stage={stage} index={index}>
        <FailedCard error={content.error} onRetry={content.retry} />
      </Measured>
    );
  }
  const { body, diff, loading, load, cancel } = content;
  const common = { stage, index, file, diff, owners, onNote };
  switch (body.kind) {
    case 'text':
      return <TextBody {...common} slot={body.slot} before={body.before} after={body.after} />;
    case 'long':
      return <LongBody {...common} before={body.before} after={body.after} />;
    case 'binary':
      return (
        <Measured stage={stage} index={index}>
          {(diff.before?.image ?? diff.after?.image) === undefined ? <BinaryCard diff={diff} /> : <ImageCard stage={stage} diff={diff} />}
        </Measured>
      );
    case 'words':
      return (
        <Measured stage={stage} index={index}>
          <WordsCard sentences={body.sentences} />
        </Measured>
      );
    case 'heavy':
      return (
        <Measured stage={stage} index={index}>
          <HeavyCard bytes={body.bytes} why={body.why} loading={loading} onLoad={load} onCancel={cancel} />
        </Measured>
      );
  }
}

/** One file: its header and its body, at its place in the scroll. */
export const FileSection = memo(function FileSection(props: FileSectionProps) {
  const { stage, index, file, total, top, height, bodyHeight, folded, current } = props;
  const content = useContent(stage.loader, file.path, !folded, !stage.look.ignoreLineEnds);
  const [note, setNote] = useState<string | null>(null);
  const hasLines =
    content.phase === 'ready' && (content.body.kind === 'text' || content.body.kind === 'long') && content.diff.after !== null;
  const owners = useOwners(stage, file.path, hasLines && !folded);
  const fold = useCallback(() => stage.fold(index), [stage, index]);
  return (
    <article
      className="file-section"
      aria-label={showTreePath(file.path)}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-current={current || undefined}
      style={{ top, height }}
    >
      <FileHeader
        file={file}
        diff={content.phase === 'ready' ? content.diff : null}
        place={`file ${index + 1} of ${total}`}
        folded={folded}
        onFold={fold}
        note={note}
        owners={owners}
      />
      {folded ? null : (
        <FileBody
          stage={stage}
          index={index}
          file={file}
          content={content}
          bodyHeight={bodyHeight}
          owners={owners.phase === 'ready' ? owners.owners : null}
          onNote={setNote}
        />
      )}
    </article>
  );
});
