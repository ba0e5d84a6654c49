import { test } from 'vitest';
import { size } from '../../sizes.ts';
import { runHistories } from './histories.ts';

test('random histories of one thread come out as the model says', { timeout: 20_000_000 }, () =>
  runHistories({ threads: 1, runs: size(200, 4000), area: 'one thread' }),
);
