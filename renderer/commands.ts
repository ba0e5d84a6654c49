import type { Can } from '../shared/model.ts';
import { appStore, type Pane } from './store/app-store.ts';
import { bringBackFile, bringBackOff } from './store/bring-back.ts';
import { stepFile } from './store/changes.ts';
import { changesStore } from './store/changes-store.ts';
import { compareFrom, compareWith, endCompare, focusedStop, NO_MARK, swapCompared } from './store/compare.ts';
import { cursorStore } from './store/cursor-store.ts';
import { leaveLens, stepLens, toggleLens } from './store/lens.ts';
import { lensStore } from './store/lens-store.ts';
import { toggleLines } from './store/lines-store.ts';
import { moveInList } from './store/list-focus.ts';
import { type PaneSignal, sendSignal } from './store/pane-signal.ts';
import { copyPatch, exportPatch } from './store/patch.ts';
import { leavePreview, setFollowing, strideCursor } from './store/preview.ts';
import { stepMatch } from './store/search.ts';
import { searchStore } from './store/search-store.ts';
import { showSince } from './store/selection.ts';
import { closeThread, reloadThread } from './store/session.ts';
import { sessionStore } from './store/session-store.ts';
import { changeSettings, openSettings } from './store/settings.ts';
import type { Stride } from './store/stops.ts';
import { choosePath, locatePath, openNamed, openSample } from './store/threads.ts';
import { showToast } from './store/toast-store.ts';
import { closeGate, commitStop, redoTurn, revertTo, undoTurn, unrevert } from './store/travel.ts';
import { travelStore } from './store/travel-store.ts';

export type CommandGroup = 'Cursor' | 'Travel' | 'Look' | 'Patch' | 'Thread' | 'Window';

/** One act of the window. Keys, palette, menus and buttons all run these and nothing else. */
export interface Command {
  id: string;
  title: string;
  group: CommandGroup;
  /** Such as `mod+k`, `shift+arrowleft`, `?`; the first one is shown. */
  keys: readonly string[];
  /** Where its keys work: `cursor` ones leave Home, arrows and Enter to lists, trees and buttons that use them. */
  where: 'everywhere' | 'cursor';
  /** Why it is off now; null when it is on. */
  off: () => string | null;
  run: (argument: string | null) => void;
}

const NO_THREAD = 'Open a thread first.';
const BUSY = 'A travel is running.';

const needThread = (): string | null => (sessionStore.getState().view === null ? NO_THREAD : null);
const needRange = (): string | null => needThread() ?? (changesStore.getState().range === null ? 'Choose a step or a turn first.' : null);
const needStep = (): string | null => needThread() ?? (sessionStore.getState().selection.step === null ? 'Choose a step first.' : null);
const needFiles = (): string | null => needThread() ?? (changesStore.getState().files.length === 0 ? 'No file is shown.' : null);
const needFile = (): string | null =>
  needThread() ?? (lensStore.getState().path === null && changesStore.getState().file === null ? 'No file is shown.' : null);
const whyNot = (can: Can | undefined): string | null => (can === undefined ? NO_THREAD : can === true ? null : can.message);
const needMatch = (): string | null => needThread() ?? (searchStore.getState().rows.length === 0 ? 'Search for something first.' : null);
const needIdle = (): string | null => needThread() ?? (travelStore.getState().running === null ? null : BUSY);

const needPiece = (): string | null => needIdle() ?? bringBackOff();

const needMark = (): string | null => needThread() ?? (sessionStore.getState().mark === null ? NO_MARK : null);
const needSides = (): string | null =>
  needThread() ?? (sessionStore.getState().selection.compare?.to == null ? 'Compare two messages first.' : null);

function needPreview(): string | null {
  const off = needIdle();
  if (off !== null) return off;
  const can = sessionStore.getState().view?.can.revert;
  if (can !== true) return whyNot(can);
  return cursorStore.getState().preview === null ? 'Move the cursor to a message first.' : null;
}

function needPatch(): string | null {
  const off = needRange();
  if (off !== null) return off;
  if (changesStore.getState().range?.kind === 'plan') return 'This is a preview. Leave it (Esc) to export a step or a turn.';
  return whyNot(sessionStore.getState().view?.can.patch);
}

