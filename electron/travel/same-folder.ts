import { TurnbackError } from '../../shared/errors.ts';
import { diskState } from '../snapshots/disk.ts';
import { contentOfDisk, sameContent } from './content.ts';
import type { FileSystem } from './file-system.ts';
import { isMissing } from './own-files.ts';
import type { TravelRecord } from './record.ts';

/** The number of a folder on its disk; null where the file system has none, or the folder is gone. */
export async function inodeOf(fs: FileSystem, root: string): Promise<string | null> {
  try {
    const { ino } = await fs.lstat(Buffer.from(root));
    return ino === 0 ? null : String(ino);
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}

/**
 * At the place of the workspace may stand another folder: the empty one that a disk is mounted on, a fresh clone. Every file of the
 * travel would count as changed there, and the half that was done be forgotten. On some network disks a folder has another number
 * after each mount, so the files speak, too: where one of them is as the travel found it or leaves it, or all that are missing should
 * be, it is taken for the same folder. Throws RECOVERY_OTHER_FOLDER.
 */
export async function mustBeSame(fs: FileSystem, record: TravelRecord, root: string): Promise<void> {
  if (record.rootInode === null || record.rootInode === (await inodeOf(fs, root))) return;
  let strange = false;
  for (const { path, before, after } of record.files) {
    const there = contentOfDisk(await diskState(root, path, record.format));
    const known = there !== null && (sameContent(there, before) || sameContent(there, after));
    // That something is missing is no sign: it is missing from any other folder, too.
    if (known && there.kind !== 'absent') return;
    if (!known) strange = true;
  }
  if (strange || (await fs.readdir(Buffer.from(root))).length === 0) throw new TurnbackError('RECOVERY_OTHER_FOLDER', { path: root });
}
