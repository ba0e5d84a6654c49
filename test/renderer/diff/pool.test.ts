import { expect, test, vi } from 'vitest';
import { createPool } from '../../../renderer/diff/pool.ts';

function poolOf(limit: number) {
  let made = 0;
  const ended: string[] = [];
  const pool = createPool<'diff' | 'single', string>(
    limit,
    (kind) => `${kind} ${++made}`,
    (item) => ended.push(item),
  );
  return { pool, ended, made: () => made };
}

test('an item that was given back is used again', () => {
  const { pool, made } = poolOf(2);
  const first = pool.take('diff');
  pool.give('diff', first ?? '');
  expect(pool.take('diff')).toBe(first);
  expect(made()).toBe(1);
});

test('never more than the limit; a free one of the other kind gives way', () => {
  const { pool, ended } = poolOf(2);
  const diff = pool.take('diff') ?? '';
  pool.take('diff');
  expect(pool.take('single')).toBeNull();
  pool.give('diff', diff);
  expect(pool.take('single')).toBe('single 3');
  expect(ended).toEqual([diff]);
  expect(pool.live()).toBe(2);
});

test('who waits is told once, in turn, when something is free', () => {
  const { pool } = poolOf(1);
  const item = pool.take('diff') ?? '';
  const first = vi.fn();
  const second = vi.fn();
  pool.whenFree(first);
  const stop = pool.whenFree(second);
  pool.give('diff', item);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  stop();
  pool.give('diff', pool.take('diff') ?? '');
  expect(second).not.toHaveBeenCalled();
});
