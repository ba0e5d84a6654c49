import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { TurnbackError, whatFailed } from '../../shared/errors.ts';
import { createGit } from '../snapshots/git.ts';

/** Why a path cannot be a program, before it is run; null when it may be one. */
function noProgram(file: string): string | null {
  if (!path.isAbsolute(file)) return 'it is not a full path';
  try {
    if (!statSync(file).isFile()) return 'it is not a file';
    accessSync(file, constants.X_OK);
    return null;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is nothing there' : 'it may not be run';
  }
}

/** The version that a program says when it is run as git. Throws GIT_PATH_REFUSED with what is wrong with it. */
export async function checkGitPath(file: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const refused = (cause: string): TurnbackError => new TurnbackError('GIT_PATH_REFUSED', { path: file, cause });
  const why = noProgram(file);
  if (why !== null) throw refused(why);
  try {
    return (await createGit({ command: [file], env }).version()).text;
  } catch (thrown) {
    throw refused(whatFailed(thrown));
  }
}
