import { existsSync } from 'node:fs';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';

/** What to open, as it means the same in every folder: a thread's id stays, a path becomes absolute. */
export function openTarget(named: string, cwd: string): string {
  return /^[a-z-]+:[^\\/]/.test(named) ? named : path.resolve(cwd, named);
}

/** The same for a command line: NOT_FOUND at once for a path that leads nowhere (a mistyped command, as a rule), not a window that says so. */
export function openTargetThere(named: string, cwd: string): string {
  const target = openTarget(named, cwd);
  const store = target.lastIndexOf('#');
  const there = !path.isAbsolute(target) || existsSync(target) || (store > 0 && existsSync(target.slice(0, store)));
  if (!there) throw new TurnbackError('NOT_FOUND', { path: target });
  return target;
}

/** The path or thread that the app's command line names, null when it names none. Options, also those Chromium adds, are passed over. */
export function openArgument(argv: readonly string[], packaged: boolean, cwd: string): string | null {
  // `electron APP PATH` while developing, `turnback PATH` when packaged.
  const named = argv.slice(packaged ? 1 : 2).find((argument) => argument !== '' && !argument.startsWith('-'));
  return named === undefined ? null : openTarget(named, cwd);
}
