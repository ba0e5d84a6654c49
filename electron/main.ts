import path from 'node:path';
import { app, BrowserWindow, clipboard, dialog, ipcMain, Menu, nativeTheme, protocol, screen, session, shell } from 'electron';
import type { MenuCommand } from '../shared/contract.ts';
import { APP_ROOT, PAGE_FOLDER } from './host/app-root.ts';
import { APP_VERSION } from './host/app-version.ts';
import { electronPort, pushElectron, serveElectron } from './host/electron.ts';
import { createEngine } from './host/engine.ts';
import { openArgument } from './host/open-argument.ts';
import { pageFiles } from './host/page-files.ts';
import { PAGE_SCHEME, pageProtocol } from './host/page-protocol.ts';
import { menuTemplate } from './menu.ts';
import { secureApp, secureSession } from './security.ts';
import { openWindow } from './window.ts';

let window: BrowserWindow | null = null;
let ended = false;

const current = (): BrowserWindow | null => window;
const open = openArgument(process.argv, app.isPackaged, process.cwd());
/** The native menu with the page's commands; without any until the page has told them. */
function showMenu(commands: readonly MenuCommand[]): void {
  const run = (command: string, argument: string | null): void => engine.emit('command', { command, argument });
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform: process.platform, run, commands, devTools: !app.isPackaged })));
}

const engine = createEngine({
  port: electronPort({ app, dialog, clipboard, shell, window: current, menu: showMenu }),
  push: (event, payload) => pushElectron(current, event, payload),
  version: APP_VERSION,
  open,
});

function showWindow(): void {
  if (window !== null) {
    if (window.isMinimized()) window.restore();
    window.focus();
    return;
  }
  window = openWindow({
    create: (options) => new BrowserWindow(options),
    preload: path.join(APP_ROOT, 'out/app/preload.cjs'),
    ownData: engine.ownData,
    areas: screen.getAllDisplays().map((display) => display.workArea),
    dark: nativeTheme.shouldUseDarkColors,
    devTools: !app.isPackaged,
  });
  window.on('closed', () => {
    window = null;
  });
}

/** Another start, or the system, asks to open something in the window that is there, or in a new one. */
function openHere(named: string | null): void {
  const fresh = window === null;
  showWindow();
  if (named === null) return;
  const tell = (): void => engine.emit('command', { command: 'open-log', argument: named });
  // A new page listens once its script has run.
  if (fresh) window?.webContents.once('did-finish-load', tell);
  else tell();
}

async function start(): Promise<void> {
  await app.whenReady();
  secureSession(session.defaultSession);
  protocol.handle(PAGE_SCHEME, pageProtocol(await pageFiles(PAGE_FOLDER)));
  serveElectron(ipcMain, current, engine.answer);
  showMenu([]);
  app.on('activate', showWindow);
  showWindow();
}

// All that Chromium writes stays in our own data folder; the lock of the single instance lies there too.
app.setPath('userData', path.join(engine.ownData, 'electron'));
secureApp(app);
protocol.registerSchemesAsPrivileged([
  { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
]);

app.on('window-all-closed', () => {
  if (process.platform !== 'darwin') app.quit();
});
app.on('before-quit', (event) => {
  if (ended) return;
  // A travel under way is finished first: quitting must not cut it short.
  event.preventDefault();
  void engine.dispose().finally(() => {
    ended = true;
    app.quit();
  });
});

if (app.requestSingleInstanceLock({ open })) {
  const started = start();
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    const named = typeof data === 'object' && data !== null && 'open' in data && typeof data.open === 'string' ? data.open : null;
    void started.then(() => openHere(named));
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    void started.then(() => openHere(file));
  });
  started.catch((thrown: unknown) => {
    dialog.showErrorBox('Turnback could not start', thrown instanceof Error ? thrown.message : String(thrown));
    app.exit(1);
  });
} else {
  ended = true;
  app.quit();
}
