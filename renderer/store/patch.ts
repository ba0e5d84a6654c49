import { createStore } from 'zustand/vanilla';
import type { PatchSecret, Range, SecretChoice } from '../../shared/contract.ts';
import { maskSecrets } from '../../shared/secrets.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { appStore } from './app-store.ts';
import { changesStore } from './changes-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { lensStore } from './lens-store.ts';
import { sessionStore } from './session-store.ts';
import { showFailure, showToast } from './toast-store.ts';

/** The one file that the dialog makes its patch of; null: all files of the range. */
export const patchStore = createStore<{ file: TreePath | null }>(() => ({ file: null }));

/** The range a patch is made of: the one that is shown, if it lies in the log. */
export function patchRange(): Range | null {
  return changesStore.getState().range;
}

/** The file that a patch of what is shown is limited to: the pinned one, where it is shown alone. */
function pinnedFile(): TreePath | null {
  const { files } = changesStore.getState();
  return lensStore.getState().path !== null && files.length === 1 ? (files[0]?.path ?? null) : null;
}

const only = (file: TreePath | null): { file?: TreePath } => (file === null ? {} : { file });

const NO_SECRETS: SecretChoice = { all: false, include: [] };

/** What was let in, where something was. */
export const chosen = (secrets: SecretChoice): { secrets?: SecretChoice } => (secrets.all || secrets.include.length > 0 ? { secrets } : {});

function openPatchDialog(file: TreePath | null): void {
  patchStore.setState({ file });
  appStore.setState({ overlay: 'patch' });
}

/** Says what was done, and which files stayed out because secrets show in them. */
function toastOfPatch(done: string, found: readonly PatchSecret[], file: TreePath | null): void {
  const out = found.filter(({ included }) => !included).length;
  if (out === 0) showToast({ tone: 'done', text: done });
  else {
    const text = `${done} ${count(out)} with secrets stayed out.`;
    const action = appStore.getState().overlay === 'patch' ? null : { label: 'Choose', run: () => openPatchDialog(file) };
    showToast({ tone: 'done', text, action, stays: true });
  }
}

const count = (files: number): string => (files === 1 ? '1 file' : `${files} files`);

/** Saves the patch of a range: a dialog in Electron, the path given here in the browser host. False when it was not saved. */
export async function savePatch(
  range: Range,
  path: string | null,
  file: TreePath | null = null,
  secrets: SecretChoice = NO_SECRETS,
): Promise<boolean> {
  const thread = sessionStore.getState().id;
  if (thread === null) return false;
  try {
    const saved = await call('patch.save', { thread, range, path, ...only(file), ...chosen(secrets) });
    if (saved !== null) toastOfPatch(`Patch saved as ${saved.path}.`, saved.secrets, file);
    return saved !== null;
  } catch (thrown) {
    const reason = reasonOfThrown(thrown);
    // Where a secret shows in every file, the dialog lets them be chosen.
    if (reason.code === 'PATCH_ALL_SECRET' && appStore.getState().overlay !== 'patch') openPatchDialog(file);
    else showFailure(reason);
    return false;
  }
}

/** Exports the patch of what is shown, or of one file of it; in the browser host a dialog of ours asks for the path. */
export async function exportPatch(file: TreePath | null = pinnedFile()): Promise<void> {
  const range = patchRange();
  if (range === null) return;
  if (appStore.getState().info?.host === 'browser') {
    openPatchDialog(file);
  } else await savePatch(range, null, file);
}

export async function copyPatch(
  range: Range | null = patchRange(),
  file: TreePath | null = pinnedFile(),
  secrets: SecretChoice = NO_SECRETS,
): Promise<void> {
  const thread = sessionStore.getState().id;
  if (thread === null || range === null) return;
  try {
    const { text, files, secrets: found } = await call('patch.text', { thread, range, ...only(file), ...chosen(secrets) });
    if (files === 0) {
      openPatchDialog(file);
      return;
    }
    await writeClipboard(text);
    toastOfPatch(`Patch of ${file === null ? count(files) : showTreePath(file)} copied.`, found, file);
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

async function writeClipboard(text: string): Promise<void> {
  if (appStore.getState().info?.host === 'browser') await navigator.clipboard.writeText(text);
  else await call('clipboard.write', { text });
}

/** Puts text on the clipboard and says so. Secrets of known shapes are masked, unless `whole` asks for the text as it is. */
export async function copyText(text: string, what: string, whole = false): Promise<void> {
  const masked = whole ? { text, count: 0 } : maskSecrets(text);
  try {
    await writeClipboard(masked.text);
    if (masked.count === 0) showToast({ tone: 'done', text: `${what} copied.` });
    else {
      const secrets = masked.count === 1 ? '1 secret' : `${masked.count} secrets`;
      const action = { label: 'Copy with secrets', run: () => void copyText(text, what, true) };
      showToast({ tone: 'done', text: `${what} copied, ${secrets} masked.`, action, stays: true });
    }
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** Opens a file of the workspace in the program that the system has for it, or shows it in its folder. */
export async function openFile(path: TreePath, how: 'edit' | 'reveal'): Promise<void> {
  const thread = sessionStore.getState().id;
  if (thread === null) return;
  try {
    await call(how === 'edit' ? 'shell.edit' : 'shell.reveal', { thread, path });
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
