import type { Transport } from '../shared/client.ts';
import { browserTransport } from './browser-transport.ts';
import { appStore } from './store/app-store.ts';

/** What the preload puts into the window under Electron. */
export interface Bridge extends Transport {
  /** The path of a file that the user dropped; only Electron knows it. */
  pathOf?: (file: File) => string;
}

declare global {
  interface Window {
    readonly turnback?: Bridge;
  }
}

/** The bridge of the preload where there is one; else the browser host's WebSocket. */
export function createTransport(onBack: () => void): Transport {
  if (window.turnback !== undefined) return window.turnback;
  return browserTransport({
    onState: (connection) => {
      const before = appStore.getState().connection;
      appStore.setState({ connection });
      if (connection === 'open' && before === 'lost') onBack();
    },
  });
}

/** The path of a dropped file; null where the window cannot know it. */
export function pathOfFile(file: File): string | null {
  const path = window.turnback?.pathOf?.(file) ?? '';
  return path === '' ? null : path;
}
