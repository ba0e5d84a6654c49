import Module, { createRequire } from 'node:module';
import type { ElectronDouble } from './double.ts';

type Load = (request: string, ...rest: unknown[]) => unknown;

/** Runs a CommonJS main bundle afresh, whose `require('electron')` gives the double; the result ends that. */
export function loadMain(double: ElectronDouble, bundle: string): () => void {
  const internals = Module as unknown as { _load: Load };
  const original = internals._load;
  internals._load = function load(this: unknown, request, ...rest) {
    return request === 'electron' || request === 'electron/main' ? double.electron : original.call(this, request, ...rest);
  };
  const require = createRequire(import.meta.url);
  delete require.cache[require.resolve(bundle)];
  require(bundle);
  return () => {
    internals._load = original;
  };
}
