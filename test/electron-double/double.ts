import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { FakeApp } from './app.ts';
import { FakeWindow, type WindowOptions } from './browser-window.ts';
import { FakeMenu, type Item } from './menu.ts';
import { type CallHandler, type LogEntry, type RequestFilter, type SchemeHandler, Stage } from './stage.ts';
import { strict } from './strict.ts';
import { FakeWebContents } from './web-contents.ts';

export interface DoubleOptions {
  headless?: boolean;
  /** False: another instance holds the lock. */
  lock?: boolean;
  packaged?: boolean;
}

type PermissionHandler = (...args: never[]) => unknown;

/** Answers for dialogs, in the order they will be asked; without one a dialog is cancelled. */
export type DialogAnswer = { canceled: boolean; filePaths?: string[]; filePath?: string };

export interface ElectronDouble {
  /** What `require('electron')` gives. */
  electron: object;
  app: FakeApp;
  log: LogEntry[];
  answers: DialogAnswer[];
  windows: ReadonlySet<FakeWindow>;
  permissions: { request: PermissionHandler | null; check: PermissionHandler | null; device: PermissionHandler | null };
  clipboard(): string;
  menu(): FakeMenu | null;
  /** Clicks a menu item by id. */
  click(id: string): void;
  /** A second start of the app, with the data it gave for the lock. */
  secondInstance(data: unknown): void;
  /** The page of the first window, once it has loaded. */
  firstPage(timeoutMs?: number): Promise<Page>;
  /** Resolves when the app has quit. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** A stand-in for the electron module over real Chromium: same worlds, same messages, and an error for what it does not have. */
export function createElectronDouble(options: DoubleOptions = {}): ElectronDouble {
  const userData = mkdtempSync(path.join(os.tmpdir(), 'electron-double-'));
  const stage = new Stage(options.headless ?? true, userData);
  const { log } = stage;
  const windows = new Set<FakeWindow>();
  const answers: DialogAnswer[] = [];
  const permissions: ElectronDouble['permissions'] = { request: null, check: null, device: null };
  let nextId = 1;
  let menu: FakeMenu | null = null;
  let copied = '';

  async function close(): Promise<void> {
    await stage.close();
    rmSync(userData, { recursive: true, force: true, maxRetries: 3 });
  }
  const end = async (): Promise<void> => {
    for (const window of windows) window.close();
    await Promise.all([...windows].map((window) => new Promise((resolve) => window.once('closed', resolve))));
    await close();
  };
  const app = new FakeApp({ userData, lock: options.lock ?? true, packaged: options.packaged ?? false, end });

  const protocol = {
    registerSchemesAsPrivileged(schemes: readonly { scheme: string }[]) {
      app.before('protocol.registerSchemesAsPrivileged()');
      for (const { scheme } of schemes) stage.addresses.schemes.add(scheme);
    },
    handle: (scheme: string, handler: SchemeHandler) => void stage.schemeHandlers.set(scheme, handler),
  };

  const webRequest = strict(
    {
      onBeforeRequest(filter: RequestFilter) {
        stage.requestFilter = filter;
      },
    },
    'webRequest',
  );
  class FakeSession extends EventEmitter {
    readonly protocol = protocol;
    readonly webRequest = webRequest;
    setPermissionRequestHandler(handler: PermissionHandler): void {
      permissions.request = handler;
    }
    setPermissionCheckHandler(handler: PermissionHandler): void {
      permissions.check = handler;
    }
    setDevicePermissionHandler(handler: PermissionHandler): void {
      permissions.device = handler;
    }
  }
  const defaultSession = strict(new FakeSession(), 'session');
  app.once('ready', () => app.emit('session-created', defaultSession));

  function makeWindow(given: WindowOptions = {}): FakeWindow {
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const contents = new FakeWebContents(stage, nextId++, defaultSession);
    const window = new FakeWindow(given, contents);
    const shown = strict(window, 'BrowserWindow');
    windows.add(window);
    window.once('closed', () => {
      windows.delete(window);
      if (windows.size === 0 && !app.quitting) app.emit('window-all-closed');
    });
    app.emit('web-contents-created', {}, window.webContents);
    app.emit('browser-window-created', {}, shown);
    return shown;
  }

  const ipcMain = Object.assign(stage.ipcMain, {
    handle(channel: string, handler: CallHandler) {
      if (stage.callHandlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
      stage.callHandlers.set(channel, handler);
    },
  });

  const ask =
    (dialog: string) =>
    (...args: unknown[]): Promise<DialogAnswer> => {
      log.push({ kind: 'dialog', dialog, options: args.at(-1) });
      return Promise.resolve({ canceled: true, filePaths: [], filePath: '', ...answers.shift() });
    };

  const Menu = {
    buildFromTemplate: (template: readonly Item[]) => new FakeMenu(template),
    setApplicationMenu(made: FakeMenu | null) {
      menu = made;
    },
    getApplicationMenu: () => menu,
  };

  const electron = {
    app: strict(app, 'app'),
    BrowserWindow: Object.assign(makeWindow, { getAllWindows: () => [...windows] }),
    ipcMain: strict(ipcMain, 'ipcMain'),
    protocol: strict(protocol, 'protocol'),
    session: strict({ defaultSession }, 'session'),
    dialog: strict(
      {
        showOpenDialog: ask('open'),
        showSaveDialog: ask('save'),
        showErrorBox: (title: string, content: string) => void log.push({ kind: 'error-box', title, content }),
      },
      'dialog',
    ),
    Menu: strict(Menu, 'Menu'),
    shell: strict(
      {
        openExternal: async (url: string) => void log.push({ kind: 'open-external', url }),
        showItemInFolder: (file: string) => void log.push({ kind: 'reveal', file }),
        openPath: async (file: string) => {
          log.push({ kind: 'open-path', file });
          return '';
        },
      },
      'shell',
    ),
    nativeTheme: strict(Object.assign(new EventEmitter(), { themeSource: 'system', shouldUseDarkColors: false }), 'nativeTheme'),
    screen: strict({ getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] }, 'screen'),
    clipboard: strict(
      {
        writeText(text: string) {
          copied = text;
        },
        readText: () => copied,
      },
      'clipboard',
    ),
  };

  return {
    electron: strict(electron, 'electron'),
    app,
    log,
    answers,
    windows,
    permissions,
    clipboard: () => copied,
    menu: () => menu,
    click(id) {
      const item = menu?.getMenuItemById(id);
      if (item?.click === undefined) throw new Error(`electron double: there is no menu item ${id}`);
      item.click(item);
    },
    secondInstance: (data) => void app.emit('second-instance', {}, [], '/', structuredClone(data)),
    async firstPage(timeoutMs = 30_000) {
      for (const until = Date.now() + timeoutMs; Date.now() < until; ) {
        const [window] = windows;
        if (window?.contents.loaded) return window.contents.page;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`electron double: no window within ${timeoutMs} ms; log: ${JSON.stringify(log)}`);
    },
    ended: new Promise((resolve) => app.once('quit', () => resolve())),
    close,
  };
}
