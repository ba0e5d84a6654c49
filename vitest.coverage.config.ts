import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** Branches of what keeps people's files, in percent. */
const BRANCHES = { branches: 95 };

export default mergeConfig(
  tests,
  defineConfig({
    test: {
      include: ['shared', 'snapshots', 'threads', 'travel', 'cases'].map((area) => `test/${area}/**/*.test.ts`),
      coverage: {
        provider: 'v8',
        include: ['shared/**', 'electron/snapshots/**', 'electron/threads/**', 'electron/travel/**'],
        reporter: ['text', 'json-summary'],
        reportsDirectory: 'test-output/coverage',
        thresholds: {
          'shared/**': BRANCHES,
          'electron/snapshots/**': BRANCHES,
          'electron/threads/**': BRANCHES,
          'electron/travel/**': BRANCHES,
        },
      },
    },
  }),
);
