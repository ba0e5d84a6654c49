import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('../../renderer/theme/tokens.css', import.meta.url), 'utf8');
const [normal = '', more = ''] = css.split('@media (prefers-contrast: more)');

type Theme = 'light' | 'dark';

/** `--name: light-dark(#aaa, #bbb)` -> both colours by name. */
function tokensOf(text: string): Map<string, Record<Theme, string>> {
  const found = new Map<string, Record<Theme, string>>();
  for (const [, name = '', light = '', dark = ''] of text.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)) {
    found.set(name, { light, dark });
  }
  return found;
}

const tokens = tokensOf(normal);
const contrasted = new Map([...tokens, ...tokensOf(more)]);

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ['ground', 'panel', 'raised', 'sunken', 'hover', 'selected'];
const TINTS = ['time-tint', 'added-tint', 'removed-tint', 'changed-tint'];
const TEXTS = ['text', 'muted', 'accent', 'time', 'added', 'removed', 'changed'];
const PAIRS: readonly (readonly [string, string])[] = [
  ...GROUNDS.flatMap((ground) => TEXTS.map((text) => [text, ground] as const)),
  ...TINTS.flatMap(
    (tint) =>
      [
        ['text', tint],
        ['muted', tint],
        [tint.replace('-tint', ''), tint],
      ] as const,
  ),
  ...['ground', 'panel', 'hover', 'raised', 'sunken'].map((ground) => ['ghost', ground] as const),
  ['on-accent', 'accent-solid'],
  ['on-accent', 'accent-solid-hover'],
  ['on-danger', 'danger-solid'],
  ['on-danger', 'danger-solid-hover'],
  ['on-time', 'time'],
];

describe.each([
  ['as usual', tokens],
  ['with more contrast', contrasted],
] as const)('colours %s', (_, set) => {
  test.each(['light', 'dark'] as const)('%s: text is 4.5:1 on every ground it is used on', (theme) => {
    const short = PAIRS.flatMap(([text, ground]) => {
      const ratio = contrast(set.get(text)?.[theme] ?? '', set.get(ground)?.[theme] ?? '');
      return ratio >= 4.5 ? [] : [`${text} on ${ground}: ${ratio.toFixed(2)}`];
    });
    expect(short).toEqual([]);
  });
});

test('more contrast gives text 7:1 on every ground', () => {
  const short = GROUNDS.flatMap((ground) =>
    (['light', 'dark'] as const).flatMap((theme) => {
      const ratio = contrast(contrasted.get('text')?.[theme] ?? '', contrasted.get(ground)?.[theme] ?? '');
      return ratio >= 7 ? [] : [`${ground} ${theme}: ${ratio.toFixed(2)}`];
    }),
  );
  expect(short).toEqual([]);
});

test('the theme of high contrast has the colours that the system can ask for', () => {
  const [asked = '', chosen = ''] = more.split(':root[data-theme="contrast"]');
  expect(tokensOf(chosen).size).toBe(14);
  expect(tokensOf(chosen)).toEqual(tokensOf(asked));
});

test('the warm colour and the accent are told apart in both themes', () => {
  for (const theme of ['light', 'dark'] as const) {
    const [accent = '', time = ''] = ['accent', 'time'].map((name) => tokens.get(name)?.[theme]);
    const blueOf = (hex: string): number => Number.parseInt(hex.slice(5, 7), 16) - Number.parseInt(hex.slice(1, 3), 16);
    expect(blueOf(accent)).toBeGreaterThan(60);
    expect(blueOf(time)).toBeLessThan(-60);
  }
});

test('every variable that a style uses is defined in a style, by Base UI or by Monaco', () => {
  const files = globSync('renderer/**/*.css').map((file) => readFileSync(file, 'utf8'));
  const defined = new Set(files.flatMap((text) => [...text.matchAll(/(--[\w-]+):/g)].map((match) => match[1])));
  const used = new Set(files.flatMap((text) => [...text.matchAll(/var\((--[\w-]+)/g)].map((match) => match[1])));
  const given = new Set(['--available-height', '--available-width', '--anchor-width', '--transform-origin']);
  expect(files.length).toBeGreaterThan(20);
  expect([...used].filter((name) => name !== undefined && !defined.has(name) && !given.has(name) && !name.startsWith('--vscode-'))).toEqual(
    [],
  );
});
