import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Budget } from '../../electron/travel/budget.ts';

test('never more than there is, in the order of asking, and room again after a failure', async () => {
  const budget = new Budget(10);
  let used = 0;
  let most = 0;
  const order: number[] = [];
  const work =
    (need: number, fail = false) =>
    async (): Promise<number> => {
      order.push(need);
      used += Math.min(need, 10);
      most = Math.max(most, used);
      await sleep(1);
      used -= Math.min(need, 10);
      if (fail) throw new Error('failed');
      return need;
    };
  const asked = [3, 4, 5, 1, 25, 2, 10, 7];
  const ends = await Promise.allSettled(asked.map((need) => budget.spend(need, work(need, need === 5))));
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : 'failed'))).toEqual([3, 4, 'failed', 1, 25, 2, 10, 7]);
  expect(order).toEqual(asked);
  expect(most).toBe(10);
  expect(await budget.spend(10, work(10))).toBe(10);
});
