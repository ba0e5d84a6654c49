import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { type ObjectFormat, objectHeader, objectId } from './object-id.ts';
import type { TreeEntry } from './objects.ts';
import { latin1OfPath } from './path-bytes.ts';

/** Nothing may be read or written at a path. `empty`: nothing stands there either, because something above it is a file. */
export type Blocked = { kind: 'blocked'; why: string; empty?: true };

/** A file that has several names on its disk (hard links): how many, and what they all share. */
interface Names {
  count: number;
  id: string;
}

/** What stands at a path now. `oid` is the id git would give to the raw bytes (a link's: its target). `names`: there is more than one. */
export type DiskState =
  | { kind: 'absent' }
  | { kind: 'file'; mode: number; size: number; mtimeMs: number; oid: string; names?: Names }
  | { kind: 'link'; oid: string; target: Buffer }
  | { kind: 'folder' }
  | { kind: 'other'; what: string }
  | Blocked;

const windows = process.platform === 'win32';
const CHUNK = 256 * 1024;
/** Milliseconds of work without a pause. */
const BREATH = 8;
/** How often a file that changes under our hands is read again. */
const TRIES = 3;
const CLOSED = 'You may not look into its folder.';
const WAS_FILE = 'something that was a file a moment ago';

/** The absolute path as bytes; names that are not UTF-8 stay what they are. */
export function diskPath(root: string, path: TreePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(latin1OfPath(path), 'latin1')]);
}

/** When this module last let others run. */
let rested = 0;

/**
 * Small looks at the disk are done at once, because a thread switch costs ten times as much; after a while others get
 * their turn.
 */
export async function breathe(): Promise<void> {
  if (performance.now() - rested < BREATH) return;
  await setImmediate();
  rested = performance.now();
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

/** What stands there; null for nothing, `closed` where we may not look. */
function statOrNull(path: Buffer): Stats | 'closed' | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return null;
    if (codeOf(error) === 'EACCES') return 'closed';
    throw error;
  }
}

/**
 * Why nothing may be read or written at the path, looking at each folder above it without following links: a link, a
 * file where a folder should be, a repository of its own. `absent` when a folder above does not exist; null when all is well.
 */
export function parentsOf(root: string, path: TreePath): { kind: 'absent' } | Blocked | null {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return { kind: 'blocked', why: 'The path is not one of a file below the workspace.' };
  if (parts.some((part) => part.toLowerCase() === '.git')) return { kind: 'blocked', why: "The path lies in a repository's own folder." };
  for (let depth = 1; depth < parts.length; depth++) {
    const above = parts.slice(0, depth).join('/');
    const stat = statOrNull(diskPath(root, above));
    if (stat === null) return { kind: 'absent' };
    if (stat === 'closed') return { kind: 'blocked', why: CLOSED };
    if (stat.isSymbolicLink()) return { kind: 'blocked', why: `Its folder ${showTreePath(above)} is a link.` };
    if (!stat.isDirectory()) return { kind: 'blocked', why: `${showTreePath(above)} is not a folder.`, empty: true };
    const own = statOrNull(diskPath(root, `${above}/.git`));
    if (own === 'closed') return { kind: 'blocked', why: CLOSED };
    if (own !== null) return { kind: 'blocked', why: `${showTreePath(above)} is a repository of its own.` };
  }
  return null;
}

function whatOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a pipe';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}

/** Opens without following a link, and without waiting for a pipe that took the file's place. Text: why it cannot be read. */
function openFile(full: Buffer): number | string {
  const noFollow = windows ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return openSync(full, constants.O_RDONLY | noFollow);
  } catch (error) {
    // Between the look and the open it went away, or became a link or a socket.
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error))) return WAS_FILE;
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return 'a file that you may not read';
    throw error;
  }
}

/**
 * The bytes of a regular file, piece by piece, with the facts of the file that was read. `begin` learns its size before
 * the first piece; when it turns out longer or shorter, or changes meanwhile, everything starts again. Text when it cannot
 * be read: what is there. Throws FILE_BUSY after three tries.
 */
