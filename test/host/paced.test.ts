import { expect, test } from 'vitest';
import { paced } from '../../electron/host/paced.ts';

test('of many counts the first and the last of each label are told, and in between ten a second', () => {
  const told: string[] = [];
  let now = 0;
  const tell = paced(
    (done, total, label) => void told.push(`${label} ${done}/${total}`),
    () => now,
  );
  for (const label of ['Keeping', 'Writing']) {
    for (let done = 1; done <= 100; done++) {
      now += 4;
      tell(done, 100, label);
    }
  }
  expect(told).toEqual(['Keeping', 'Writing'].flatMap((label) => [1, 26, 51, 76, 100].map((done) => `${label} ${done}/100`)));
});
