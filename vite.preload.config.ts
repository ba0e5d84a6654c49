import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    outDir: 'out/app',
    emptyOutDir: false,
    target: 'chrome140',
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: 'electron/preload.ts',
      external: ['electron', 'electron/renderer'],
      output: { format: 'cjs', codeSplitting: false, entryFileNames: 'preload.cjs' },
    },
  },
});
