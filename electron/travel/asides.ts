import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { thisHost } from '../snapshots/process-alive.ts';
import type { FileSystem } from './file-system.ts';
import { hasEnded } from './process-identity.ts';

/** Folders of ours that files are put into whole, by way of a file aside. */
const FOLDERS = ['journal', 'entries', 'history', 'overlay', 'leases'];
const ASIDE = /\.(\d+)-([0-9a-f]{8})-[0-9a-f]{12}\.tmp$/;

const markOf = (host: string): string => createHash('sha256').update(host).digest('hex').slice(0, 8);

/** A name beside a file of ours that it is written under first. It tells whose process made it, so that a later one can clear it away. */
export function asideOf(file: string): string {
  return `${file}.${process.pid}-${markOf(thisHost)}-${randomBytes(6).toString('hex')}.tmp`;
}

/**
 * Removes what processes of this machine that ended in the middle of a write left beside our files. One that cannot be removed
 * only takes room, so that is no failure of whoever clears up.
 */
export async function sweepAsides(fs: FileSystem, ownData: string): Promise<void> {
  for (const folder of FOLDERS.map((name) => path.join(ownData, name))) {
    for (const name of await namesIn(fs, folder)) {
      const [, pid, mark] = ASIDE.exec(name) ?? [];
      if (pid === undefined || mark !== markOf(thisHost) || !hasEnded({ pid: Number(pid), started: null, host: thisHost })) continue;
      try {
        await fs.unlink(Buffer.from(path.join(folder, name)));
      } catch {
        // The next one tries again.
      }
    }
  }
}

async function namesIn(fs: FileSystem, folder: string): Promise<string[]> {
  try {
    return (await fs.readdir(Buffer.from(folder))).map((name) => name.toString('latin1'));
  } catch {
    // No such folder yet, or none that may be looked into.
    return [];
  }
}
