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
};

/** The signs of a key combination as people know them: `mod+k` -> ["Ctrl", "K"]. */
export function signsOfKeys(keys: string): string[] {
  return keys.split(/\+(?!$)/).map((key) => SIGNS[key] ?? key.toUpperCase());
}

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys" aria-hidden="true">
      {signsOfKeys(keys).map((sign) => (
        <kbd className="key" key={sign}>
          {sign}
        </kbd>
      ))}
    </span>
  );
}