const stride = (id: string, title: string, keys: string, direction: -1 | 1, by: Stride): Command => ({
  id,
  title,
  group: 'Cursor',
  keys: [keys],
  where: 'cursor',
  off: needThread,
  run: () => strideCursor(direction, by),
});

type Rest = Partial<Pick<Command, 'off' | 'where'>> & { run: Command['run'] };

const command = (id: string, group: CommandGroup, title: string, keys: readonly string[], rest: Rest): Command => ({
  id,
  title,
  group,
  keys,
  where: 'everywhere',
  off: () => null,
  ...rest,
});

const needLens = (): string | null => needThread() ?? (lensStore.getState().path === null ? 'Choose “Only this file” first.' : null);

const lensStep = (id: string, title: string, keys: readonly string[], to: Parameters<typeof stepLens>[0]): Command =>
  command(id, 'Look', title, keys, { off: needLens, run: () => void stepLens(to) });

/** The command that a key of the time cursor means while one file is pinned; elsewhere its own. */
export const throughLensKeys: ReadonlyMap<string, string> = new Map([
  ['cursor-previous', 'lens-previous'],
  ['cursor-next', 'lens-next'],
  ['cursor-start', 'lens-first'],
  ['cursor-end', 'lens-last'],
]);

/** A command that a mounted pane carries out. */
const pane = (id: PaneSignal, group: CommandGroup, title: string, keys: readonly string[], off: Command['off']): Command =>
  command(id, group, title, keys, { off, run: () => void sendSignal(id) });

/** Brings a pane into view where the window shows one at a time, then gives it the focus. */
const goTo = (target: Pane, title: string, key: string): Command =>
  command(`focus-${target}`, 'Look', title, [key], {
    off: needThread,
    run: () => {
      appStore.setState({ pane: target });
      setTimeout(() => sendSignal(`focus-${target}`), 0);
    },
  });

const THEMES = ['system', 'light', 'dark', 'contrast'] as const;

function nextTheme(): void {
  const { theme } = appStore.getState().settings;
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  void changeSettings({ theme: next });
  showToast({ text: next === 'system' ? 'Theme follows the system.' : next === 'contrast' ? 'Theme: high contrast.' : `Theme: ${next}.` });
}

/** Escape: closes what is on top, then leaves the preview. */
function leave(): void {
  if (appStore.getState().overlay !== null) appStore.setState({ overlay: null });
  else if (travelStore.getState().gate !== null) closeGate();
  else if (cursorStore.getState().preview !== null) leavePreview();
  else if (!leaveLens()) endCompare();
}

const toggleOverlay = (overlay: 'palette' | 'keys' | 'history') => (): void =>
  appStore.setState((state) => ({ overlay: state.overlay === overlay ? null : overlay }));

