import { constants } from 'node:fs';
import type { TreePath } from '../../shared/tree-path.ts';
import type { DiskState } from '../snapshots/disk.ts';
import type { Content } from './content.ts';
import type { FileSystem } from './file-system.ts';
import { codeOf, isMissing, isTaken } from './own-files.ts';
import type { PinnedFolder } from './pinned-folder.ts';

/** One path that a travel changes. */
export interface Change {
  path: TreePath;
  /** Names its temporary file. */
  index: number;
  /** What stands there and must still stand there when it is written. */
  from: Content;
  /** The disk as it was looked at last, for telling quickly that nothing changed. */
  seen: DiskState;
  want: Content;
}

/** The name of a temporary file: nobody can guess it before, and recovery knows it afterwards. */
export function temporaryName(token: string, index: number): Buffer {
  return Buffer.from(`.turnback-${token}-${index}.tmp`);
}

/**
 * Permission bits for a file: those that were recorded; else those of the file that it replaces, with the exec bit as it shall
 * be (execute follows read, as git does it); null leaves it to the umask.
 */
export function modeFor(from: Content, want: Content & { kind: 'file' }): number | null {
  if (want.mode !== null) return want.mode;
  if (from.kind !== 'file' || from.mode === null) return null;
  if (!want.executable) return from.mode & ~0o111;
  return from.executable ? from.mode : from.mode | ((from.mode & 0o444) >> 2);
}

/** Writes the new content aside, whole and durable, under the temporary name. */
export async function stageFile(fs: FileSystem, folder: PinnedFolder, token: string, change: Change, bytes: Buffer): Promise<void> {
  const { want, from, index } = change;
  const temporary = folder.at(temporaryName(token, index));
  if (want.kind === 'link') return fs.symlink(bytes, temporary);
  if (want.kind !== 'file') return;
  const mode = modeFor(from, want);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await fs.open(temporary, flags, mode ?? (want.executable ? 0o777 : 0o666));
  try {
    await handle.write(bytes);
    // The umask may have taken bits away; it never gives any.
    if (mode !== null && process.platform !== 'win32' && ((await handle.stat()).mode & 0o7777) !== mode) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts the staged file in its place. Where nothing shall stand yet, what appeared meanwhile is not replaced: EEXIST. */
export async function placeFile(fs: FileSystem, staged: Buffer, place: Buffer, change: Change): Promise<void> {
  if (change.from.kind === 'absent' && change.want.kind === 'file') {
    try {
      await fs.link(staged, place);
      await fs.unlink(staged);
      return;
    } catch (thrown) {
      const code = codeOf(thrown);
      // Some file systems have no hard links; there a rename has to do.
      if (isTaken(thrown) || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS', 'EXDEV'].includes(code)) throw thrown;
    }
  }
  await fs.rename(staged, place);
}

/** Removes a temporary file, if it is there. */
export async function unstage(fs: FileSystem, folder: PinnedFolder, token: string, index: number): Promise<void> {
  try {
    await fs.unlink(folder.at(temporaryName(token, index)));
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
}

/** What tells without reading that a path is still what it was: any write changes the ctime, which no program can set back. */
export type Facts = { ino: number; size: number; mode: number; mtimeMs: number; ctimeMs: number } | 'absent';

/** The facts of what stands at a place now. */
export async function factsAt(fs: FileSystem, place: Buffer): Promise<Facts> {
  try {
    const { ino, size, mode, mtimeMs, ctimeMs } = await fs.lstat(place);
    return { ino, size, mode, mtimeMs, ctimeMs };
  } catch (thrown) {
    if (isMissing(thrown)) return 'absent';
    throw thrown;
  }
}

/** True when nothing touched the file between two looks at its facts. */
export function sameFacts(a: Facts, b: Facts): boolean {
  if (a === 'absent' || b === 'absent') return a === b;
  return a.ino === b.ino && a.size === b.size && a.mode === b.mode && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** Do the facts belong to what was seen a moment ago? */
export function factsFit(facts: Facts, seen: DiskState): boolean {
  if (facts === 'absent') return seen.kind === 'absent' || seen.kind === 'blocked';
  if (seen.kind === 'file') return facts.size === seen.size && facts.mtimeMs === seen.mtimeMs && (facts.mode & 0o7777) === seen.mode;
  return false;
}
