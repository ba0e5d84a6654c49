/** Names of the colours in `tokens.css`. */
export type Token =
  | 'ground'
  | 'panel'
  | 'raised'
  | 'sunken'
  | 'hover'
  | 'selected'
  | 'time-tint'
  | 'added-tint'
  | 'removed-tint'
  | 'changed-tint'
  | 'border'
  | 'border-strong'
  | 'text'
  | 'muted'
  | 'accent'
  | 'time'
  | 'added'
  | 'removed'
  | 'changed'
  | 'on-time';

const hex = (part: string | undefined): string =>
  Number(part ?? 0)
    .toString(16)
    .padStart(2, '0');

/** The colours as they are shown now, as `#rrggbb`: for canvases and Monaco, which cannot follow CSS variables. */
export function readTokens<T extends Token>(names: readonly T[]): Record<T, string> {
  const probe = document.createElement('i');
  probe.hidden = true;
  // In forced colours every colour would read as the same system colour.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const colours = {} as Record<T, string>;
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    const [red, green, blue] = getComputedStyle(probe).color.match(/\d+/g) ?? [];
    colours[name] = `#${hex(red)}${hex(green)}${hex(blue)}`;
  }
  probe.remove();
  return colours;
}
