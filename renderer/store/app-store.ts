import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { AppInfo, Settings } from '../../shared/contract.ts';
import { DEFAULT_SETTINGS } from '../../shared/default-settings.ts';
import type { Reason } from '../../shared/errors.ts';

/** `lost`: the browser host went away and the window tries again. */
export type Connection = 'connecting' | 'open' | 'lost';
/** What is open over the whole window; at most one at a time. The gate is not here: it belongs to the travel store. */
export type Overlay = 'palette' | 'keys' | 'history' | 'patch' | 'folder' | 'settings' | 'forget' | null;
/** The panes, by the name that focus, tabs and the narrow layout use. */
export type Pane = 'transcript' | 'steps' | 'files' | 'diff';

/** The pages of the settings dialog. */
export type SettingsPage = 'look' | 'keys' | 'safety' | 'places';

export type Picking = 'log' | 'folder' | 'root' | 'data' | 'known' | 'moved';

export interface AppState {
  connection: Connection;
  info: AppInfo | null;
  /** Why the engine did not answer at start. */
  failed: Reason | null;
  settings: Settings;
  overlay: Overlay;
  /** The page of the settings that is shown. */
  settingsPage: SettingsPage;
  /** What the folder picker is for: a log, a folder, the workspace or the snapshots of the open thread, a place to look for threads, or where a workspace is now. */
  picking: Picking | null;
  /** The one pane that is shown below 720 px. */
  pane: Pane;
  timelineOpen: boolean;
}

export const appStore = createStore<AppState>(() => ({
  connection: 'connecting',
  info: null,
  failed: null,
  settings: DEFAULT_SETTINGS,
  overlay: null,
  settingsPage: 'look',
  picking: null,
  pane: 'transcript',
  timelineOpen: true,
}));

export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(appStore, select);
}
