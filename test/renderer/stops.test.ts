import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestStop, positionOfStop, stopAfterStride, stopAt } from '../../renderer/store/stops.ts';
import { indexThread } from '../../renderer/store/thread-index.ts';
import { makeView, type Say } from './make-view.ts';

const no = { code: 'STOP_WITHOUT_ID', message: 'no id' } as const;

// rows:        0          1                    2          3 (undone)          4          5                6 (no id)
const says: Say[] = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a', files: [{ path: 'x' }] },
  { role: 'assistant', text: 'b' },
  { role: 'assistant', text: 'c', hidden: 'undone' },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'd', files: [{ path: 'x' }, { path: 'y' }], tools: [{ sideEffect: 'shell' }] },
  { role: 'assistant', text: 'e', canStand: no },
];
const { stops } = indexThread(makeView(says));

test('stops skip what is gone, and know what lies after them', () => {
  expect(stops.map(({ stop, row }) => [stop, row])).toEqual([
    [0, -1],
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 4],
    [5, 5],
    [6, 6],
  ]);
  expect(stops.map(({ messagesAfter }) => messagesAfter)).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect(stops.map(({ filesAfter }) => filesAfter)).toEqual([2, 2, 2, 2, 2, 0, 0]);
  expect(stops.map(({ effectsAfter }) => effectsAfter)).toEqual([1, 1, 1, 1, 1, 0, 0]);
  expect(stops.filter(({ beforePrompt }) => beforePrompt).map(({ stop }) => stop)).toEqual([0, 3]);
  expect(stops.filter(({ changed }) => changed).map(({ stop }) => stop)).toEqual([2, 5]);
  expect(stops.filter(({ can }) => !can).map(({ stop }) => stop)).toEqual([6]);
});

test('look-ups fall back to the next lower stop', () => {
  expect(positionOfStop(stops, 4)).toBe(4);
  expect(stopAt(stops, 99)?.stop).toBe(6);
  expect(stopAt([], 3)).toBeNull();
});

describe('snapping', () => {
  const snap = (boundary: number, changed = false): number | undefined => nearestStop(stops, boundary, { changed })?.stop;

  test('to the nearest message boundary', () => {
    expect(snap(0)).toBe(0);
    expect(snap(0.4)).toBe(0);
    expect(snap(0.6)).toBe(1);
    expect(snap(2.9)).toBe(3);
    expect(snap(5.1)).toBe(4);
  });

  test('over a place where the conversation cannot stand', () => expect(snap(7)).toBe(5));

  test('with Alt, to the steps that changed files', () => {
    expect(snap(3, true)).toBe(2);
    expect(snap(5.4, true)).toBe(5);
    expect(snap(0.2, true)).toBe(0);
  });

  test('gives what a slow search gives', () => {
    fc.assert(
      fc.property(fc.double({ min: -2, max: 12, noNaN: true }), fc.boolean(), (boundary, changed) => {
        const fits = stops.filter((stop) => stop.can && (!changed || stop.changed || stop.stop === 0));
        const best = Math.min(...fits.map((stop) => Math.abs(boundary - stop.row - 1)));
        const found = nearestStop(stops, boundary, { changed });
        expect(found).not.toBeNull();
        expect(Math.abs(boundary - (found?.row ?? Number.NaN) - 1)).toBeCloseTo(best, 9);
      }),
    );
  });

  test('nothing fits in an empty thread', () => expect(nearestStop([], 1, { changed: false })).toBeNull());
});

describe('keys', () => {
  const stride = (from: number, direction: -1 | 1, by: Parameters<typeof stopAfterStride>[3]): number | undefined =>
    stopAfterStride(stops, from, direction, by)?.stop;

  test('by message, over the one that cannot be stood at', () => {
    expect(stride(2, 1, 'message')).toBe(3);
    expect(stride(2, -1, 'message')).toBe(1);
    expect(stride(5, 1, 'message')).toBe(5);
    expect(stride(0, -1, 'message')).toBe(0);
  });

  test('by turn: to the place before a prompt', () => {
    expect(stride(5, -1, 'turn')).toBe(3);
    expect(stride(3, -1, 'turn')).toBe(0);
    expect(stride(1, 1, 'turn')).toBe(3);
  });

  test('by step that changed files', () => {
    expect(stride(3, 1, 'change')).toBe(5);
    expect(stride(3, -1, 'change')).toBe(2);
    expect(stride(2, -1, 'change')).toBe(0);
  });

  test('to the ends, and ten at a time', () => {
    expect(stride(3, 1, 'end')).toBe(5);
    expect(stride(3, -1, 'end')).toBe(0);
    expect(stride(5, -1, 'page')).toBe(0);
    const long = indexThread(makeView(Array.from({ length: 40 }, (): Say => ({ role: 'assistant', text: 'x' })))).stops;
    expect(stopAfterStride(long, 25, -1, 'page')?.stop).toBe(15);
    expect(stopAfterStride(long, 35, 1, 'page')?.stop).toBe(40);
  });
});
