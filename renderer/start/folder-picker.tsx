import { File, Folder, FolderUp } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Output } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import { appStore, type Picking, useApp } from '../store/app-store.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { takePath } from '../store/threads.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import './folder-picker.css';

type Listing = Output<'folder.list'>;

const TITLES = {
  log: 'Open a log',
  folder: 'Open a folder',
  root: 'Which folder did this thread work in?',
  data: 'Which folder holds the snapshots of this thread?',
  known: 'In which folder shall threads be looked for?',
  moved: 'Where is this workspace now?',
} as const satisfies Record<Picking, string>;

const close = (): void => appStore.setState({ overlay: null, picking: null });

function choose(path: string, picking: Picking): void {
  close();
  void takePath(path, picking);
}

const join = (folder: string, name: string): string =>
  folder.endsWith('/') || folder.endsWith('\\') ? folder + name : `${folder}/${name}`;

/** A dialog of our own over the folders of the machine the host runs on: what a native dialog is for Electron. */
export function FolderPicker() {
  const picking = useApp((state) => state.picking) ?? 'folder';
  const [listing, setListing] = useState<Listing | null>(null);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<Reason | null>(null);
  const asked = useRef(0);
  const show = async (path: string | null): Promise<void> => {
    asked.current += 1;
    const mine = asked.current;
    try {
      const next = await call('folder.list', { path });
      if (mine !== asked.current) return;
      setListing(next);
      setTyped(next.path);
      setError(null);
    } catch (thrown) {
      if (mine === asked.current) setError(reasonOfThrown(thrown));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first folder is asked for once
  useEffect(() => void show(null), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed.trim() !== '' && typed.trim() !== listing?.path) void show(typed.trim());
  };
  const entries = listing?.entries.filter((entry) => entry.folder || picking === 'log') ?? [];
  return (
    <Dialog
      title={TITLES[picking]}
      width={600}
      onClose={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" off={typed.trim() === '' ? 'Name a folder first.' : null} onClick={() => choose(typed.trim(), picking)}>
            {picking === 'log' || picking === 'folder' ? 'Open' : 'Use this folder'}
          </Button>
        </>
      }
    >
      <form className="picker-path" onSubmit={submit}>
        <input
          className="field mono"
          aria-label="Path"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">Go</Button>
      </form>
      {error === null ? null : (
        <p className="picker-error" role="alert">
          {error.message}
        </p>
      )}
      <ul className="picker-list" aria-label="Content of the folder">
        {listing?.parent == null ? null : (
          <li>
            <button type="button" className="picker-entry" onClick={() => void show(listing.parent)}>
              <FolderUp aria-hidden="true" />
              One folder up
            </button>
          </li>
        )}
        {entries.map((entry) => (
          <li key={entry.name}>
            <button
              type="button"
              className="picker-entry"
              onClick={() => {
                const path = join(listing?.path ?? '', entry.name);
                if (entry.folder) void show(path);
                else choose(path, picking);
              }}
            >
              {entry.folder ? <Folder aria-hidden="true" /> : <File aria-hidden="true" />}
              <span className="cut">{entry.name}</span>
            </button>
          </li>
        ))}
        {listing !== null && entries.length === 0 ? <li className="picker-none muted">Nothing to choose in this folder</li> : null}
      </ul>
    </Dialog>
  );
}
