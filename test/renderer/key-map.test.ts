import { describe, expect, test } from 'vitest';
import { type Command, commands } from '../../renderer/commands.ts';
import { commandsByKeys, keysOf, shownKeys, withChord, withKeys } from '../../renderer/key-map.ts';
import { chordRefusal, partsOfChord } from '../../shared/chords.ts';

const command = (id: string, ...keys: string[]): Command => ({
  id,
  title: id,
  group: 'Look',
  keys,
  where: 'everywhere',
  off: () => null,
  run: () => undefined,
});
const [a, b, c] = [command('a', 'x', 'mod+x'), command('b', 'y'), command('c')];
const table = [a, b, c];
const map = (chosen: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries([...commandsByKeys(chosen, table)].map(([keys, { id }]) => [keys, id]));

describe('keys that the user chose', () => {
  test('take the place of the table’s own, and win over those of other commands', () => {
    expect(map({})).toEqual({ x: 'a', 'mod+x': 'a', y: 'b' });
    expect(map({ b: ['z'] })).toEqual({ x: 'a', 'mod+x': 'a', z: 'b' });
    expect(map({ c: ['x'] })).toEqual({ x: 'c', 'mod+x': 'a', y: 'b' });
    expect(map({ a: [], gone: ['q'] })).toEqual({ y: 'b' });
    expect(keysOf(a, { c: ['x'] }, table)).toEqual(['mod+x']);
  });

  test('a name such as constructor is nobody’s choice', () => {
    expect(keysOf(command('constructor', 'k'), {}, [command('constructor', 'k')])).toEqual(['k']);
  });

  test('what a button names by the table’s key is shown as the key in force', () => {
    expect(shownKeys('y', {}, table)).toBe('y');
    expect(shownKeys('y', { b: ['z'] }, table)).toBe('z');
    expect(shownKeys('y', { b: [] }, table)).toBeNull();
    expect(shownKeys('x', { c: ['x'] }, table)).toBe('mod+x');
    expect(shownKeys('arrowdown', { b: [] }, table)).toBe('arrowdown');
  });

  test('setting the table’s own keys again leaves no trace, and a chord has one command', () => {
    expect(withKeys({ b: ['z'], a: ['q'] }, b, ['y'])).toEqual({ a: ['q'] });
    expect(withChord({ b: ['z', 'w'] }, a, ['x', 'z'], table)).toEqual({ a: ['x', 'z'], b: ['w'] });
    expect(map(withChord({}, c, ['y'], table))).toEqual({ x: 'a', 'mod+x': 'a', y: 'c' });
  });
});

describe('chords', () => {
  test('every key of the table is one, but for Escape', () => {
    for (const { id, keys } of commands) for (const key of keys) expect([id, key, partsOfChord(key) !== null]).toEqual([id, key, true]);
  });

  test.each(['', '+x', 'shift+mod+k', 'mod+mod+k', 'K', 'hyper+k', 'mod+', 'ab', 'mod+ '])('%j is none', (chord) => {
    expect(partsOfChord(chord)).toBeNull();
  });

  test('some are needed otherwise', () => {
    expect(partsOfChord('mod++')).toEqual({ held: ['mod'], key: '+' });
    for (const chord of ['escape', 'tab', 'shift+tab', 'mod+c', 'mod+q']) expect(chordRefusal(chord)).toMatch(/^[A-Z].*\.$/);
    for (const chord of ['c', 'mod+shift+c', 'alt+f4', '?', 'mod+k']) expect(chordRefusal(chord)).toBeNull();
  });
});
