import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { bytesOfTreePath, showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { type ObjectFormat, objectHeader, objectId } from './object-id.ts';
import type { TreeEntry } from './objects.ts';

/** What stands at a path now. `oid` is the id git would give to the raw bytes (a link's: its target). */
export type DiskState =
  | { kind: 'absent' }
  | { kind: 'file'; mode: number; size: number; mtimeMs: number; oid: string }
  | { kind: 'link'; oid: string; target: Buffer }
  | { kind: 'folder' }
  | { kind: 'other'; what: string }
  | { kind: 'blocked'; why: string };

const windows = process.platform === 'win32';
const SLASH = Buffer.from('/');
const CHUNK = 256 * 1024;
/** How often a file that changes under our hands is read again. */
const TRIES = 3;

/** The absolute path as bytes; names that are not UTF-8 stay what they are. */
export function diskPath(root: string, path: TreePath): Buffer {
  return Buffer.concat([Buffer.from(root), SLASH, bytesOfTreePath(path)]);
}

async function statOrNull(path: Buffer): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Why nothing may be read or written at the path, looking at each folder above it without following links: a link, a
 * file where a folder should be, a repository of its own. `absent` when a folder above does not exist; null when all is well.
 */
export async function parentsOf(root: string, path: TreePath): Promise<{ kind: 'absent' } | { kind: 'blocked'; why: string } | null> {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return { kind: 'blocked', why: 'The path is not one of a file below the workspace.' };
  if (parts.some((part) => part.toLowerCase() === '.git')) return { kind: 'blocked', why: "The path lies in a repository's own folder." };
  for (let depth = 1; depth < parts.length; depth++) {
    const above = parts.slice(0, depth).join('/');
    const stat = await statOrNull(diskPath(root, above));
    if (stat === null) return { kind: 'absent' };
    if (stat.isSymbolicLink()) return { kind: 'blocked', why: `Its folder ${showTreePath(above)} is a link.` };
    if (!stat.isDirectory()) return { kind: 'blocked', why: `${showTreePath(above)} is not a folder.` };
    if ((await statOrNull(diskPath(root, `${above}/.git`))) !== null)
      return { kind: 'blocked', why: `${showTreePath(above)} is a repository of its own.` };
  }
  return null;
}

function whatOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a pipe';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}

/** Opens a regular file and nothing else: no link is followed and a pipe that took its place does not block. */
async function openFile(full: Buffer): Promise<{ handle: FileHandle; stat: Stats } | null> {
  const noFollow = windows ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let handle: FileHandle;
  try {
    handle = await open(full, constants.O_RDONLY | noFollow);
  } catch (error) {
    // Between the look and the open it went away or became a link.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const stat = await handle.stat();
  if (stat.isFile()) return { handle, stat };
  await handle.close();
  return null;
}

/**
 * Reads a regular file once, piece by piece, and gives its facts. `begin` learns the size before the first piece; when
 * the file turns out longer or shorter, or changes while it is read, everything starts again. Throws FILE_BUSY after three tries.
 */
export async function readFileOnce(
  full: Buffer,
  path: TreePath,
  sink: { begin(size: number): void; piece(bytes: Buffer): Promise<void> | void },
): Promise<Stats | null> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const opened = await openFile(full);
    if (opened === null) return null;
    const { handle, stat } = opened;
    try {
      sink.begin(stat.size);
      let seen = 0;
      for (;;) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK, stat.size - seen + 1));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, seen);
        if (bytesRead === 0) break;
        seen += bytesRead;
        if (seen > stat.size) break;
        await sink.piece(buffer.subarray(0, bytesRead));
      }
      const after = await handle.stat();
      if (seen === stat.size && after.mtimeMs === stat.mtimeMs && after.size === stat.size) return stat;
    } finally {
      await handle.close();
    }
  }
  throw new TurnbackError('FILE_BUSY', { path: showTreePath(path) });
}

/**
 * The state of a path and, in the same read, its bytes: those of a link's target and of a file up to `keep` bytes, else
 * null. So what is stored of a file is what its id was computed from.
 */
export async function readState(
  root: string,
  path: TreePath,
  format: ObjectFormat,
  keep: number,
): Promise<{ state: DiskState; bytes: Buffer | null }> {
  const blocked = await parentsOf(root, path);
  if (blocked !== null) return { state: blocked, bytes: null };
  const full = diskPath(root, path);
  const stat = await statOrNull(full);
  if (stat === null) return { state: { kind: 'absent' }, bytes: null };
  if (stat.isDirectory()) return { state: { kind: 'folder' }, bytes: null };
  if (stat.isSymbolicLink()) {
    const target = await readlink(full, { encoding: 'buffer' });
    return { state: { kind: 'link', oid: objectId('blob', target, format), target }, bytes: target };
  }
  if (!stat.isFile()) return { state: { kind: 'other', what: whatOf(stat) }, bytes: null };
  let hash = createHash(format);
  let kept: Buffer[] | null = null;
  const read = await readFileOnce(full, path, {
    begin: (size) => {
      hash = createHash(format).update(objectHeader('blob', size));
      kept = size <= keep ? [] : null;
    },
    piece: (bytes) => {
      hash.update(bytes);
      kept?.push(bytes);
    },
  });
  if (read === null) return { state: { kind: 'other', what: 'something that was a file a moment ago' }, bytes: null };
  const state = { kind: 'file', mode: read.mode & 0o7777, size: read.size, mtimeMs: read.mtimeMs, oid: hash.digest('hex') } as const;
  return { state, bytes: kept && Buffer.concat(kept) };
}

/** What stands at the path below `root`. Never follows a link; opens only regular files. Throws FILE_BUSY. */
export async function diskState(root: string, path: TreePath, format: ObjectFormat = 'sha1'): Promise<DiskState> {
  return (await readState(root, path, format, -1)).state;
}

/** The bytes of a regular file or a link's target; null when neither stands there. Throws TOO_LARGE above `maxBytes` (default 512 MiB). */
export async function readDisk(root: string, path: TreePath, maxBytes = 512 * 1024 * 1024): Promise<Buffer | null> {
  if ((await parentsOf(root, path)) !== null) return null;
  const full = diskPath(root, path);
  const stat = await statOrNull(full);
  if (stat?.isSymbolicLink()) return readlink(full, { encoding: 'buffer' });
  if (!stat?.isFile()) return null;
  if (stat.size > maxBytes) throw new TurnbackError('TOO_LARGE', { path: showTreePath(path), bytes: stat.size });
  let pieces: Buffer[] = [];
  const read = await readFileOnce(full, path, {
    begin: () => {
      pieces = [];
    },
    piece: (bytes) => void pieces.push(bytes),
  });
  return read && Buffer.concat(pieces);
}

/** True when the disk holds exactly what the entry says: kind, content and exec bit (which Windows does not have). */
export function sameAsEntry(state: DiskState, entry: TreeEntry | null): boolean {
  if (entry === null) return state.kind === 'absent';
  if (state.kind === 'link') return entry.mode === '120000' && entry.oid === state.oid;
  if (state.kind !== 'file' || entry.oid !== state.oid) return false;
  if (windows) return entry.mode === '100644' || entry.mode === '100755';
  return entry.mode === ((state.mode & 0o100) === 0 ? '100644' : '100755');
}
