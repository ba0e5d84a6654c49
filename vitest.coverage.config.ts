import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** Branches of what keeps people's files, in percent. */
const BRANCHES = { branches: 95 };

export default mergeConfig(
  tests,
  defineConfig({
    test: {
      // What starts programs of its own is not seen by the measurement, so it is left out.
      exclude: ['test/{package,bench,e2e,renderer/panes,electron-double,cli,docs}/**'],
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
