/** Names of keys that are no single sign, as a key press of the page names them, in lower case. */
const NAMED: ReadonlySet<string> = new Set([
  ...['enter', 'escape', 'tab', 'backspace', 'delete', 'insert', 'home', 'end', 'pageup', 'pagedown'],
  ...['arrowleft', 'arrowright', 'arrowup', 'arrowdown', 'contextmenu'],
  ...Array.from({ length: 24 }, (_, at) => `f${at + 1}`),
]);

const HELD: readonly string[] = ['mod', 'other', 'alt', 'shift'];

/** The modifiers and the key of a chord such as `mod+shift+z` or `+`; null for a text that is no chord. */
export function partsOfChord(chord: string): { held: string[]; key: string } | null {
  const parts = chord.split(/\+(?!$)/);
  const key = parts.splice(-1).join();
  // In this order and once each, so that one press has one name.
  let last = -1;
  for (const at of parts.map((part) => HELD.indexOf(part))) {
    if (at <= last) return null;
    last = at;
  }
  const sign = [...key].length === 1 && key === key.toLowerCase() && /[^\s\p{Cc}]/u.test(key);
  return sign || NAMED.has(key) ? { held: parts, key } : null;
}

/** Why a chord cannot be chosen for a command, as a sentence; null when it can. Which command has it already is another question. */
export function chordRefusal(chord: string): string | null {
  const parts = partsOfChord(chord);
  if (parts === null) return 'This is no key.';
  const { held, key } = parts;
  if (key === 'tab') return 'Tab moves the focus, so it cannot be chosen.';
  if (key === 'escape') return 'Esc always leaves or closes, so it cannot be chosen.';
  if (held.includes('mod') && !held.includes('alt') && 'cvxaq'.includes(key) && !held.includes('shift'))
    return 'This key copies, cuts, pastes, selects all or ends the app.';
  return null;
}
