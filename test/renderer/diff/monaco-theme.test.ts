import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { THEME_TOKENS, type ThemeColours, themeOf, vivid, withAlpha } from '../../../renderer/diff/monaco-theme.ts';

const css = readFileSync(path.join(import.meta.dirname, '../../../renderer/theme/tokens.css'), 'utf8');

/** The tokens of one theme, as the style sheet has them. */
function coloursOf(dark: boolean): ThemeColours {
  const entries = THEME_TOKENS.map((token) => {
    const pair = new RegExp(`--${token}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css);
    return [token, pair?.[dark ? 2 : 1] ?? 'missing'];
  });
  return Object.fromEntries(entries);
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** A colour with an alpha over an opaque ground. */
function over(color: string, ground: string): string {
  const alpha = color.length > 7 ? Number.parseInt(color.slice(7), 16) / 255 : 1;
  const mixed = channels(color).map((value, at) => Math.round(value * alpha + (channels(ground)[at] ?? 0) * (1 - alpha)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

test.each([false, true])('every text colour keeps 4.5:1 on plain, added and removed lines and words (dark: %s)', (dark) => {
  const theme = themeOf(coloursOf(dark), dark);
  const panel = theme.colors['editor.background'] ?? '';
  const grounds = [panel];
  for (const side of ['inserted', 'removed']) {
    const line = over(theme.colors[`diffEditor.${side}LineBackground`] ?? '', panel);
    grounds.push(line, over(theme.colors[`diffEditor.${side}TextBackground`] ?? '', line));
  }
  const failed = theme.rules.flatMap(({ token, foreground = '' }) =>
    grounds
      .filter((ground) => contrast(`#${foreground}`, ground) < 4.5)
      .map((ground) => `${token} #${foreground} on ${ground}: ${contrast(`#${foreground}`, ground).toFixed(2)}`),
  );
  expect(failed).toEqual([]);
  expect(contrast(theme.colors['editorLineNumber.foreground'] ?? '', panel)).toBeGreaterThanOrEqual(4.5);
});

test('a vivid colour keeps its hue; grey stays grey', () => {
  expect(vivid('#17733a')).toBe('#20c55f');
  expect(vivid('#777777')).toBe('#777777');
  expect(withAlpha('#20c55f', 0.5)).toBe('#20c55f80');
});
