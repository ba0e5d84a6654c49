import path from 'node:path';
import { chordRefusal } from '../../shared/chords.ts';
import type { Input } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { checkGitPath } from './git-path.ts';

const MOST_CHORDS = 8;
const MOST_FOLDERS = 100;

/**
 * Refuses a change of settings that the engine could not work with: a git that is none (GIT_PATH_REFUSED), a folder that is not a full
 * path, a key that cannot be pressed or is needed otherwise (SETTING_REFUSED). The form was checked by the contract.
 */
export async function checkSettings(change: Input<'settings.set'>): Promise<void> {
  const { keys, folders, gitPath } = change;
  for (const [command, chords] of Object.entries(keys ?? {})) {
    const why = chords.length > MOST_CHORDS ? `it has more than ${MOST_CHORDS} keys` : chords.map(chordRefusal).find((one) => one !== null);
    if (why != null) throw new TurnbackError('SETTING_REFUSED', { name: `keys of ${command}`, cause: why.replace(/\.$/, '') });
  }
  const relative = folders?.find((folder) => !path.isAbsolute(folder));
  if (relative !== undefined) throw new TurnbackError('SETTING_REFUSED', { name: 'folders', cause: `${relative} is not a full path` });
  if ((folders?.length ?? 0) > MOST_FOLDERS)
    throw new TurnbackError('SETTING_REFUSED', { name: 'folders', cause: `there are more than ${MOST_FOLDERS}` });
  if (gitPath != null) await checkGitPath(gitPath);
}
