import { useEffect, useRef, useState } from 'react';
import type { FileDiff } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { count } from '../ui/words.ts';
import type { Hunk, SlotContent } from './editor-slot.ts';
import { eolWords } from './file-words.ts';
import { HunkActs } from './hunk-acts.tsx';
import { languageOf } from './language-of.ts';
import type { LineOwners } from './line-owners.ts';
import { mountText, type TextHandle } from './mount-text.ts';
import type { DiffStage } from './stage.ts';

export interface TextBodyProps {
  stage: DiffStage;
  index: number;
  file: FileChange;
  slot: 'diff' | 'single';
  before: string | null;
  after: string | null;
  diff: FileDiff;
  /** For an excerpt of a long file. */
  numbers?: SlotContent['numbers'];
  /** Lines that changed, where they were counted already. */
  changed?: number;
  /** Height of what stands below it in the same body. */
  foot?: number;
  /** Who wrote the lines, while the gutter tells it. */
  owners?: LineOwners | null;
  onNote(note: string | null): void;
}

/** The text of a file in a pooled editor. */
export function TextBody(props: TextBodyProps) {
  const { stage, index, file, slot, before, after, diff, numbers = null, changed, foot = 0, owners = null, onNote } = props;
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<TextHandle | null>(null);
  const newest = useRef(owners);
  newest.current = owners;
  const [hunks, setHunks] = useState<readonly Hunk[]>([]);
  const eol = eolWords(diff) !== null;
  useEffect(() => {
    if (host.current === null || stage.pool === null) return;
    const unmount = mountText({
      host: host.current,
      index,
      body: { kind: 'text', slot, before, after },
      numbers,
      foot,
      removed: numbers === null ? file.removed : null,
      look: stage.look,
      language: numbers === null ? languageOf(file.path) : null,
      label: showTreePath(file.path),
      stack: stage.stack,
      pool: stage.pool,
      frames: stage.frames,
      onReady(handle) {
        // Line ends are no lines: with them left out, this is how many really changed.
        if (eol) onNote(`${count(changed ?? handle.changedLines(), 'line')} changed`);
        drawn.current = handle;
        handle.own(newest.current);
        stage.ready(index, handle);
      },
      // The same places again are no reason to draw anew.
      onHunks: (next) => setHunks((known) => (JSON.stringify(known) === JSON.stringify(next) ? known : next)),
    });
    return () => {
      drawn.current = null;
      stage.gone(index);
      onNote(null);
      unmount();
    };
  }, [stage, index, before, after, slot, file, eol, numbers, changed, foot, onNote]);
  useEffect(() => drawn.current?.own(owners), [owners]);
  return (
    <div className="file-text" ref={host} style={{ height: Math.min(stage.stack.bodyHeight(index), stage.stack.viewport().height) }}>
      {slot === 'diff' ? <HunkActs path={file.path} hunks={hunks} /> : null}
    </div>
  );
}
