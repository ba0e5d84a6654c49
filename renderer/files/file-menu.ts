import type { FileChange } from '../../shared/model.ts';
import { commandOf } from '../commands.ts';
import { appStore } from '../store/app-store.ts';
import { bringBackFile, bringBackOff } from '../store/bring-back.ts';
import { leaveLens, pinFile } from '../store/lens.ts';
import { lensNow } from '../store/lens-store.ts';
import { linesStore, toggleLines } from '../store/lines-store.ts';
import { copyPatch, copyText, exportPatch, openFile, patchRange } from '../store/patch.ts';
import type { MenuItem } from '../ui/menu.tsx';

/** A browser window has no programs of the machine that the files are on. */
function openOff(): string | null {
  return appStore.getState().info?.host === 'browser'
    ? 'Only the desktop window can open files: this page may be on another machine.'
    : null;
}

/** What can be done with one file of what is shown. */
export function itemsOfFile(file: FileChange): MenuItem[][] {
  const pinned = lensNow()?.names.has(file.path) === true;
  const patch = commandOf('patch-export').off();
  const open = openOff();
  return [
    [
      pinned
        ? { id: 'lens', label: 'Show all files', keys: 'l', run: () => void leaveLens() }
        : { id: 'lens', label: 'Only this file, through its steps', keys: 'l', run: () => void pinFile(file.path) },
      { id: 'lines', label: 'Who wrote each line', keys: 'a', checked: linesStore.getState().on, run: toggleLines },
    ],
    [{ id: 'bring-back', label: 'Bring this file back…', off: bringBackOff(file.path), run: () => void bringBackFile(file.path) }],
    [
      { id: 'patch-file', label: 'Export patch of this file…', off: patch, run: () => void exportPatch(file.path) },
      { id: 'copy-patch-file', label: 'Copy patch of this file', off: patch, run: () => void copyPatch(patchRange(), file.path) },
    ],
    [
      { id: 'copy-path', label: 'Copy path', run: () => void copyText(file.path, 'Path') },
      { id: 'edit', label: 'Open in editor', off: open, run: () => void openFile(file.path, 'edit') },
      { id: 'reveal', label: 'Show in folder', off: open, run: () => void openFile(file.path, 'reveal') },
    ],
  ];
}
