import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/package/**', 'test/bench/**'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
    isolate: true,
    env: { NO_COLOR: '1' },
  },
});
