import type { MenuItemConstructorOptions } from 'electron';

/** Asks the page for a command of its table. */
export type RunCommand = (command: string, argument: string | null) => void;

export interface MenuParts {
  platform: NodeJS.Platform;
  run: RunCommand;
  devTools: boolean;
}

/**
 * The native menu. Its items ask for commands of the page's table, which knows whether they make sense; the keys that stand
 * beside them are the page's. Keys without a modifier are not shown, since in a field they are typing.
 */
export function menuTemplate({ platform, run, devTools }: MenuParts): MenuItemConstructorOptions[] {
  const item = (label: string, command: string, accelerator?: string): MenuItemConstructorOptions => ({
    id: command,
    label,
    click: () => run(command, null),
    // Shown here, handled by the page: were both to take the key, it would count twice.
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const mac = platform === 'darwin';
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        item('Open Log…', 'open-log', 'CmdOrCtrl+O'),
        item('Open Folder…', 'open-folder', 'CmdOrCtrl+Shift+O'),
        item('Try the Sample', 'open-sample'),
        item('All Threads', 'close-thread'),
        line,
        item('Export Patch…', 'patch-export'),
        item('Copy Patch', 'patch-copy'),
        line,
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    {
      label: 'Edit',
      submenu: [{ role: 'cut' }, { role: 'copy' }, { role: 'paste' }, { role: 'selectAll' }, line, item('Find…', 'search', 'CmdOrCtrl+F')],
    },
    {
      label: 'Travel',
      submenu: [
        item('Revert to Cursor…', 'revert'),
        item('Unrevert', 'unrevert'),
        line,
        item('Undo Last Turn', 'undo'),
        item('Redo Last Turn', 'redo'),
        line,
        item('History', 'history'),
      ],
    },
    {
      label: 'View',
      submenu: [
        item('Command Palette…', 'palette', 'CmdOrCtrl+K'),
        item('Keys', 'keys'),
        item('Next Theme', 'theme'),
        item('Timeline', 'timeline', 'CmdOrCtrl+J'),
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
