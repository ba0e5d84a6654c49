import { reason } from '../../shared/errors.ts';
import { appStore, type Picking } from './app-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { openThread } from './session.ts';
import { sessionStore } from './session-store.ts';
import { changeSettings } from './settings.ts';
import { threadsStore } from './threads-store.ts';
import { showFailure } from './toast-store.ts';

/** Looks for threads again. The list before stays until the new one is there. */
export async function listThreads(): Promise<void> {
  threadsStore.setState(({ threads }) => ({ phase: threads.length > 0 ? 'ready' : 'loading', error: null }));
  try {
    const { threads, problems } = await call('threads.list', {});
    threadsStore.setState({ phase: 'ready', threads, problems });
  } catch (thrown) {
    threadsStore.setState({ phase: 'failed', error: reasonOfThrown(thrown) });
  }
}

/** Says what is being done while it is done, and what went wrong. */
async function busyWith(busy: string, work: () => Promise<void>): Promise<void> {
  threadsStore.setState({ busy });
  try {
    await work();
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  } finally {
    threadsStore.setState({ busy: null });
  }
}

/** Opens what is at a path: the one thread there, or a list of them to choose from. */
export function locatePath(path: string): Promise<void> {
  return busyWith(`Looking for threads at ${path}`, async () => {
    const { threads } = await call('threads.locate', { path });
    if (threads.length === 0) {
      showFailure(reason('NOT_A_LOG', { path }));
      return;
    }
    const { recent } = appStore.getState().settings;
    await changeSettings({ recent: [path, ...recent.filter((entry) => entry !== path)].slice(0, 12) });
    const [only] = threads;
    if (only !== undefined && threads.length === 1) {
      await openThread(only.id);
      return;
    }
    threadsStore.setState((state) => {
      const located = new Set(threads.map((thread) => thread.id));
      return { phase: 'ready', threads: [...threads, ...state.threads.filter((thread) => !located.has(thread.id))], filter: path };
    });
  });
}

/** Opens what another start or the system names: a path, or the id of a thread. */
export async function openNamed(named: string): Promise<void> {
  const isPath = named.startsWith('/') || /^[A-Za-z]:[\\/]/.test(named);
  const isId = threadsStore.getState().threads.some((thread) => thread.id === named) || named.includes(':');
  if (!isPath && isId) await openThread(named);
  else await locatePath(named);
}

/** Looks for threads in one more folder from now on. */
async function addFolder(path: string): Promise<void> {
  const { folders } = appStore.getState().settings;
  if (!folders.includes(path)) await changeSettings({ folders: [...folders, path] });
  await listThreads();
}

/** Asks where a workspace is that is not at its place any more. */
export function locateWorkspace(root: string): Promise<void> {
  threadsStore.setState({ moving: root });
  return choosePath('moved');
}

/** The threads of the workspace that was asked about work in this folder from now on. */
function takeMoved(path: string): Promise<void> {
  const { moving, threads } = threadsStore.getState();
  threadsStore.setState({ moving: null });
  const here = threads.filter((head) => head.root === moving).map((head) => head.id);
  if (moving === null || here.length === 0) return Promise.resolve();
  return busyWith(`Taking ${path} as the workspace`, async () => {
    await call('threads.relocate', { threads: here, root: path });
    threadsStore.setState(({ choice }) => ({ choice: { ...choice, root: choice.root === moving ? null : choice.root } }));
    await listThreads();
  });
}

/** Takes a chosen path to what it was asked for. */
export async function takePath(path: string, picking: Picking): Promise<void> {
  const { id } = sessionStore.getState();
  if (picking === 'known') await addFolder(path);
  else if (picking === 'moved') await takeMoved(path);
  else if (picking === 'log' || picking === 'folder') await locatePath(path);
  else if (id !== null) await openThread(id, picking === 'root' ? { root: path } : { data: path });
}

/** Asks for a path: a native dialog in Electron, a picker of ours in the browser host. */
export async function choosePath(picking: Picking): Promise<void> {
  if (appStore.getState().info?.host === 'browser') {
    appStore.setState({ overlay: 'folder', picking });
    return;
  }
  try {
    const path = await call('dialog.open', { what: picking === 'log' ? 'log' : 'folder' });
    if (path !== null) await takePath(path, picking);
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** Makes the sample workspace with its recorded thread and opens it. */
export function openSample(): Promise<void> {
  if (threadsStore.getState().busy !== null) return Promise.resolve();
  return busyWith('Making the sample: a workspace and the recording of a thread in it', async () => {
    const { id } = await call('sample.make', {});
    await openThread(id);
  });
}
