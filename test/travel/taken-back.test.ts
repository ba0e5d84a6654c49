import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { takenBack } from '../../electron/travel/chains.ts';
import type { TravelRecord } from '../../electron/travel/record.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelRequest } from '../../electron/travel/travel-context.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { travelRecord } from './records.ts';
import { DEFAULTS, restoreOf, revertTo, stopOf, travelling, UNDO, UNREVERT } from './tanstack-travelling.ts';

function lines(other: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: 20 }, (_, at) => `${other[at + 1] ?? at + 1}\n`).join('');
}

const [ONE, TWO] = [{ 3: 'one' }, { 15: 'two' }];

/** Two turns that change a line each; what the first changed can go alone, and every travel can be taken back. */
async function twoTurns() {
  const w = await travelling({ events: false });
  await writeFiles(w.t.root, { a: lines() });
  const write = (text: string) => [{ tool: 'bash', edit: (root: string) => writeFiles(root, { a: text }) }];
  const { answerId } = await w.t.turn('1', write(lines(ONE)));
  await w.t.turn('2', write(lines({ ...ONE, ...TWO })));
  const context = await w.context();
  const go = async (request: TravelRequest): Promise<string> => (await runTravel(context, request, DEFAULTS)).entry;
  const out = (step: number): Promise<string> => {
    const id = context.thread.thread().steps.find(({ index }) => index === step)?.id ?? '';
    return go({ kind: 'partial', stop: null, entry: null, scope: 'files', piece: { step: id, path: 'a', hunk: null, side: 'out' } });
  };
  const text = (): Promise<string> => readFile(path.join(w.t.root, 'a'), 'utf8');
  const toFirst = revertTo(stopOf(context, answerId));
  const drift = async (request: TravelRequest): Promise<boolean[]> => (await previewTravel(context, request)).files.map((one) => one.drift);
  return { root: w.t.root, context, go, out, text, toFirst, drift };
}

describe('a piece of a step that stays', () => {
  test('is no wish any more once it was taken back: a later revert is exact', async () => {
    const { root, go, out, text, toFirst, drift } = await twoTurns();
    const before = await manifest(root);
    await go(restoreOf(await out(1)));
    expect(await manifest(root)).toEqual(before);
    expect(await drift(toFirst)).toEqual([false]);
    await go(toFirst);
    expect(await text()).toBe(lines(ONE));
    await go(UNREVERT);
    expect(await manifest(root)).toEqual(before);
    expect(await drift(UNDO)).toEqual([false]);
    await go(UNDO);
    expect(await text()).toBe(lines(ONE));
  });

  test('is one again when that was taken back, too', async () => {
    const { go, out, text, toFirst, drift } = await twoTurns();
    await go(restoreOf(await go(restoreOf(await out(1)))));
    expect(await text()).toBe(lines(TWO));
    expect(await drift(toFirst)).toEqual([true]);
    await go(toFirst);
    expect(await text()).toBe(lines());
  });

  test('goes with an older travel that is taken back with all above it', async () => {
    const { go, out, text, toFirst, drift } = await twoTurns();
    const second = await out(3);
    await out(1);
    expect(await text()).toBe(lines());
    await go(restoreOf(second));
    expect(await text()).toBe(lines({ ...ONE, ...TWO }));
    expect(await drift(toFirst)).toEqual([false]);
    await go(toFirst);
    expect(await text()).toBe(lines(ONE));
  });
});

const at = (entry: string, more: Partial<TravelRecord>, names = ['a']): TravelRecord =>
  travelRecord({
    entry: `${entry}-1`,
    ...more,
    files: names.map((name) => ({ path: name, before: { kind: 'absent' }, after: { kind: 'absent' }, outcome: 'written' })),
  });
const piece = at('p', { kind: 'partial' });

test.each<[string, TravelRecord[], boolean]>([
  ['nothing came after it', [piece], false],
  ['it was taken back', [piece, at('r', { kind: 'restore', takes: ['p-1'] })], true],
  ['a revert above it was taken back', [piece, at('q', { kind: 'revert' }), at('u', { kind: 'unrevert', takes: ['q-1'] })], false],
  ['a revert below it was taken back', [at('q', { kind: 'revert' }), piece, at('u', { kind: 'unrevert', takes: ['q-1'] })], true],
  [
    'a revert of other files was',
    [at('q', { kind: 'revert' }, ['b']), piece, at('u', { kind: 'unrevert', takes: ['q-1'] }, ['a', 'b'])],
    false,
  ],
  ['the file was left out of that', [at('q', { kind: 'revert' }), piece, at('u', { kind: 'unrevert', takes: ['q-1'] }, ['b'])], false],
  ['a turn was done again', [at('q', { kind: 'undo' }), piece, at('d', { kind: 'redo', takes: ['q-1'] })], false],
  ['that was taken back', [piece, at('r', { kind: 'restore', takes: ['p-1'] }), at('s', { kind: 'restore', takes: ['r-1'] })], false],
  [
    'and that as well',
    [
      piece,
      at('r', { kind: 'restore', takes: ['p-1'] }),
      at('s', { kind: 'restore', takes: ['r-1'] }),
      at('t', { kind: 'restore', takes: ['s-1'] }),
    ],
    true,
  ],
])('what was brought back is taken back or not: %s', (_name, records, expected) => {
  expect(takenBack(piece, 'a', records)).toBe(expected);
});
