import type { Settings } from './contract.ts';

const GIGABYTE = 1_000_000_000;

/** Settings of a user who changed none. Every safety snapshot of three months stays unless there are very many or very large ones. */
export const DEFAULT_SETTINGS: Settings = {
  version: 1,
  theme: 'system',
  diffLayout: 'split',
  wrap: false,
  ignoreWhitespace: false,
  ignoreLineEnds: true,
  filesAs: 'tree',
  recent: [],
  retention: { days: 90, entries: 200, bytes: 5 * GIGABYTE },
  folders: [],
  gitPath: null,
  keys: {},
};
