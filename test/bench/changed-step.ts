import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createGit } from '../../electron/snapshots/git.ts';
import { openQuarantine, type SnapshotStore } from '../../electron/snapshots/store.ts';
import { type BenchLab, fillWorkspace, sourceText } from './bench-lab.ts';

/** A step that changed 500 of 5,000 files: its two trees, and the quarantine that reads them. */
export async function changedStep(lab: BenchLab): Promise<{ store: SnapshotStore; from: string; to: string }> {
  const files = await fillWorkspace(lab.root, 5_000, 50);
  const snap = async (): Promise<string> => {
    await lab.agent(['add', '-A']);
    return (await lab.agent(['write-tree'])).toString().trim();
  };
  const from = await snap();
  for (let k = 0; k < 500; k++) await writeFile(path.join(lab.root, files[k * 10] ?? ''), sourceText(k * 10, 7));
  const to = await snap();
  const objectFolders = [path.join(lab.gitDir, 'objects')];
  return {
    store: await openQuarantine({ git: createGit(), ownData: path.join(lab.folder, 'own'), objectFolders, format: 'sha1' }),
    from,
    to,
  };
}
