import { homedir } from 'node:os';
import path from 'node:path';
import type { Places } from './source.ts';

/** Where stores are looked for: the given home (default: the user's) and the environment's overrides. */
export function placesOf(env: NodeJS.ProcessEnv, home?: string): Places {
  // An explicit home means another user's or a test's stores: the overrides of this process do not speak about it.
  // A running host is named for this very call, whosever stores these are.
  const { TURNBACK_DSH_URL, TURNBACK_DSH_TOKEN } = env;
  if (home !== undefined) return { home: path.resolve(home), env: { TURNBACK_DSH_URL, TURNBACK_DSH_TOKEN } };
  return { home: path.resolve(env['HOME'] || homedir()), env };
}

/** Turnback's own data folder: TURNBACK_DATA, else the platform's place for application data. */
export function ownDataOf(env: NodeJS.ProcessEnv): string {
  if (env['TURNBACK_DATA']) return path.resolve(env['TURNBACK_DATA']);
  const home = env['HOME'] || homedir();
  if (process.platform === 'win32') return path.join(env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local'), 'turnback');
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'turnback');
  return path.join(env['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'turnback');
}
