import type { Client } from '../../shared/client.ts';
import { appStore } from './app-store.ts';
import { cursorStore } from './cursor-store.ts';
import { call, connect, reasonOfThrown } from './host.ts';
import { takeHits, takeSearchProgress } from './search.ts';
import { takeAllProgress, takeFound } from './search-all.ts';
import { reloadThread, takePreview, takeProgress } from './session.ts';
import { sessionStore } from './session-store.ts';
import { listThreads, openNamed } from './threads.ts';
import { showFailure } from './toast-store.ts';
import { loadInterrupted } from './travel.ts';
import { travelStore } from './travel-store.ts';

let reloading = false;
let again = false;

/** Reads a changed thread again, one read at a time; changes during a read cause one more. */
async function follow(thread: string): Promise<void> {
  if (reloading) {
    again = true;
    return;
  }
  reloading = true;
  try {
    do {
      again = false;
      await reloadThread(thread);
    } while (again && sessionStore.getState().id === thread);
  } finally {
    reloading = false;
  }
}

function listen(client: Client, run: (command: string, argument: string | null) => void): void {
  client.on('progress', ({ operation, done, total, label }) => {
    takeProgress(operation, done, total);
    takeSearchProgress(operation, done, total);
    takeAllProgress(operation, done, total, label);
    const { running } = travelStore.getState();
    if (running?.operation === operation) travelStore.setState({ running: { ...running, done, total, label } });
  });
  client.on('thread.preview', ({ operation, view, from, size }) => takePreview(operation, view, { from, size }));
  client.on('search.hits', ({ operation, hits }) => takeHits(operation, hits));
  client.on('search.found', ({ operation, ...found }) => takeFound(operation, found));
  client.on('thread.changed', ({ thread }) => {
    if (sessionStore.getState().id === thread && travelStore.getState().running === null) void follow(thread);
  });
  client.on('notice', ({ reason }) => showFailure(reason));
  client.on('command', ({ command, argument }) => run(command, argument));
}

/** Connects the window to its host: settings, what the app is, what to open, and the pushed events. */
export async function startApp(client: Client, run: (command: string, argument: string | null) => void): Promise<void> {
  connect(client);
  listen(client, run);
  await loadApp();
}

/** The calls of the start; again after the host was lost and came back. */
export async function loadApp(): Promise<void> {
  appStore.setState({ failed: null });
  try {
    const [info, settings] = await Promise.all([call('app.info', {}), call('settings.get', {})]);
    appStore.setState({ info, settings, connection: 'open' });
  } catch (thrown) {
    appStore.setState({ failed: reasonOfThrown(thrown) });
    return;
  }
  void listThreads();
  void loadInterrupted();
  void tellSettings();
  const { id } = sessionStore.getState();
  if (id !== null) await reloadThread(id);
  else await openAtStart(appStore.getState().info?.open ?? null);
}

/** Says why the settings are not what their file says. The dialog of the settings asks again, so a failure to ask is no news here. */
async function tellSettings(): Promise<void> {
  const { notice } = await call('settings.notice', {}).catch(() => ({ notice: null }));
  if (notice !== null) showFailure(notice);
}

async function openAtStart(open: string | null): Promise<void> {
  if (open !== null && !cursorStore.getState().dragging) await openNamed(open);
}
