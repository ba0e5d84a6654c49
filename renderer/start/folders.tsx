import { FolderPlus, FolderSearch, X } from 'lucide-react';
import { useApp } from '../store/app-store.ts';
import { changeSettings } from '../store/settings.ts';
import { choosePath, listThreads } from '../store/threads.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { showPath } from '../ui/names.ts';
import { count } from '../ui/words.ts';

async function remove(folder: string, folders: readonly string[]): Promise<void> {
  await changeSettings({ folders: folders.filter((other) => other !== folder) });
  await listThreads();
}

/** The folders in which threads are looked for besides the usual places. */
export function Folders() {
  const folders = useApp((state) => state.settings.folders);
  const home = useApp((state) => state.info?.home);
  return (
    <details className="folders">
      <summary>
        <FolderSearch aria-hidden="true" />
        {folders.length === 0 ? 'Threads are looked for in the usual places' : `The usual places and ${count(folders.length, 'folder')}`}
      </summary>
      <ul>
        {folders.map((folder) => (
          <li key={folder}>
            <span className="mono cut">{showPath(folder, home)}</span>
            <IconButton label={`Do not look in ${showPath(folder, home)}`} icon={<X />} onClick={() => void remove(folder, folders)} />
          </li>
        ))}
      </ul>
      <Button icon={<FolderPlus />} onClick={() => void choosePath('known')}>
        Look in another folder…
      </Button>
    </details>
  );
}