async function readPieces(
  full: Buffer,
  path: TreePath,
  sink: { begin(size: number): void; piece(bytes: Buffer): void },
): Promise<Stats | string> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const file = openFile(full);
    if (typeof file === 'string') return file;
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) return WAS_FILE;
      sink.begin(stat.size);
      let seen = 0;
      for (;;) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK, stat.size - seen + 1));
        const read = readSync(file, buffer, 0, buffer.length, seen);
        seen += read;
        if (read === 0 || seen > stat.size) break;
        sink.piece(buffer.subarray(0, read));
        await breathe();
      }
      const after = fstatSync(file);
      if (seen === stat.size && after.mtimeMs === stat.mtimeMs && after.size === stat.size) return stat;
    } finally {
      closeSync(file);
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
  await breathe();
  const blocked = parentsOf(root, path);
  if (blocked !== null) return { state: blocked, bytes: null };
  const full = diskPath(root, path);
  const stat = statOrNull(full);
  if (stat === null) return { state: { kind: 'absent' }, bytes: null };
  if (stat === 'closed') return { state: { kind: 'blocked', why: CLOSED }, bytes: null };
  if (stat.isDirectory()) return { state: { kind: 'folder' }, bytes: null };
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(full, { encoding: 'buffer' });
    return { state: { kind: 'link', oid: objectId('blob', target, format), target }, bytes: target };
  }
  if (!stat.isFile()) return { state: { kind: 'other', what: whatOf(stat) }, bytes: null };
  let hash = createHash(format);
  let kept: Buffer[] | null = null;
  const read = await readPieces(full, path, {
    begin: (size) => {
      hash = createHash(format).update(objectHeader('blob', size));
      kept = size <= keep ? [] : null;
    },
    piece: (bytes) => {
      hash.update(bytes);
      kept?.push(bytes);
    },
  });
  if (typeof read === 'string') return { state: { kind: 'other', what: read }, bytes: null };
  const { mode, size, mtimeMs, nlink, dev, ino } = read;
  const state: DiskState = { kind: 'file', mode: mode & 0o7777, size, mtimeMs, oid: hash.digest('hex') };
  if (nlink > 1) state.names = { count: nlink, id: `${dev}:${ino}` };
  return { state, bytes: kept && Buffer.concat(kept) };
}

/** What stands at the path below `root`. Never follows a link; opens only regular files. Throws FILE_BUSY. */
export async function diskState(root: string, path: TreePath, format: ObjectFormat = 'sha1'): Promise<DiskState> {
  return (await readState(root, path, format, -1)).state;
}

/** The bytes of a regular file or a link's target; null when neither stands there. Throws TOO_LARGE above `maxBytes` (default 512 MiB). */
export async function readDisk(root: string, path: TreePath, maxBytes = 512 * 1024 * 1024): Promise<Buffer | null> {
  if (parentsOf(root, path) !== null) return null;
  const full = diskPath(root, path);
  const stat = statOrNull(full);
  if (stat === null || stat === 'closed') return null;
  if (stat.isSymbolicLink()) return readlinkSync(full, { encoding: 'buffer' });
  if (!stat.isFile()) return null;
  if (stat.size > maxBytes) throw new TurnbackError('TOO_LARGE', { path: showTreePath(path), bytes: stat.size });
  let pieces: Buffer[] = [];
  const read = await readPieces(full, path, {
    begin: () => {
      pieces = [];
    },
    piece: (bytes) => void pieces.push(bytes),
  });
  return typeof read === 'string' ? null : Buffer.concat(pieces);
}

/** True when the disk holds exactly what the entry says: kind, content and exec bit (which Windows does not have). */
export function sameAsEntry(state: DiskState, entry: TreeEntry | null): boolean {
  if (entry === null) return state.kind === 'absent';
  if (state.kind === 'link') return entry.mode === '120000' && entry.oid === state.oid;
  if (state.kind !== 'file' || entry.oid !== state.oid) return false;
  if (windows) return entry.mode === '100644' || entry.mode === '100755';
  return entry.mode === ((state.mode & 0o100) === 0 ? '100644' : '100755');
}
