import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { capturePaths } from '../../electron/snapshots/capture.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { openSafetyStore } from '../../electron/snapshots/store.ts';
import { fillWorkspace, inBenchLab, inTurn, sourceText } from './bench-lab.ts';
import type { BenchRow } from './bench-row.ts';

/** B1: what is kept before a travel writes N files of 50,000, against a snapshot of all. */
export default async function captureBench(report: (row: BenchRow) => void): Promise<void> {
  await inBenchLab(async (lab) => {
    const files = await fillWorkspace(lab.root, 50_000, 50);
    await lab.agent(['add', '-A']);
    await lab.agent(['write-tree']);
    const store = await openSafetyStore({ git: createGit(), ownData: path.join(lab.folder, 'own'), root: lab.root });
    for (const count of [1, 5, 50, 500]) {
      let paths: string[] = [];
      const result = await inTurn({
        runs: 7,
        prepare: async (run) => {
          paths = Array.from({ length: count }, (_, k) => files[(k * 7919 + run * 104_729) % files.length] ?? '');
          await Promise.all(paths.map((name, k) => writeFile(path.join(lab.root, name), sourceText(k, run + 1 + count))));
        },
        ours: async () => {
          const { bytes } = await capturePaths(store, { root: lab.root, paths });
          if (bytes === 0) throw new Error('nothing was captured');
        },
        floor: async () => {
          await lab.agent(['add', '-A']);
          await lab.agent(['write-tree']);
        },
      });
      report({ name: `B1 keep ${count} of 50,000 files (floor: git add -A, write-tree)`, ...result, target: 0.4 });
    }
  });
}
