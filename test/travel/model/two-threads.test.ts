import { test } from 'vitest';
import { size } from '../../sizes.ts';
import { runHistories } from './histories.ts';

test('random histories of two threads in one folder come out as the model says', { timeout: 20_000_000 }, () =>
  runHistories({ threads: 2, runs: size(200, 4000), area: 'two threads in one folder' }),
);
