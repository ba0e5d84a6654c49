import { constants, existsSync } from 'node:fs';
import { TurnbackError } from '../../shared/errors.ts';
import { bytesOfTreePath, showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

const SLASH = Buffer.from('/');

/** On Linux a name below an open folder can be reached through the folder itself, wherever its path leads by now. */
const throughDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd');

/** A folder of the workspace that was reached without following a link, and stays the same one while it is used. */
export interface PinnedFolder {
  /** A path for a name in it. */
  at(name: Uint8Array): Buffer;
  /** Throws WRITE_FAILED when the folder's path does not lead to it any more, looking at each folder above it again. */
  check(): Promise<void>;
  /** Makes what it lists durable. */
  sync(): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

const joined = (folder: Uint8Array, name: Uint8Array): Buffer => Buffer.concat([folder, SLASH, name]);

/** Folder and name of a path; the folder of a path at the top is the empty one. */
export function splitPath(path: TreePath): { folder: TreePath; name: Uint8Array } {
  const slash = path.lastIndexOf('/');
  return { folder: slash < 0 ? '' : path.slice(0, slash), name: bytesOfTreePath(path.slice(slash + 1)) };
}

function moved(folder: TreePath, cause: string): TurnbackError {
  return new TurnbackError('WRITE_FAILED', { path: showTreePath(folder) || 'The workspace', cause });
}

const LINKED = 'it is a link or no folder any more';

/**
 * Opens a folder below the root part by part and follows no link on the way. Where the platform allows it, all that is done in it
 * goes through the open folder, so that a link planted meanwhile leads nowhere. Throws WRITE_FAILED for a link or file on
 * the way, and the file system's own error for a folder that is not there.
 */
export async function pinFolder(fs: FileSystem, root: string, folder: TreePath): Promise<PinnedFolder> {
  const names = folder === '' ? [] : folder.split('/').map((part) => bytesOfTreePath(part));
  const rootPath = Buffer.from(root);
  const walk = async (): Promise<{ path: Buffer; ino: number; dev: number }> => {
    let path: Buffer = rootPath;
    let stat = await fs.lstat(path);
    if (!stat.isDirectory()) throw moved(folder, LINKED);
    for (const name of names) {
      path = joined(path, name);
      stat = await fs.lstat(path);
      if (!stat.isDirectory()) throw moved(folder, LINKED);
    }
    return { path, ino: stat.ino, dev: stat.dev };
  };
  if (!throughDescriptors) {
    const { path } = await walk();
    const open = async (work: (handle: OpenFile) => Promise<void>): Promise<void> => {
      // Windows can neither open nor sync a folder, and has no permission bits.
      if (process.platform === 'win32') return;
      const handle = await fs.open(path, constants.O_RDONLY);
      try {
        await work(handle);
      } finally {
        await handle.close();
      }
    };
    return {
      at: (name) => joined(path, name),
      check: async () => void (await walk()),
      sync: () => open((handle) => handle.sync()),
      chmod: (mode) => open((handle) => handle.chmod(mode)),
      close: async () => undefined,
    };
  }
  let handle = await fs.open(rootPath, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    for (const name of names) {
      const next = await openBelow(fs, handle, name, folder);
      const above = handle;
      handle = next;
      await above.close();
    }
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  const here = Buffer.from(`/proc/self/fd/${handle.fd}`);
  const own = handle;
  return {
    at: (name) => joined(here, name),
    async check() {
      const [there, stat] = [await walk(), await own.stat()];
      if (there.ino !== stat.ino || there.dev !== stat.dev) throw moved(folder, 'another folder took its place');
    },
    sync: () => own.sync(),
    chmod: (mode) => own.chmod(mode),
    close: () => own.close(),
  };
}

async function openBelow(fs: FileSystem, above: OpenFile, name: Uint8Array, folder: TreePath): Promise<OpenFile> {
  try {
    const path = joined(Buffer.from(`/proc/self/fd/${above.fd}`), name);
    return await fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    // A link gives ENOTDIR or ELOOP, depending on the kernel.
    if (code === 'ELOOP' || code === 'ENOTDIR') throw moved(folder, LINKED);
    throw thrown;
  }
}

/** Uses a folder and closes it whatever happens. */
export async function inFolder<T>(fs: FileSystem, root: string, folder: TreePath, work: (pinned: PinnedFolder) => Promise<T>): Promise<T> {
  const pinned = await pinFolder(fs, root, folder);
  try {
    return await work(pinned);
  } finally {
    await pinned.close();
  }
}
