import type { Token } from '../theme/read-tokens.ts';

/** The tokens that the theme is made of. */
export const THEME_TOKENS = [
  'ground',
  'panel',
  'raised',
  'text',
  'muted',
  'border',
  'border-strong',
  'accent',
  'added',
  'removed',
  'changed',
] as const satisfies readonly Token[];

export type ThemeColours = Readonly<Record<(typeof THEME_TOKENS)[number], string>>;

interface MonacoTheme {
  base: 'vs' | 'vs-dark' | 'hc-light' | 'hc-black';
  inherit: boolean;
  rules: { token: string; foreground?: string; fontStyle?: string }[];
  colors: Record<string, string>;
}

/** `#rrggbb` with an opacity from 0 to 1, in the eight-digit form that Monaco wants. */
export function withAlpha(color: string, alpha: number): string {
  return `${color}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;
}

/** The hue of a colour at a middle lightness, so that it tints a ground of either theme without greying it. */
export function vivid(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255) as [number, number, number];
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread === 0) return color;
  const sixth = most === red ? ((green - blue) / spread + 6) % 6 : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4;
  const part = (offset: number): string => {
    const k = (offset + sixth * 2) % 12;
    const value = LIGHTNESS - SATURATION * Math.min(LIGHTNESS, 1 - LIGHTNESS) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

const LIGHTNESS = 0.45;
const SATURATION = 0.72;

/** Syntax colours that keep 4.5:1 on our own grounds and on the added and removed tints. */
const SYNTAX = {
  light: {
    comment: '4d5668',
    keyword: '7619cc',
    string: '0a5f36',
    number: '8a3f00',
    type: '0a5a7a',
    tag: '1b49b4',
    attribute: '6d4300',
    invalid: 'a01526',
  },
  dark: {
    comment: 'a9b3c6',
    keyword: 'd3b1ff',
    string: 'a6e0ab',
    number: 'ffc79c',
    type: '8fdcef',
    tag: 'a5c5ff',
    attribute: 'e8cb8b',
    invalid: 'ffaaa4',
  },
} as const;

/** Monaco's theme made of the window's own tokens, so that a diff looks like the rest of it. */
export function themeOf(colours: ThemeColours, dark: boolean): MonacoTheme {
  const syntax = dark ? SYNTAX.dark : SYNTAX.light;
  const { ground, panel, raised, text, muted, border, accent, changed } = colours;
  const added = vivid(colours.added);
  const removed = vivid(colours.removed);
  const strong = colours['border-strong'];
  const line = dark ? 0.14 : 0.11;
  const word = dark ? 0.19 : 0.16;
  return {
    base: dark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      { token: '', foreground: text.slice(1) },
      { token: 'comment', foreground: syntax.comment },
      { token: 'keyword', foreground: syntax.keyword },
      { token: 'string', foreground: syntax.string },
      { token: 'number', foreground: syntax.number },
      { token: 'type', foreground: syntax.type },
      { token: 'tag', foreground: syntax.tag },
      { token: 'attribute.name', foreground: syntax.attribute },
      { token: 'attribute.value', foreground: syntax.string },
      { token: 'invalid', foreground: syntax.invalid },
    ],
    colors: {
      'editor.background': panel,
      'editor.foreground': text,
      'editorGutter.background': panel,
      'editorLineNumber.foreground': muted,
      'editorLineNumber.activeForeground': text,
      // The number of an empty last line, which Monaco would else make too faint to read.
      'editorLineNumber.dimmedForeground': muted,
      'editor.lineHighlightBackground': withAlpha(accent, 0.08),
      'editor.lineHighlightBorder': withAlpha(accent, 0),
      'editor.selectionBackground': withAlpha(accent, 0.3),
      'editor.inactiveSelectionBackground': withAlpha(accent, 0.18),
      'editor.wordHighlightBackground': withAlpha(accent, 0.16),
      'editor.findMatchBackground': withAlpha(changed, 0.5),
      'editor.findMatchHighlightBackground': withAlpha(changed, 0.26),
      'editorBracketMatch.border': withAlpha(accent, 0.6),
      'editorWidget.background': raised,
      'editorWidget.border': strong,
      'editorWhitespace.foreground': withAlpha(muted, 0.5),
      'input.background': panel,
      'input.border': strong,
      focusBorder: accent,
      'menu.background': raised,
      'menu.foreground': text,
      'menu.border': strong,
      'scrollbarSlider.background': withAlpha(muted, 0.3),
      'scrollbarSlider.hoverBackground': withAlpha(muted, 0.45),
      'scrollbarSlider.activeBackground': withAlpha(muted, 0.6),
      'diffEditor.insertedTextBackground': withAlpha(added, word),
      'diffEditor.removedTextBackground': withAlpha(removed, word),
      'diffEditor.insertedLineBackground': withAlpha(added, line),
      'diffEditor.removedLineBackground': withAlpha(removed, line),
      'diffEditorGutter.insertedLineBackground': withAlpha(added, line),
      'diffEditorGutter.removedLineBackground': withAlpha(removed, line),
      'diffEditor.diagonalFill': withAlpha(muted, 0.2),
      'diffEditor.border': border,
      'diffEditor.unchangedRegionBackground': ground,
      'diffEditor.unchangedRegionForeground': muted,
      'diffEditor.unchangedRegionShadow': withAlpha(muted, 0),
      'diffEditor.unchangedCodeBackground': withAlpha(muted, 0),
    },
  };
}
