import type { Range } from '../../shared/contract.ts';
import { appStore } from './app-store.ts';
import { changesStore } from './changes-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { sessionStore } from './session-store.ts';
import { showFailure, showToast } from './toast-store.ts';

/** The range a patch is made of: the one that is shown, if it lies in the log. */
export function patchRange(): Range | null {
  return changesStore.getState().range;
}

const count = (files: number): string => (files === 1 ? '1 file' : `${files} files`);

/** Saves the patch of a range: a dialog in Electron, the path given here in the browser host. False when it was not saved. */
export async function savePatch(range: Range, path: string | null): Promise<boolean> {
  const thread = sessionStore.getState().id;
  if (thread === null) return false;
  try {
    const saved = await call('patch.save', { thread, range, path });
    if (saved !== null) showToast({ tone: 'done', text: `Patch saved as ${saved.path}.` });
    return saved !== null;
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
    return false;
  }
}

/** Exports the patch of what is shown; in the browser host a dialog of ours asks for the path. */
export async function exportPatch(): Promise<void> {
  const range = patchRange();
  if (range === null) return;
  if (appStore.getState().info?.host === 'browser') appStore.setState({ overlay: 'patch' });
  else await savePatch(range, null);
}

export async function copyPatch(range: Range | null = patchRange()): Promise<void> {
  const thread = sessionStore.getState().id;
  if (thread === null || range === null) return;
  try {
    const { text, files } = await call('patch.text', { thread, range });
    await writeClipboard(text);
    showToast({ tone: 'done', text: `Patch of ${count(files)} copied.` });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

async function writeClipboard(text: string): Promise<void> {
  if (appStore.getState().info?.host === 'browser') await navigator.clipboard.writeText(text);
  else await call('clipboard.write', { text });
}

/** Puts text on the clipboard and says so. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await writeClipboard(text);
    showToast({ tone: 'done', text: `${what} copied.` });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** Opens a link of a message, after a click. Only http and https leave the window. */
export async function openLink(url: string): Promise<void> {
  try {
    if (appStore.getState().info?.host === 'browser') window.open(url, '_blank', 'noopener,noreferrer');
    else await call('shell.link', { url });
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}
