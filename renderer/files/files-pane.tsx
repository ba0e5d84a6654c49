import { Files as FilesIcon, FolderTree, List } from 'lucide-react';
import { useMemo } from 'react';
import { emptyWords, isNamesOnly, lensEmptyWords, missingOf } from '../diff/empty-words.ts';
import { useApp } from '../store/app-store.ts';
import { useChanges } from '../store/changes-store.ts';
import { useLens } from '../store/lens-store.ts';
import { useSession } from '../store/session-store.ts';
import { changeSettings } from '../store/settings.ts';
import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';
import { PaneError } from '../ui/pane-error.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { showNumber } from '../ui/words.ts';
import { FileList } from './file-list.tsx';
import './files-pane.css';

const SHAPES = [
  { value: 'tree', label: 'As a tree', icon: <FolderTree aria-hidden="true" /> },
  { value: 'list', label: 'As a list', icon: <List aria-hidden="true" /> },
] as const;

function Content() {
  const { range, title, phase, files, error } = useChanges((state) => state);
  const steps = useSession((state) => state.view?.steps);
  const lens = useLens();
  const missing = useMemo(() => (range === null ? [] : missingOf(range, steps ?? [])), [range, steps]);
  if (range === null) return <Empty icon={<FilesIcon />} title="No step is selected" />;
  if (phase === 'failed' && error !== null && error.code !== 'NOT_CAPTURED') return <PaneError reason={error} />;
  if (files.length > 0) {
    const namesOnly = range.kind !== 'plan' && isNamesOnly(files, missing);
    return (
      <>
        <FileList key={`${range.kind === 'plan' ? 'plan' : JSON.stringify(range)}`} />
        {namesOnly ? <p className="files-note muted">Only the names are known. {missing[0]?.reason.message}</p> : null}
      </>
    );
  }
  if (phase === 'loading' || phase === 'none') return <Skeleton rows={5} label="Reading the files" />;
  const words = lens !== null && missing.length === 0 ? lensEmptyWords(lens) : emptyWords(range, title, missing, error);
  return (
    <Empty icon={<FilesIcon />} title={words.title}>
      {words.text}
    </Empty>
  );
}

/** The files of what is looked at; choosing one scrolls the diff to it. While looking at a stop, the files as they would be there. */
export function FilesPane() {
  const as = useApp((state) => state.settings.filesAs);
  const total = useChanges((state) => state.files.length);
  const kind = useChanges((state) => state.range?.kind);
  return (
    <Pane
      label="Files"
      title={
        <>
          {kind === 'plan' ? 'Files if you go back' : kind === 'stops' ? 'Files that differ' : 'Files'}
          {total === 0 ? null : <span className="muted num files-total">{showNumber(total)}</span>}
        </>
      }
      tools={
        <Segmented label="Shape of the list" value={as} segments={SHAPES} onChange={(value) => void changeSettings({ filesAs: value })} />
      }
    >
      <Content />
    </Pane>
  );
}
