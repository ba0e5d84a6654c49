import { TurnbackError } from '../../shared/errors.ts';
import type { FileSystem } from './file-system.ts';
import { isMissing } from './own-files.ts';

/**
 * Half of a travel is in the workspace: wherever that was moved, it has to come back before the other half, or a count of it, can be true.
 * Throws RECOVERY_NO_WORKSPACE.
 */
export async function mustBeThere(fs: FileSystem, root: string): Promise<void> {
  try {
    if ((await fs.lstat(Buffer.from(root))).isDirectory()) return;
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
  throw new TurnbackError('RECOVERY_NO_WORKSPACE', { path: root });
}
