import type { MenuCommand } from '../../shared/contract.ts';

/** Where to save a file. `replace`: the user agreed to replace what is there. */
export interface SaveTarget {
  path: string;
  replace: boolean;
}

/** What only the place where the viewer runs can do. Refusals are TurnbackErrors. */
export interface HostPort {
  readonly host: 'electron' | 'browser';
  /** Asks the user for a log or a folder; null when cancelled. */
  chooseOpen(what: 'log' | 'folder'): Promise<string | null>;
  /** Asks the user where to save; `typed` is what the page says the user typed, for a place that has no dialog. Null when cancelled. */
  chooseSave(name: string, typed: string | null): Promise<SaveTarget | null>;
  writeClipboard(text: string): Promise<void>;
  /** Shows a file in the system's file manager. */
  reveal(path: string): Promise<void>;
  /** Opens a file, of which it was checked that this runs nothing, in the program that the system has for it. */
  edit(path: string): Promise<void>;
  /** Opens a link that was checked to be http or https. */
  openLink(url: string): Promise<void>;
  /** Shows the page's commands in the native menu, where there is one. */
  showMenu?(commands: readonly MenuCommand[]): void;
  /** Tells the system that a document was opened, for its list of recent ones. */
  rememberDocument?(path: string): void;
  /** Empties that list. */
  forgetDocuments?(): void;
}
