import type { MenuItemConstructorOptions } from 'electron';
import { partsOfChord } from '../shared/chords.ts';
import type { MenuCommand } from '../shared/contract.ts';

/** Asks the page for a command of its table. */
export type RunCommand = (command: string, argument: string | null) => void;

export interface MenuParts {
  platform: NodeJS.Platform;
  run: RunCommand;
  /** The page's command table: titles, and the keys that are in force. Empty before the page has told it. */
  commands: readonly MenuCommand[];
  devTools: boolean;
}

const NAMES: Record<string, string> = {
  mod: 'CmdOrCtrl',
  other: 'Super',
  alt: 'Alt',
  shift: 'Shift',
  arrowleft: 'Left',
  arrowright: 'Right',
  arrowup: 'Up',
  arrowdown: 'Down',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  '+': 'Plus',
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The first chord with a modifier, as Electron writes it. Keys without one are not shown: in a field they are typing. */
function acceleratorOf(keys: readonly string[]): string | null {
  for (const chord of keys) {
    const parts = partsOfChord(chord);
    const shown = parts !== null && (parts.held.some((held) => held !== 'shift') || /^f\d+$/.test(parts.key));
    if (shown) return [...parts.held, parts.key].map((part) => NAMES[part] ?? capital(part)).join('+');
  }
  return null;
}

/**
 * The native menu. Its items are commands of the page's table, which knows whether they make sense; an item that the table does not have
 * is not shown. Keys stand beside them and are left to the page.
 */
export function menuTemplate({ platform, run, commands, devTools }: MenuParts): MenuItemConstructorOptions[] {
  const byId = new Map(commands.map((command) => [command.id, command]));
  const items = (...ids: string[]): MenuItemConstructorOptions[] =>
    ids.flatMap((id) => {
      const command = byId.get(id);
      if (command === undefined) return [];
      const accelerator = acceleratorOf(command.keys);
      // Shown here, handled by the page: were both to take the key, it would count twice.
      const key = accelerator === null ? {} : { accelerator, registerAccelerator: false };
      return [{ id, label: command.title, click: () => run(id, null), ...key }];
    });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const mac = platform === 'darwin';
  const recent: MenuItemConstructorOptions = {
    label: 'Open Recent',
    role: 'recentDocuments',
    submenu: [{ role: 'clearRecentDocuments' }],
  };
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        ...items('open-log', 'open-folder', 'open-sample', 'close-thread'),
        ...(mac ? [recent] : []),
        line,
        ...items('patch-export', 'patch-copy'),
        line,
        ...items('forget', 'settings'),
        line,
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { label: 'Edit', submenu: [{ role: 'cut' }, { role: 'copy' }, { role: 'paste' }, { role: 'selectAll' }, line, ...items('search')] },
    { label: 'Travel', submenu: [...items('revert', 'unrevert'), line, ...items('undo', 'redo'), line, ...items('history')] },
    {
      label: 'View',
      submenu: [
        ...items('palette', 'keys', 'theme', 'timeline'),
        line,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...(devTools ? [line, { role: 'reload' } as const, { role: 'toggleDevTools' } as const] : []),
      ],
    },
    { role: 'windowMenu' },
  ];
}
