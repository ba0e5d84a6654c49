import { describe, expect, it } from 'vitest';
import { eachOf } from '../../electron/snapshots/each-of.ts';

const items = Array.from({ length: 20 }, (_, k) => k);
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

describe('work for each item', () => {
  it('is done once for each, so many at a time', async () => {
    const done: number[] = [];
    let now = 0;
    let most = 0;
    await eachOf(items, { width: 4, signal: undefined }, async (item, index) => {
      now += 1;
      most = Math.max(most, now);
      await pause();
      expect(index).toBe(item);
      done.push(item);
      now -= 1;
    });
    expect(done.sort((a, b) => a - b)).toEqual(items);
    expect(most).toBe(4);
    await eachOf([], { width: 4, signal: undefined }, () => Promise.reject(new Error('never')));
  });

  it('stops at the first failure, and nothing goes on after it is told', async () => {
    let running = 0;
    let begun = 0;
    const work = eachOf(items, { width: 3, signal: undefined }, async (item) => {
      begun += 1;
      running += 1;
      await pause();
      running -= 1;
      if (item === 4) throw new Error('four');
    });
    await expect(work).rejects.toThrow('four');
    expect(running).toBe(0);
    expect(begun).toBeLessThan(9);
  });

  it('stops when cancelled', async () => {
    const abort = new AbortController();
    let begun = 0;
    const work = eachOf(items, { width: 2, signal: abort.signal }, async (item) => {
      begun += 1;
      if (item === 5) abort.abort();
      await pause();
    });
    await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(begun).toBeLessThan(8);
  });
});
