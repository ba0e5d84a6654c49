import { isRefusal, TurnbackError } from '../../shared/errors.ts';
import { bytesOfTreePath, showTreePath, type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';
import type { FileSystem } from './file-system.ts';
import { foldersAbove } from './folder-groups.ts';
import { codeOf, isMissing, isTaken } from './own-files.ts';
import { inFolder, splitPath } from './pinned-folder.ts';

/** Permission bits of folders as they shall be; null for one that shall not be there. A folder that is not named follows the umask. */
export type FolderModes = ReadonlyMap<TreePath, number | null>;

/** Every folder above the paths, outermost first. */
export function allFoldersAbove(paths: Iterable<TreePath>): TreePath[] {
  const folders = new Set<TreePath>();
  for (const path of paths) for (const above of foldersAbove(path)) folders.add(above);
  return [...folders].sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
}

const depthOf = (path: TreePath): number => path.split('/').length;

/** The permission bits of the folders above the paths as they are; null for what is not there, or is no folder. */
export async function folderModesOf(
  fs: FileSystem,
  root: string,
  paths: Iterable<TreePath>,
): Promise<{ path: TreePath; mode: number | null }[]> {
  const modes: { path: TreePath; mode: number | null }[] = [];
  for (const path of allFoldersAbove(paths)) {
    try {
      const stat = await fs.lstat(Buffer.concat([Buffer.from(`${root}/`), bytesOfTreePath(path)]));
      modes.push({ path, mode: stat.isDirectory() ? stat.mode & 0o7777 : null });
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      modes.push({ path, mode: null });
    }
  }
  return modes;
}

/** Makes a folder and those above it. Gives those that were made, outermost first. */
export async function makeFolders(fs: FileSystem, root: string, folder: TreePath, modes: FolderModes): Promise<TreePath[]> {
  const made: TreePath[] = [];
  const wanted = folder === '' ? [] : [...foldersAbove(folder), folder];
  for (const path of wanted) {
    const { folder: above, name } = splitPath(path);
    const mode = modes.get(path) ?? null;
    const isNew = await inFolder(fs, root, above, async (pinned) => {
      try {
        await fs.mkdir(pinned.at(name), mode === null ? 0o777 : 0o700);
      } catch (thrown) {
        if (isTaken(thrown)) return false;
        throw thrown;
      }
      await pinned.sync();
      return true;
    });
    if (!isNew) continue;
    made.push(path);
    if (mode !== null) await inFolder(fs, root, path, (pinned) => pinned.chmod(mode));
  }
  return made;
}

/** Removes one folder if nothing is in it. True when it is gone. */
export async function removeIfEmpty(fs: FileSystem, root: string, folder: TreePath): Promise<boolean> {
  const { folder: above, name } = splitPath(folder);
  try {
    await inFolder(fs, root, above, async (pinned) => {
      await pinned.check();
      await fs.rmdir(pinned.at(name));
      await pinned.sync();
    });
    return true;
  } catch (thrown) {
    // Something is in it, it may not be removed, or a link or file took its place: not ours to remove.
    if (isTaken(thrown) || ['EBUSY', 'EPERM', 'EACCES', 'ENOTDIR'].includes(codeOf(thrown))) return false;
    if (isMissing(thrown)) return true;
    if (isRefusal(thrown, 'WRITE_FAILED')) return false;
    throw thrown;
  }
}

/** Removes the folders that became empty because these paths went, innermost first; those that shall be there stay. */
export async function removeEmptied(fs: FileSystem, root: string, gone: Iterable<TreePath>, modes: FolderModes): Promise<void> {
  for (const folder of allFoldersAbove(gone).reverse()) {
    if (typeof modes.get(folder) === 'number') continue;
    await removeIfEmpty(fs, root, folder);
  }
}

/** Removes a folder that holds nothing but folders, so that a file can take its place. Throws WRITE_FAILED when it holds more. */
export async function clearFolder(fs: FileSystem, root: string, folder: TreePath): Promise<void> {
  const found = [folder];
  // It grows while it is gone through.
  for (const path of found) {
    let names: Buffer[];
    try {
      names = await inFolder(fs, root, path, (pinned) => fs.readdir(pinned.at(Buffer.from('.'))));
    } catch (thrown) {
      if (isMissing(thrown)) return;
      throw thrown;
    }
    for (const name of names) found.push(`${path}/${treePathOfBytes(name)}`);
  }
  for (const path of found.reverse()) {
    if (!(await removeIfEmpty(fs, root, path))) {
      throw new TurnbackError('WRITE_FAILED', { path: showTreePath(folder), cause: `the folder still holds ${showTreePath(path)}` });
    }
  }
}
