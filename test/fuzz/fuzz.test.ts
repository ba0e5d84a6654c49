import { expect, test } from 'vitest';
import { TurnbackError } from '../../shared/errors.ts';
import { fuzz } from './fuzz.ts';
import { mutateRecord } from './mutate.ts';
import { Random } from './random.ts';

const run = (one: (random: Random, input: number) => void | Promise<void>) => fuzz({ name: 'x', seed: 3, count: 200, one });

test('a crash is found and named with its seed and input, a refusal is counted', async () => {
  const crash = run((_, input) => {
    if (input === 77) throw new TypeError('no');
  });
  await expect(crash).rejects.toThrow('crash (no) at input 77 (TURNBACK_SEED=3)');
  const internal = run(() => {
    throw new TurnbackError('INTERNAL', { cause: 'odd' });
  });
  await expect(internal).rejects.toThrow('at input 0');
  const result = await run(async (_, input) => {
    if (input % 2 === 0) throw new TurnbackError('LOG_EMPTY', { path: '/l' });
  });
  expect(result).toMatchObject({ inputs: 200, refused: 100 });
});

test('a hang and a reached prototype are found', async () => {
  const hang = run((_, input) => {
    if (input !== 5) return;
    for (const until = performance.now() + 60_000, used = process.threadCpuUsage().user; performance.now() < until; )
      if (process.threadCpuUsage().user - used > 1_300_000) return;
  });
  await expect(hang).rejects.toThrow('hang');
  const reached = run((_, input) => {
    if (input === 9) Object.defineProperty(Object.prototype, 'fuzzed', { value: 1, configurable: true });
  });
  try {
    await expect(reached).rejects.toThrow('prototype');
  } finally {
    Reflect.deleteProperty(Object.prototype, 'fuzzed');
  }
});

test('an input can be made again from the seed, and inputs differ', () => {
  const line = Buffer.from('{"type":"x","list":[1,2,{"a":"b"}],"text":"hello"}');
  const made = (seed: number, input: number): string => mutateRecord(Random.of(seed, input), line).toString('latin1');
  expect(made(4, 11)).toBe(made(4, 11));
  const all = new Set(Array.from({ length: 300 }, (_, input) => made(4, input)));
  expect(all.size).toBeGreaterThan(150);
});
