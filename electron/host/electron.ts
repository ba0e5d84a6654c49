import type { App, BrowserWindow, Clipboard, Dialog, IpcMain, IpcMainInvokeEvent, OpenDialogOptions, Shell } from 'electron';
import type { Answer, MenuCommand } from '../../shared/contract.ts';
import { reason, TurnbackError } from '../../shared/errors.ts';
import { CALL_CHANNEL, EVENT_CHANNEL } from './channels.ts';
import type { HostPort } from './host-port.ts';
import { isPageUrl } from './page-protocol.ts';

/** The window that there is, or null. */
export type Window = () => BrowserWindow | null;

/** Does the call come from the main frame of our own window, while it shows our own page? */
export function senderAllowed(event: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>, window: BrowserWindow | null): boolean {
  const { sender, senderFrame } = event;
  if (window === null || window.isDestroyed() || sender !== window.webContents) return false;
  return senderFrame !== null && senderFrame === sender.mainFrame && isPageUrl(senderFrame.url);
}

/** Answers the page's calls over the one channel. A call of any other sender is refused as BAD_SENDER and reaches no handler. */
export function serveElectron(ipcMain: IpcMain, window: Window, answer: (call: unknown, input: unknown) => Promise<Answer>): void {
  ipcMain.handle(CALL_CHANNEL, (event, call: unknown, input: unknown): Promise<Answer> => {
    if (senderAllowed(event, window())) return answer(call, input);
    const shown = typeof call === 'string' ? call.slice(0, 80) : typeof call;
    return Promise.resolve({ ok: false, error: reason('BAD_SENDER', { call: shown }) });
  });
}

/** Pushes an event to the window, if there is one. */
export function pushElectron(window: Window, event: string, payload: unknown): void {
  const open = window();
  if (open !== null && !open.isDestroyed()) open.webContents.send(EVENT_CHANNEL, event, payload);
}

const LOG_FILTERS = [
  { name: 'Session logs', extensions: ['jsonl', 'zst', 'db', 'sqlite', 'json'] },
  { name: 'All files', extensions: ['*'] },
];

/** The desktop: native dialogs, the clipboard, the file manager, the user's browser. */
export function electronPort(parts: {
  app: Pick<App, 'addRecentDocument' | 'clearRecentDocuments'>;
  dialog: Dialog;
  clipboard: Clipboard;
  shell: Shell;
  window: Window;
  menu: (commands: readonly MenuCommand[]) => void;
}): HostPort {
  const { dialog, clipboard, shell } = parts;
  const window = (): BrowserWindow => {
    const open = parts.window();
    if (open === null) throw new TurnbackError('NOT_AVAILABLE_HERE', { what: 'A dialog' });
    return open;
  };
  return {
    host: 'electron',
    async chooseOpen(what) {
      const options: OpenDialogOptions =
        what === 'log'
          ? { title: 'Open a log or a store', properties: ['openFile', 'showHiddenFiles'], filters: LOG_FILTERS }
          : { title: 'Open a workspace', properties: ['openDirectory', 'showHiddenFiles'] };
      const { canceled, filePaths } = await dialog.showOpenDialog(window(), options);
      return canceled ? null : (filePaths[0] ?? null);
    },
    async chooseSave(name) {
      const { canceled, filePath } = await dialog.showSaveDialog(window(), {
        title: 'Save the patch',
        defaultPath: name,
        properties: ['showOverwriteConfirmation', 'createDirectory'],
      });
      return canceled || filePath === '' ? null : { path: filePath, replace: true };
    },
    async writeClipboard(text) {
      clipboard.writeText(text);
    },
    async reveal(path) {
      shell.showItemInFolder(path);
    },
    async edit(path) {
      const failure = await shell.openPath(path);
      if (failure !== '') throw new TurnbackError('EDIT_REFUSED', { path, cause: failure.replace(/\.$/, '') });
    },
    openLink: (url) => shell.openExternal(url),
    showMenu: parts.menu,
    rememberDocument: (file) => parts.app.addRecentDocument(file),
    forgetDocuments: () => parts.app.clearRecentDocuments(),
  };
}