/** Every action of the window, once. */
export const commands: readonly Command[] = [
  stride('cursor-previous', 'Look at the previous message', 'arrowleft', -1, 'message'),
  stride('cursor-next', 'Look at the next message', 'arrowright', 1, 'message'),
  stride('cursor-previous-turn', 'Look at the previous turn', 'shift+arrowleft', -1, 'turn'),
  stride('cursor-next-turn', 'Look at the next turn', 'shift+arrowright', 1, 'turn'),
  stride('cursor-previous-change', 'Look at the previous step that changed files', 'alt+arrowleft', -1, 'change'),
  stride('cursor-next-change', 'Look at the next step that changed files', 'alt+arrowright', 1, 'change'),
  stride('cursor-start', 'Look at the start', 'home', -1, 'end'),
  stride('cursor-end', 'Look at the end', 'end', 1, 'end'),
  stride('cursor-page-back', 'Look 10 messages back', 'pageup', -1, 'page'),
  stride('cursor-page-on', 'Look 10 messages on', 'pagedown', 1, 'page'),
  command('revert', 'Travel', 'Revert to the cursor', ['enter'], {
    where: 'cursor',
    off: needPreview,
    run: () => void commitStop(cursorStore.getState().preview ?? cursorStore.getState().here),
  }),
  command('revert-files', 'Travel', 'Revert only the files to the cursor', [], {
    off: needPreview,
    run: () => void revertTo(cursorStore.getState().preview ?? cursorStore.getState().here, 'files'),
  }),
  command('unrevert', 'Travel', 'Unrevert', ['u'], {
    off: () => needIdle() ?? whyNot(sessionStore.getState().view?.can.unrevert),
    run: () => void unrevert(),
  }),
  command('undo', 'Travel', 'Undo the last turn', ['mod+z'], {
    off: () => needIdle() ?? whyNot(sessionStore.getState().view?.can.undo),
    run: () => void undoTurn(),
  }),
  command('redo', 'Travel', 'Redo the last turn', ['mod+shift+z'], {
    off: () => needIdle() ?? whyNot(sessionStore.getState().view?.can.redo),
    run: () => void redoTurn(),
  }),
  command('history', 'Travel', 'History of travels', ['h'], { off: needThread, run: toggleOverlay('history') }),
  command('leave', 'Cursor', 'Leave the preview, or close', ['escape'], { run: leave }),
  command('follow', 'Cursor', 'Follow the end, or stop following', ['f'], {
    off: needThread,
    run: () => setFollowing(!cursorStore.getState().following),
  }),
  pane('zoom-in', 'Cursor', 'Zoom the timeline in', ['+', '='], needThread),
  pane('zoom-out', 'Cursor', 'Zoom the timeline out', ['-'], needThread),
  pane('zoom-all', 'Cursor', 'Show the whole timeline', ['0'], needThread),
  pane('focus-cursor', 'Cursor', 'Go to the time cursor', ['c'], needThread),
  command('list-next', 'Look', 'Next in the focused list', ['j'], { run: () => void moveInList(1) }),
  command('list-previous', 'Look', 'Previous in the focused list', ['k'], { run: () => void moveInList(-1) }),
  command('file-previous', 'Look', 'Previous file', ['['], { off: needFiles, run: () => stepFile(-1) }),
  command('file-next', 'Look', 'Next file', [']'], { off: needFiles, run: () => stepFile(1) }),
  pane('hunk-previous', 'Look', 'Previous change in the file', [','], needFiles),
  pane('hunk-next', 'Look', 'Next change in the file', ['.'], needFiles),
  command('bring-back-file', 'Travel', 'Bring this file back…', ['b'], { off: needPiece, run: () => void bringBackFile() }),
  pane('bring-back-change', 'Travel', 'Bring this change back…', ['shift+b'], needPiece),
  command('since', 'Look', 'Changes since this step', ['s'], {
    off: needStep,
    run: () => void showSince(sessionStore.getState().selection.step ?? ''),
  }),
  command('lens', 'Look', 'Only this file through its steps, or all files', ['l'], { off: needFile, run: toggleLens }),
  lensStep('lens-previous', 'Previous step that changed the file', ['{'], -1),
  lensStep('lens-next', 'Next step that changed the file', ['}'], 1),
  lensStep('lens-first', 'First step that changed the file', [], 'first'),
  lensStep('lens-last', 'Last step that changed the file', [], 'last'),
  command('lines', 'Look', 'Who wrote each line: show or hide', ['a'], { off: needFiles, run: toggleLines }),
  command('compare-from', 'Look', 'Compare from here', ['m'], { off: needThread, run: () => compareFrom(focusedStop()) }),
  command('compare-with', 'Look', 'Compare with here', ['v'], { off: needMark, run: () => void compareWith(focusedStop()) }),
  command('compare-now', 'Look', 'Compare with the files now', ['shift+v'], { off: needMark, run: () => void compareWith(null) }),
  command('compare-swap', 'Look', 'Swap the sides of the comparison', [], { off: needSides, run: () => void swapCompared() }),
  goTo('transcript', 'Go to the transcript', '1'),
  goTo('steps', 'Go to the steps', '2'),
  goTo('files', 'Go to the files', '3'),
  goTo('diff', 'Go to the diff', '4'),
  pane('filter-files', 'Look', 'Filter the files', [], needFiles),
  command('diff-layout', 'Look', 'Diff side by side, or in one column', ['d'], {
    run: () => void changeSettings({ diffLayout: appStore.getState().settings.diffLayout === 'split' ? 'inline' : 'split' }),
  }),
  command('diff-wrap', 'Look', 'Wrap long lines', ['w'], { run: () => void changeSettings({ wrap: !appStore.getState().settings.wrap }) }),
  command('diff-whitespace', 'Look', 'Ignore changes in whitespace', ['i'], {
    run: () => void changeSettings({ ignoreWhitespace: !appStore.getState().settings.ignoreWhitespace }),
  }),
  command('diff-line-ends', 'Look', 'Ignore changes of line ends', ['shift+i'], {
    run: () => void changeSettings({ ignoreLineEnds: !appStore.getState().settings.ignoreLineEnds }),
  }),
  command('files-as', 'Look', 'Files as a tree, or as a list', ['t'], {
    run: () => void changeSettings({ filesAs: appStore.getState().settings.filesAs === 'tree' ? 'list' : 'tree' }),
  }),
  command('patch-export', 'Patch', 'Export the patch of what is shown', ['e'], { off: needPatch, run: () => void exportPatch() }),
  command('patch-copy', 'Patch', 'Copy the patch of what is shown', ['shift+e'], { off: needPatch, run: () => void copyPatch() }),
  command('search', 'Look', 'Search', ['/', 'mod+f'], {
    run: () => {
      if (!sendSignal('focus-search')) showToast({ text: 'There is nothing to search here.' });
    },
  }),
  command('match-next', 'Look', 'Next match of the search', ['n'], { off: needMatch, run: () => stepMatch(1) }),
  command('match-previous', 'Look', 'Previous match of the search', ['shift+n'], { off: needMatch, run: () => stepMatch(-1) }),
  command('open-log', 'Thread', 'Open a log…', ['mod+o'], { run: (named) => void (named === null ? choosePath('log') : openNamed(named)) }),
  command('open-folder', 'Thread', 'Open a folder…', ['mod+shift+o'], {
    run: (path) => void (path === null ? choosePath('folder') : locatePath(path)),
  }),
  command('open-sample', 'Thread', 'Try the sample', [], { run: () => void openSample() }),
  command('reload', 'Thread', 'Read the thread again', ['r'], {
    off: needThread,
    run: () => void reloadThread(sessionStore.getState().id ?? ''),
  }),
  command('locate-workspace', 'Thread', 'Locate the workspace folder…', [], {
    off: needThread,
    run: () => void choosePath('root'),
  }),
  command('locate-snapshots', 'Thread', 'Locate the snapshot folder…', [], { off: needThread, run: () => void choosePath('data') }),
  command('close-thread', 'Thread', 'All threads', ['backspace'], { off: needThread, run: closeThread }),
  command('palette', 'Window', 'Commands', ['mod+k', 'mod+shift+p'], { run: toggleOverlay('palette') }),
  command('keys', 'Window', 'Keys', ['?'], { run: toggleOverlay('keys') }),
  command('settings', 'Window', 'Settings…', ['mod+,'], { run: () => openSettings() }),
  command('forget', 'Thread', 'Forget this thread…', [], {
    off: needIdle,
    run: () => appStore.setState({ overlay: 'forget' }),
  }),
  command('theme', 'Window', 'Next theme: system, light, dark, high contrast', [], { run: nextTheme }),
  command('timeline', 'Window', 'Show or hide the timeline', ['mod+j'], {
    off: needThread,
    run: () => appStore.setState(({ timelineOpen }) => ({ timelineOpen: !timelineOpen })),
  }),
];

const byId = new Map(commands.map((entry) => [entry.id, entry]));

/** The command with that id. Throws for an id that is not in the table. */
export function commandOf(id: string): Command {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`There is no command ${id}.`);
  return found;
}

/** Runs a command, or says why it is off. An id that is not in the table is ignored: an older menu may name one. */
export function runCommand(id: string, argument: string | null = null): void {
  const found = byId.get(id);
  if (found === undefined) return;
  const off = found.off();
  if (off === null) found.run(argument);
  else showToast({ text: off });
}
