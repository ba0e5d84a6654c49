import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { grows } from '../growth.ts';

/**
 * Signs that a DSH process has the session open, as words; null when there is none (formats/dsh.md, locks and liveness). The lock
 * file is never removed, so it says nothing by being there: what counts is a lock on it, which Linux lists in `/proc/locks`.
 */
export async function liveSignOf(folder: string, log: string): Promise<string | null> {
  const holder = await lockHolder(path.join(folder, 'session.lock'));
  if (holder !== null) return `process ${holder} holds session.lock`;
  return (await grows([log])) ? 'the log grows' : null;
}

/** The process that holds a flock on the file; null when nobody does or the system does not tell. */
export async function lockHolder(file: string): Promise<string | null> {
  let inode: bigint;
  let locks: string;
  try {
    inode = (await stat(file, { bigint: true })).ino;
    locks = await readFile('/proc/locks', 'utf8');
  } catch {
    // No lock file, or a system without /proc: the age of the log is all there is.
    return null;
  }
  for (const line of locks.split('\n')) {
    const [, kind, , , pid, where] = line.trim().split(/\s+/);
    if (kind === 'FLOCK' && where?.split(':').at(-1) === String(inode)) return pid ?? null;
  }
  return null;
}

/** Is there a lock file on a system that does not tell who holds it? Then no answer counts as held, before anything is written. */
export async function cannotTellHolder(file: string): Promise<boolean> {
  try {
    await stat(file);
  } catch {
    // Older versions of DSH lock nothing.
    return false;
  }
  return access('/proc/locks', constants.R_OK).then(
    () => false,
    () => true,
  );
}
