import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/package/**', 'test/bench/**'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
    isolate: true,
    // A window on a busy machine takes longer than a second to show what happened.
    expect: { poll: { timeout: 20_000 } },
    env: { NO_COLOR: '1' },
  },
});
