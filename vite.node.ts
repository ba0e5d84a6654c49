import { builtinModules } from 'node:module';
import type { UserConfig } from 'vite';

/** What a bundle for plain Node or Electron's main process must not contain: the runtime's own modules and ws' optional natives. */
const external = [
  'electron',
  'electron/main',
  ...builtinModules.flatMap((name) => [name, `node:${name}`]),
  'node:sqlite',
  'bufferutil',
  'utf-8-validate',
];

/** A CommonJS bundle of one entry; `__dirname` in it is the folder of the built file. */
export function nodeBundle(entry: string, outDir: string, fileName: string): UserConfig {
  return {
    build: {
      outDir,
      emptyOutDir: false,
      target: 'node20',
      sourcemap: true,
      minify: false,
      lib: { entry, formats: ['cjs'], fileName: () => fileName },
      rolldownOptions: { external },
    },
    // The source is a module, the bundle is CommonJS: each has its own name for the folder it lies in.
    define: { 'import.meta.dirname': '__dirname' },
    resolve: { conditions: ['node'], mainFields: ['module', 'main'] },
  };
}
