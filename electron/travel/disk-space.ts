import { TurnbackError } from '../../shared/errors.ts';
import type { Bench } from './bench.ts';
import type { Content } from './content.ts';
import type { FileSystem } from './file-system.ts';
import { makeOwnFolder } from './own-files.ts';
import type { TravelRecord } from './record.ts';

/** Room for journals, trees and what the file system itself needs. */
const SPARE = 1024 * 1024;

/**
 * Throws DISK_FULL when the new contents do not fit beside the old ones, or the safety snapshot not into our own folder. What a travel
 * writes at once is counted together: temporary files of every new content, and the safety snapshot of every old one.
 */
export async function mustFit(fs: FileSystem, ownData: string, record: TravelRecord, bench: Bench | null): Promise<void> {
  if (bench === null || record.files.length === 0) return;
  const sum = async (side: 'before' | 'after'): Promise<number> => {
    const sizes = await Promise.all(
      record.files.map(async (file) => {
        const content: Content = file[side];
        return content.kind === 'absent' ? 0 : ((await bench.blobs.size(content.oid, file.path)) ?? 0);
      }),
    );
    return sizes.reduce((total, size) => total + size, SPARE);
  };
  await makeOwnFolder(fs, ownData);
  const [root, own] = [Buffer.from(bench.root), Buffer.from(ownData)];
  const [written, kept] = [await sum('after'), await sum('before')];
  // On one disk the temporary files and the safety snapshot need their room at the same time.
  const together = (await fs.lstat(root)).dev === (await fs.lstat(own)).dev;
  for (const [folder, need] of together
    ? ([[root, written + kept]] as const)
    : ([
        [root, written],
        [own, kept],
      ] as const)) {
    const free = await fs.free(folder);
    if (free < need) throw new TurnbackError('DISK_FULL', { path: folder.toString('utf8'), need, free });
  }
}
