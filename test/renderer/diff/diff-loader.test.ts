import { expect, test, vi } from 'vitest';
import { createDiffLoader, type DiffLoader } from '../../../renderer/diff/diff-loader.ts';
import type { FileDiff } from '../../../shared/contract.ts';
import { reason, reasonOf, TurnbackError } from '../../../shared/errors.ts';
import { side } from '../panes/fake-files.ts';

const diffOf = (path: string, text = path): FileDiff => ({ path, before: null, after: side(text), eolOnly: false });

interface Ask {
  path: string;
  anyway: boolean;
  answer(diff: FileDiff): void;
  fail(thrown: unknown): void;
}

function setUp(limit = 1): { loader: DiffLoader; asks: Ask[]; settle(): Promise<void> } {
  const asks: Ask[] = [];
  const loader = createDiffLoader({
    fetch: (path, anyway) => new Promise((answer, fail) => asks.push({ path, anyway, answer, fail })),
    reasonOf,
    limit,
  });
  return { loader, asks, settle: () => new Promise((done) => setTimeout(done)) };
}

const paths = (asks: readonly Ask[]): string[] => asks.map((ask) => ask.path);

test('the newest wish goes first, and no more than the limit at once', async () => {
  const { loader, asks, settle } = setUp();
  for (const path of ['a', 'b', 'c']) loader.want(path);
  expect(paths(asks)).toEqual(['a']);
  asks[0]?.answer(diffOf('a'));
  await settle();
  expect(paths(asks)).toEqual(['a', 'c']);
  expect(loader.entry('a')).toEqual({ phase: 'ready', diff: diffOf('a'), anyway: false });
});

test('holding Down through 403 files asks only for those that stay', async () => {
  const { loader, asks, settle } = setUp(3);
  for (let at = 0; at < 403; at++) {
    loader.want(`file ${at}`);
    if (at >= 5) loader.unwant(`file ${at - 5}`);
  }
  for (let answered = 0; answered < asks.length; ) {
    const ask = asks[answered++];
    ask?.answer(diffOf(ask.path));
    await settle();
  }
  expect(asks.length).toBeLessThan(12);
  expect([398, 399, 400, 401, 402].map((at) => loader.entry(`file ${at}`).phase)).toEqual(Array(5).fill('ready'));
});

test('an answer that nobody waits for any more is dropped', async () => {
  const { loader, asks, settle } = setUp();
  const heard = vi.fn();
  loader.subscribe('a', heard);
  loader.want('a');
  loader.unwant('a');
  heard.mockClear();
  asks[0]?.answer(diffOf('a'));
  await settle();
  expect(loader.entry('a').phase).toBe('none');
  expect(heard).not.toHaveBeenCalled();
});

test('the answer of a wish that was taken back does not stand for the next one', async () => {
  const { loader, asks, settle } = setUp(2);
  loader.want('a');
  loader.unwant('a');
  loader.want('a', true);
  asks[0]?.answer(diffOf('a', 'small'));
  await settle();
  expect(loader.entry('a').phase).toBe('loading');
  asks[1]?.answer(diffOf('a', 'whole'));
  await settle();
  expect(loader.entry('a')).toEqual({ phase: 'ready', diff: diffOf('a', 'whole'), anyway: true });
});

test('a dropped loader tells nobody and asks for nothing more', async () => {
  const { loader, asks, settle } = setUp();
  const heard = vi.fn();
  loader.want('a');
  loader.want('b');
  loader.subscribe('a', heard);
  loader.drop();
  asks[0]?.answer(diffOf('a'));
  await settle();
  expect(heard).not.toHaveBeenCalled();
  expect(paths(asks)).toEqual(['a']);
});

test('one file that fails says why, and can be asked for again', async () => {
  const { loader, asks, settle } = setUp();
  loader.want('a');
  asks[0]?.fail(new TurnbackError('TREE_MISSING', { tree: 'ab' }));
  await settle();
  expect(loader.entry('a')).toEqual({ phase: 'failed', error: reason('TREE_MISSING', { tree: 'ab' }), anyway: false });
  loader.want('a');
  expect(paths(asks)).toEqual(['a', 'a']);
});

test('old texts that nobody looks at go when too much is kept', async () => {
  const { loader, asks, settle } = setUp(10);
  const text = 'x'.repeat(10_000_000);
  loader.subscribe('b', () => {});
  for (const path of ['a', 'b', 'c']) loader.want(path);
  for (const ask of asks) ask.answer(diffOf(ask.path, text));
  await settle();
  expect(['a', 'b', 'c'].map((path) => loader.entry(path).phase)).toEqual(['none', 'ready', 'ready']);
});
