import { FolderPlus, X } from 'lucide-react';
import { useId, useState } from 'react';
import type { Reason } from '../../shared/errors.ts';
import { useApp } from '../store/app-store.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { changeSettings, chooseGit } from '../store/settings.ts';
import { listThreads } from '../store/threads.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { PathLabel } from '../ui/path-label.tsx';

function Folders() {
  const folders = useApp((state) => state.settings.folders);
  const [typed, setTyped] = useState('');
  const path = typed.trim();
  const absolute = path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
  const off =
    path === '' ? 'Type a folder first.' : !absolute ? 'Type its full path.' : folders.includes(path) ? 'It is in the list.' : null;
  const set = async (next: string[]): Promise<void> => {
    await changeSettings({ folders: next });
    await listThreads();
  };
  const add = (): void => {
    if (off !== null) return;
    setTyped('');
    void set([...folders, path]);
  };
  return (
    <section className="settings-part">
      <h3>Folders in which threads are looked for</h3>
      {folders.length === 0 ? (
        <p className="muted">Only the places that the agents themselves use.</p>
      ) : (
        <ul className="settings-list-of" aria-label="Folders">
          {folders.map((folder) => (
            <li key={folder}>
              <PathLabel path={folder} />
              <IconButton label={`Remove ${folder}`} icon={<X />} onClick={() => void set(folders.filter((one) => one !== folder))} />
            </li>
          ))}
        </ul>
      )}
      <div className="settings-row">
        <input
          className="field mono"
          aria-label="Folder to add"
          placeholder="/full/path"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') add();
          }}
        />
        <Button icon={<FolderPlus />} off={off} onClick={add}>
          Add
        </Button>
      </div>
    </section>
  );
}

type Checked = { path: string; version: string } | { path: string; reason: Reason } | null;

function GitPath() {
  const gitPath = useApp((state) => state.settings.gitPath);
  const git = useApp((state) => state.info?.git);
  const id = useId();
  const [typed, setTyped] = useState(gitPath ?? '');
  const [checked, setChecked] = useState<Checked>(null);
  const [busy, setBusy] = useState(false);
  const path = typed.trim();
  const known = checked !== null && checked.path === path ? checked : null;
  const version = known !== null && 'version' in known ? known.version : null;
  const check = async (): Promise<void> => {
    setBusy(true);
    try {
      setChecked({ path, version: (await call('git.check', { path })).version });
    } catch (thrown) {
      setChecked({ path, reason: reasonOfThrown(thrown) });
    } finally {
      setBusy(false);
    }
  };
  const same = path === (gitPath ?? '');
  const off = busy
    ? 'It is being run.'
    : same
      ? 'This is the one that is used.'
      : path === '' || version !== null
        ? null
        : 'Check it first.';
  return (
    <section className="settings-part">
      <h3>Git</h3>
      <p className="muted">
        {gitPath === null ? 'The git on PATH is used' : 'The git below is used'}
        {git !== undefined && 'version' in git ? `, version ${git.version.replace(/^git version /, '')}` : ''}. Leave it empty for the one
        on PATH.
      </p>
      <div className="settings-row">
        <input
          className="field mono"
          aria-label="Path of git"
          aria-describedby={id}
          placeholder="/usr/bin/git"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button off={busy ? 'It is being run.' : path === '' ? 'Type a path first.' : null} onClick={() => void check()}>
          Check
        </Button>
        <Button variant="primary" off={off} onClick={() => void chooseGit(path === '' ? null : path)}>
          Use it
        </Button>
        <p id={id} className={known !== null && 'reason' in known ? 'settings-why settings-bad' : 'settings-why'} aria-live="polite">
          {known === null ? (off ?? '') : 'reason' in known ? known.reason.message : `This is git ${known.version}.`}
        </p>
      </div>
    </section>
  );
}

/** Where threads are looked for, and which git runs. */
export function PlacesPage() {
  return (
    <>
      <Folders />
      <GitPath />
    </>
  );
}
