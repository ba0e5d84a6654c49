import { useEffect, useRef } from 'react';
import type { FileChange } from '../../shared/model.ts';
import { ChangeGlyph } from '../diff/change-glyph.tsx';
import { onSignal } from '../store/pane-signal.ts';
import { SearchField } from '../ui/search-field.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { count } from '../ui/words.ts';
import { countKinds, FILE_KINDS, type FileFilter, type FileKind } from './file-filter.ts';

const KIND_WORDS = {
  created: 'created',
  modified: 'modified',
  deleted: 'deleted',
  other: 'changed in mode or kind',
} as const satisfies Record<FileKind, string>;

interface FilterBarProps {
  files: readonly FileChange[];
  filter: FileFilter;
  onFilter(filter: FileFilter): void;
  /** Arrow down leaves the field for the list. */
  onLeave(): void;
}

/** Narrows the list by words of the path and by kind of change. */
export function FilterBar({ files, filter, onFilter, onLeave }: FilterBarProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => onSignal('filter-files', () => field.current?.focus()), []);
  const counts = countKinds(files);
  const present = FILE_KINDS.filter((kind) => counts[kind] > 0);
  const toggle = (kind: FileKind): void => {
    const kinds = new Set(filter.kinds);
    if (!kinds.delete(kind)) kinds.add(kind);
    onFilter({ ...filter, kinds });
  };
  return (
    <div className="filter-bar">
      <SearchField
        ref={field}
        label="Filter files by path"
        placeholder="Filter by path"
        value={filter.text}
        onChange={(text) => onFilter({ ...filter, text })}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          onLeave();
        }}
      />
      {present.length < 2 ? null : (
        <fieldset className="filter-kinds">
          <legend className="sr">Kinds of change</legend>
          {present.map((kind) => {
            const words = `Only files ${KIND_WORDS[kind]}: ${count(counts[kind], 'file')}`;
            return (
              <Tooltip key={kind} text={words}>
                <button
                  type="button"
                  className="filter-kind"
                  aria-label={words}
                  aria-pressed={filter.kinds.has(kind)}
                  onClick={() => toggle(kind)}
                >
                  <ChangeGlyph change={kind === 'other' ? 'mode' : kind} />
                </button>
              </Tooltip>
            );
          })}
        </fieldset>
      )}
    </div>
  );
}
