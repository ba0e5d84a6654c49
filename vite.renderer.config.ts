import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The diff editor in parts, each of which needs only those before it. */
const PARTS = [
  ['monaco-base', /monaco-editor\/esm\/(vs\/(base|nls|platform|internal)|external)/],
  ['monaco-common', /monaco-editor\/esm\/vs\/editor\/common\//],
  ['monaco-browser', /monaco-editor\/esm\/vs\/editor\/browser\//],
] as const;

/** Lets the window answer after each part has run, before those that need it do: all at once would hold it up for 200 ms. */
const pauses = {
  name: 'pauses',
  renderChunk: (code: string, chunk: { name: string }) =>
    PARTS.some(([name]) => name === chunk.name) ? `${code}\nawait new Promise((done) => setTimeout(done, 0));\n` : null,
};

/** What loads a part of the page: its own part, so that nobody needs the editor for it. */
const LOADER = { name: 'loader', test: /vite\/preload-helper/, priority: 1 };

/** The schemas' library, with what tells it that the page makes no code from text: before any schema is made, wherever that is. */
const SCHEMAS = { name: 'zod', test: /node_modules\/zod\/|renderer\/without-eval/, priority: 1 };

export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react(), pauses],
  worker: { format: 'es' },
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'chrome140',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 5000,
    rolldownOptions: { output: { codeSplitting: { groups: [LOADER, SCHEMAS, ...PARTS.map(([name, test]) => ({ name, test }))] } } },
  },
});
