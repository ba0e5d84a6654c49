import { shownKeys } from '../key-map.ts';
import { useApp } from '../store/app-store.ts';
import './keys.css';

const mac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);

const SIGNS: Record<string, string> = {
  mod: mac ? '⌘' : 'Ctrl',
  shift: mac ? '⇧' : 'Shift',
  alt: mac ? '⌥' : 'Alt',
  arrowleft: '←',
  arrowright: '→',
  arrowup: '↑',
  arrowdown: '↓',
  enter: 'Enter',
  escape: 'Esc',
  home: 'Home',
  end: 'End',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  backspace: 'Backspace',
  delete: 'Del',
  insert: 'Ins',
  contextmenu: 'Menu',
  other: mac ? '⌃' : 'Meta',
};

/** The signs of a key combination as people know them: `mod+k` -> ["Ctrl", "K"]. */
export function signsOfKeys(keys: string): string[] {
  return keys.split(/\+(?!$)/).map((key) => SIGNS[key] ?? key.toUpperCase());
}

/**
 * The signs of a key combination. One of the command table's own keys is shown as what the user chose in its place, or not at all where
 * nothing was left of it; `exact` shows what is given.
 */
export function Keys({ keys, exact = false }: { keys: string; exact?: boolean }) {
  const chosen = useApp((state) => state.settings.keys);
  const shown = exact ? keys : shownKeys(keys, chosen);
  if (shown === null) return null;
  return (
    <span className="keys" aria-hidden="true">
      {signsOfKeys(shown).map((sign) => (
        <kbd className="key" key={sign}>
          {sign}
        </kbd>
      ))}
    </span>
  );
}
