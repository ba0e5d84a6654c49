import { useEffect } from 'react';
import { type Command, runCommand, throughLensKeys } from '../commands.ts';
import { type ChosenKeys, commandsByKeys } from '../key-map.ts';
import { appStore } from '../store/app-store.ts';
import { lensStore } from '../store/lens-store.ts';
import { travelStore } from '../store/travel-store.ts';

const mac = /Mac/.test(navigator.platform);
/** Keys whose sign already holds the shift that makes it. */
const SHIFTED = /^[^a-z0-9]$/;

/** The name of a key press as the command table writes it. */
export function keysOfEvent(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = event.key.toLowerCase();
  const parts: string[] = [];
  if (mac ? event.metaKey : event.ctrlKey) parts.push('mod');
  if (mac ? event.ctrlKey : event.metaKey) parts.push('other');
  if (event.altKey) parts.push('alt');
  if (event.shiftKey && !SHIFTED.test(key)) parts.push('shift');
  return [...parts, key].join('+');
}

let made: { of: ChosenKeys; byKeys: ReadonlyMap<string, Command> } | null = null;

/** The commands by their keys as the settings have them now. */
function byKeysNow(): ReadonlyMap<string, Command> {
  const { keys } = appStore.getState().settings;
  if (made?.of !== keys) made = { of: keys, byKeys: commandsByKeys(keys) };
  return made.byKeys;
}

const WRITES = 'input, textarea, select, [contenteditable="true"], .monaco-editor';
/** Elements that use Enter themselves. */
const PRESSES = 'button, a, summary';
/** Elements that use arrows, Home, End and Enter themselves. */
const MOVES =
  '[role="listbox"], [role="tree"], [role="treegrid"], [role="menu"], [role="tablist"], [role="radiogroup"], [role="separator"]';

function mayRun(command: Command, keys: string, target: Element | null): boolean {
  const overlaid = appStore.getState().overlay !== null || travelStore.getState().gate !== null;
  if (overlaid) return command.id === 'palette' && travelStore.getState().gate === null;
  const withMod = keys.startsWith('mod+');
  if (target?.closest(WRITES) != null) return withMod && keys !== 'mod+z' && keys !== 'mod+shift+z';
  if (target?.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') != null) return false;
  if (command.where === 'cursor') {
    const onCursor = target?.closest('[role="slider"]') != null;
    const plainArrow = /arrow(left|right)$/.test(keys) && keys.includes('+');
    if (keys === 'enter' && !onCursor && target?.closest(PRESSES) != null) return false;
    return onCursor || plainArrow || target?.closest(MOVES) == null;
  }
  return true;
}

/** Runs the command of each key press, wherever the focus is, unless the focused element needs the key itself. */
export function useHotkeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const keys = keysOfEvent(event);
      const command = byKeysNow().get(keys);
      if (command === undefined) return;
      if (!mayRun(command, keys, event.target instanceof Element ? event.target : null)) return;
      event.preventDefault();
      const onCursor = event.target instanceof Element && event.target.closest('[role="slider"]') !== null;
      const inLens = lensStore.getState().path !== null && !onCursor;
      runCommand((inLens ? throughLensKeys.get(command.id) : undefined) ?? command.id);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
