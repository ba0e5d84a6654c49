import type { Input } from '../../shared/contract.ts';
import { appStore, type SettingsPage } from './app-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { showFailure } from './toast-store.ts';

/** Changes settings: at once in the window, then on disk. A failure to keep them is said, and they hold for this window. */
export async function changeSettings(change: Input<'settings.set'>): Promise<void> {
  appStore.setState(({ settings }) => ({ settings: { ...settings, ...change } as typeof settings }));
  try {
    appStore.setState({ settings: await call('settings.set', change) });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** Opens the settings, at a page. */
export function openSettings(page: SettingsPage = appStore.getState().settingsPage): void {
  appStore.setState({ overlay: 'settings', settingsPage: page });
}

/** Runs another git from now on, null for the one on PATH, and reads again what it is. */
export async function chooseGit(path: string | null): Promise<void> {
  await changeSettings({ gitPath: path });
  try {
    appStore.setState({ info: await call('app.info', {}) });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}
