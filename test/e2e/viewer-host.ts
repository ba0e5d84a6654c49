import type { Page } from 'playwright-core';

/** One of the two places the viewer runs in, as the scenarios see it. They do not know which it is. */
export interface ViewerHost {
  readonly name: 'electron' | 'browser';
  readonly page: Page;
  /** Own folder of the run: `home` and `own-data` lie below it. */
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Says where the patch goes that the act exports: in the native dialog, or in the page's own. */
  exportPatch(file: string, act: () => Promise<void>): Promise<void>;
  /** Dialogs of the system that were asked for so far: 'open' or 'save'. The browser host has none; the page shows its own. */
  systemDialogs(): string[];
  /** The text that the viewer put on the clipboard last. */
  clipboard(): Promise<string>;
  /** Errors of the page and requests that left the machine. */
  problems(): string[];
  close(): Promise<void>;
}
