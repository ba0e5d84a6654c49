import type { BrowserWindow, BrowserWindowConstructorOptions, WebPreferences } from 'electron';
import { PAGE_URL } from './host/page-protocol.ts';
import { type Bounds, fitBounds, LEAST, readWindowState, writeWindowState } from './host/window-state.ts';

/** What the page may do: nothing but show itself and talk through the preload. */
export function webPreferences(preload: string, devTools: boolean): WebPreferences {
  return {
    preload,
    devTools,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    // Its dictionaries would be fetched from the network.
    spellcheck: false,
  };
}

export interface WindowParts {
  create: (options: BrowserWindowConstructorOptions) => BrowserWindow;
  preload: string;
  ownData: string;
  areas: readonly Bounds[];
  dark: boolean;
  devTools: boolean;
}

/** Opens the viewer's window where it was last time, and shows it once its page has drawn. */
export function openWindow({ create, preload, ownData, areas, dark, devTools }: WindowParts): BrowserWindow {
  const last = readWindowState(ownData);
  const window = create({
    ...fitBounds(last?.bounds ?? null, areas),
    minWidth: LEAST.width,
    minHeight: LEAST.height,
    title: 'Turnback',
    show: false,
    // The ground of the theme, so that no white flash comes before the page.
    backgroundColor: dark ? '#0f1115' : '#f6f7f9',
    webPreferences: webPreferences(preload, devTools),
  });
  if (last?.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => {
    writeWindowState(ownData, { version: 1, bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  });
  void window.loadURL(PAGE_URL);
  return window;
}
