import { beforeEach, describe, expect, test } from 'vitest';
import { keysOfEvent } from '../../renderer/app/use-hotkeys.ts';
import { commandOf, commands, runCommand } from '../../renderer/commands.ts';
import { appStore } from '../../renderer/store/app-store.ts';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { emptySession, sessionStore } from '../../renderer/store/session-store.ts';
import { indexThread } from '../../renderer/store/thread-index.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import { travelStore } from '../../renderer/store/travel-store.ts';
import { signsOfKeys } from '../../renderer/ui/keys.tsx';
import { makeView } from './make-view.ts';

beforeEach(() => {
  appStore.setState(appStore.getInitialState());
  changesStore.setState(changesStore.getInitialState());
  cursorStore.setState(cursorStore.getInitialState());
  travelStore.setState(travelStore.getInitialState());
  toastStore.setState(toastStore.getInitialState());
  sessionStore.setState(emptySession);
});

function openView(over: Parameters<typeof makeView>[1] = {}): void {
  const view = makeView(
    [
      { role: 'user', text: 'Fix' },
      { role: 'assistant', text: '', files: [{ path: 'a' }] },
    ],
    over,
  );
  sessionStore.setState({ id: view.head.id, view, index: indexThread(view), phase: 'ready' });
  cursorStore.setState({ here: 2 });
}

describe('the table', () => {
  test('no id and no key twice', () => {
    const ids = commands.map(({ id }) => id);
    const keys = commands.flatMap((command) => command.keys);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  test('has every key of the plan', () => {
    const wanted = {
      arrowleft: 'cursor-previous',
      arrowright: 'cursor-next',
      'shift+arrowleft': 'cursor-previous-turn',
      'shift+arrowright': 'cursor-next-turn',
      'alt+arrowleft': 'cursor-previous-change',
      'alt+arrowright': 'cursor-next-change',
      home: 'cursor-start',
      end: 'cursor-end',
      pageup: 'cursor-page-back',
      pagedown: 'cursor-page-on',
      j: 'list-next',
      k: 'list-previous',
      '[': 'file-previous',
      ']': 'file-next',
      ',': 'hunk-previous',
      '.': 'hunk-next',
      enter: 'revert',
      u: 'unrevert',
      e: 'patch-export',
      f: 'follow',
      '/': 'search',
      'mod+k': 'palette',
      '?': 'keys',
      escape: 'leave',
      n: 'match-next',
      'shift+n': 'match-previous',
      '+': 'zoom-in',
      '-': 'zoom-out',
      '0': 'zoom-all',
    };
    const byKey = Object.fromEntries(commands.flatMap((command) => command.keys.map((key) => [key, command.id])));
    expect(byKey).toMatchObject(wanted);
  });

  test('every command has a title that reads as words and keys that can be shown', () => {
    for (const { id, title, keys } of commands) {
      expect(title, id).toMatch(/^[A-Z].{2,}/);
      for (const key of keys) expect(signsOfKeys(key).every((sign) => sign.length > 0)).toBe(true);
    }
  });

  test('an id that is not there throws', () => expect(() => commandOf('nope')).toThrow('There is no command nope.'));
});

describe('what is off says why', () => {
  const offs = (): Record<string, string> =>
    Object.fromEntries(commands.flatMap((command) => (command.off() === null ? [] : [[command.id, command.off() ?? '']])));

  test('without a thread', () => {
    const off = offs();
    expect(off['revert']).toBe('Open a thread first.');
    expect(off['cursor-next']).toBe('Open a thread first.');
    expect(off['open-log']).toBeUndefined();
    for (const reason of Object.values(off)) expect(reason).toMatch(/^[A-Z].*\.$/);
  });

  test('with a thread at rest: only what has nothing to act on', () => {
    openView();
    expect(offs()).toEqual({
      'bring-back-file': 'No file is shown.',
      'bring-back-change': 'No file is shown.',
      revert: 'Move the cursor to a message first.',
      'revert-files': 'Move the cursor to a message first.',
      unrevert: 'No revert stands.',
      'file-previous': 'No file is shown.',
      'file-next': 'No file is shown.',
      'hunk-previous': 'No file is shown.',
      'hunk-next': 'No file is shown.',
      'filter-files': 'No file is shown.',
      since: 'Choose a step first.',
      lens: 'No file is shown.',
      lines: 'No file is shown.',
      'lens-previous': 'Choose “Only this file” first.',
      'lens-next': 'Choose “Only this file” first.',
      'lens-first': 'Choose “Only this file” first.',
      'lens-last': 'Choose “Only this file” first.',
      'compare-with': 'Choose “Compare from here” at another place first.',
      'compare-now': 'Choose “Compare from here” at another place first.',
      'compare-swap': 'Compare two messages first.',
      'patch-export': 'Choose a step or a turn first.',
      'patch-copy': 'Choose a step or a turn first.',
      'match-next': 'Search for something first.',
      'match-previous': 'Search for something first.',
    });
  });

  test('a reason of the engine is said in its own words, and by a press of the key', () => {
    const reason = { code: 'NOT_IDLE', message: 'Wait until the turn ends, then try again.' } as const;
    openView({ can: { revert: reason, unrevert: reason, undo: reason, redo: reason, patch: reason } });
    cursorStore.setState({ preview: 1 });
    expect(commandOf('revert').off()).toBe(reason.message);
    runCommand('undo');
    expect(toastStore.getState().toast?.text).toBe(reason.message);
  });

  test('while a travel runs, no other one can begin', () => {
    openView();
    cursorStore.setState({ preview: 1 });
    const request = { kind: 'revert', stop: 1, entry: null, scope: 'both' } as const;
    travelStore.setState({ running: { operation: 'o', request, done: 0, total: 1, label: '', cancelling: false } });
    for (const id of ['revert', 'unrevert', 'undo', 'redo']) expect(commandOf(id).off()).toBe('A travel is running.');
  });

  test('a preview cannot leave as a patch', () => {
    openView();
    changesStore.setState({ range: { kind: 'plan', stop: 1 } });
    expect(commandOf('patch-export').off()).toMatch(/^This is a preview/);
  });
});

test('a key press is named as the table writes it', () => {
  const press = (key: string, held: Partial<KeyboardEvent> = {}): string =>
    keysOfEvent({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });
  expect(press('ArrowLeft', { shiftKey: true })).toBe('shift+arrowleft');
  expect(press('K', { ctrlKey: true })).toBe('mod+k');
  expect(press('?', { shiftKey: true })).toBe('?');
  expect(press('N', { shiftKey: true })).toBe('shift+n');
  expect(press('Z', { ctrlKey: true, shiftKey: true })).toBe('mod+shift+z');
  expect(press('f', { metaKey: true })).toBe('other+f');
  expect(press('Enter')).toBe('enter');
});

test('Escape closes what is on top first', () => {
  openView();
  cursorStore.setState({ preview: 1 });
  appStore.setState({ overlay: 'keys' });
  runCommand('leave');
  expect([appStore.getState().overlay, cursorStore.getState().preview]).toEqual([null, 1]);
  runCommand('leave');
  expect(cursorStore.getState().preview).toBeNull();
});
