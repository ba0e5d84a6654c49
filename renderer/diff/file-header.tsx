import { ChevronDown, ChevronRight, Ellipsis, Undo2 } from 'lucide-react';
import type { FileDiff } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { itemsOfFile } from '../files/file-menu.ts';
import { bringBackFile, stepToBringBack } from '../store/bring-back.ts';
import { useChanges } from '../store/changes-store.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { ChangeGlyph } from './change-glyph.tsx';
import { FileCounts } from './file-counts.tsx';
import { badgesOf, CHANGE_WORDS, eolWords } from './file-words.ts';
import { LinesPopover } from './lines-popover.tsx';
import type { Owners } from './use-owners.ts';

export interface FileHeaderProps {
  file: FileChange;
  /** Null while it was not loaded. */
  diff: FileDiff | null;
  /** "file 3 of 40" */
  place: string;
  folded: boolean;
  onFold(): void;
  /** A remark that only the comparison can make: "1 line changed". */
  note: string | null;
  owners: Owners;
}

/** The header of one file; it stays at the top while its body scrolls by. */
export function FileHeader({ file, diff, place, folded, onFold, note, owners }: FileHeaderProps) {
  const path = showTreePath(file.path);
  const step = stepToBringBack(
    useChanges((state) => state.range),
    file.path,
  );
  return (
    <header className="file-header">
      <h3 className="file-header-name">
        <button
          type="button"
          className="file-header-fold"
          aria-expanded={!folded}
          aria-label={`${path}, ${CHANGE_WORDS[file.change]}, ${place}`}
          onClick={onFold}
        >
          {folded ? <ChevronRight aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
          <ChangeGlyph change={file.change} />
          <PathLabel path={file.path} />
        </button>
      </h3>
      <span className="file-header-badges" title={diff === null ? undefined : (eolWords(diff) ?? undefined)}>
        {diff === null ? null : badgesOf(diff, note).map((words) => <Badge key={words}>{words}</Badge>)}
      </span>
      <FileCounts file={file} />
      <LinesPopover path={file.path} owners={owners} />
      {step === null ? null : (
        <IconButton
          className="file-header-more"
          label={`Bring back ${path}…`}
          icon={<Undo2 />}
          off={typeof step === 'string' ? step : null}
          onClick={() => void bringBackFile(file.path)}
        />
      )}
      <Menu
        align="end"
        trigger={<IconButton className="file-header-more" label={`More for ${path}`} icon={<Ellipsis />} />}
        groups={() => itemsOfFile(file)}
      />
    </header>
  );
}
