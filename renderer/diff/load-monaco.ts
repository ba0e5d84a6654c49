import type { monaco } from './monaco-core.ts';

export type Monaco = typeof monaco;

let loading: Promise<Monaco> | null = null;

/**
 * Monaco, loaded on first use: nothing else may import `monaco-core.ts`, so that it never becomes part of the entry chunk.
 * A load that failed (a host that went away) is tried again on the next call.
 */
export function loadMonaco(): Promise<Monaco> {
  loading ??= import('./monaco-core.ts').then(
    (core) => core.monaco,
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
